// Entry: whether the operator is signed in. The frame and its pages are loaded when that is so.
import { html, render, useEffect, useState } from './vendor/preact-htm.js';
import { strings } from './strings.js';
import { onSignedOut, resume, signIn } from './lib/api.js';
import { Failure, applyTheme, box, theme } from './lib/ui.js';

const signedIn = box(undefined);
const said = box('');
const frame = box(undefined);
applyTheme(theme.get());

function SignIn() {
    const [error, setError] = useState(said.get());
    const [busy, setBusy] = useState(false);
    const submit = async event => {
        event.preventDefault();
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

async function begin() {
    const [, ticket] = /^#ticket=(.+)$/.exec(location.hash) || [];
    if (ticket) {
        // It works once; it has no place in the history.
        history.replaceState(null, '', '/');
        try {
            await signIn({ ticket: decodeURIComponent(ticket) });
            remember(true);
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
    if (state) loadFrame();
    signedIn.set(state);
}

function loadFrame() {
    import('./frame.js').then(frame.set, () => said.set(strings.pageFailed));
}

onSignedOut(() => remember(false));
render(html`<${Console} />`, document.getElementById('app'));
begin();
