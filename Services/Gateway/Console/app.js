// Entry: whether the operator is signed in. The frame and its pages are loaded when that is so.
import { html, render, useEffect, useState } from './vendor/preact-htm.js';
import { strings } from './strings.js';
import { onSignedOut, resume, signIn } from './lib/api.js';
import { arrive, store } from './lib/router.js';
import { Failure, applyTheme, box, theme } from './lib/ui.js';

const signedIn = box(undefined);
const said = box('');
const frame = box(undefined);
applyTheme(theme.get());

function SignIn() {
    const [wrong, setError] = useState('');
    const word = said.use();
    const error = wrong || word;
    const [busy, setBusy] = useState(false);
    const submit = async event => {
        event.preventDefault();
        said.set('');
        setBusy(true);
        try {
            await signIn({ key: event.target.elements.key.value.trim() });
            remember(true);
        } catch (problem) {
            setError(problem.status === 401 ? strings.sign.wrong : problem.message);
            setBusy(false);
        }
    };
    useEffect(() => { document.title = `${strings.sign.title} – ${strings.brand}`; }, []);
    return html`<main class="sign"><form class="card" onSubmit=${submit}>
        <img src="/console/icon.svg" alt="" />
        <h1>${strings.sign.title}</h1>
        <p class="soft">${strings.sign.says}</p>
        ${error && html`<${Failure} error=${{ message: error }} />`}
        <label>${strings.sign.key}<input name="key" type="password" required autocomplete="current-password" autofocus /></label>
        <button class="primary" disabled=${busy}>${strings.sign.button}</button>
        <p class="soft small">${strings.sign.hint}</p>
    </form></main>`;
}

function Console() {
    const state = signedIn.use();
    const loaded = frame.use();
    const word = said.use();
    if (state === undefined || (state && !loaded)) return html`<main class="sign"><h1>${strings.brand}</h1><p role="status">${word || strings.loading}</p></main>`;
    if (!state) return html`<${SignIn} />`;
    return html`<${loaded.Frame} signedOut=${() => remember(false)} />`;
}

// #ticket=TICKET, and behind & the page to open: #ticket=TICKET&/transactions?store=t-1
const TICKET = /^#ticket=([^&]+)&?(.*)$/;

async function begin() {
    const [, ticket, page] = TICKET.exec(location.hash) || [];
    if (ticket) {
        // It works once; it has no place in the history.
        history.replaceState(null, '', page ? `/#${page}` : '/');
        try {
            await signIn({ ticket: decodeURIComponent(ticket) });
            remember(true);
            // A page that was there follows the address.
            dispatchEvent(new HashChangeEvent('hashchange'));
            return;
        } catch (problem) {
            if (problem.status === 401) said.set(strings.sign.stale);
        }
    }
    for (;;) {
        try {
            const known = localStorage.getItem('storebus.signedIn') === 'yes';
            if (known) loadFrame();
            const resumed = known && await resume();
            if (resumed || said.get() === strings.away) said.set('');
            signedIn.set(resumed);
            return;
        } catch {
            said.set(strings.away);
            await new Promise(done => setTimeout(done, 1500));
        }
    }
}

// Whether to ask for the session at all: the cookie itself cannot be seen from here.
function remember(state) {
    said.set('');
    if (state) localStorage.setItem('storebus.signedIn', 'yes');
    else localStorage.removeItem('storebus.signedIn');
    if (state) {
        const before = store;
        // The address may have been pasted on this page.
        if (!signedIn.get()) arrive();
        if (frame.get() && store !== before) {
            location.reload();
            return;
        }
        loadFrame();
    }
    signedIn.set(state);
}

function loadFrame() {
    import('./frame.js').then(frame.set, () => said.set(strings.pageFailed));
}

onSignedOut(() => remember(false));
addEventListener('hashchange', () => { if (TICKET.test(location.hash)) begin(); });
render(html`<${Console} />`, document.getElementById('app'));
begin();
