// The frame around the pages, and which page is shown.
import { html, useEffect, useMemo, useRef, useState } from './vendor/preact-htm.js';
import { strings } from './strings.js';
import { all, appURL, get, signOut } from './lib/api.js';
import { factor, useClock, useNow } from './lib/clock.js';
import { useData, useEvery } from './lib/data.js';
import { Faults } from './lib/faults.js';
import { dateTime, number } from './lib/format.js';
import { listen, showShortcuts } from './lib/keys.js';
import { connect, disconnect, useConnected } from './lib/live.js';
import { Recording } from './lib/recording.js';
import { keepPlace, link, linkElsewhere, store, useRoute } from './lib/router.js';
import { forgetSessions } from './lib/sessions.js';
import { Dialogs, Failure, Toasts, applyTheme, apps, chosenApp, clock, theme, toastProblem, waiting } from './lib/ui.js';

const GROUPS = [
    [['overview', 'o'], ['inbox', 'i'], ['transactions', 't'], ['subscriptions', 's'], ['customers', 'c']],
    [['products', 'p'], ['promotions', 'r'], ['store', 'b'], ['eligibility', 'e']],
    [['notifications', 'n'], ['time', 'm'], ['services', 'v'], ['bus', 'u'], ['traces', 'w'], ['chaos', 'x'], ['settings', 'k']],
].map(group => group.map(([path, key]) => ({ path, key, name: strings.nav[path] })));
const NAMED = GROUPS.flat();

function ThemeButton() {
    const now = theme.use();
    const next = { auto: 'light', light: 'dark', dark: 'auto' }[now];
    const choose = () => {
        localStorage.setItem('storebus.theme', next);
        applyTheme(next);
        theme.set(next);
    };
    return html`<button class="plain square" onClick=${choose} aria-label=${strings.theme[now]} title=${strings.theme[now]}>${{ auto: '◐', light: '☀', dark: '☾' }[now]}</button>`;
}

function Clock() {
    useClock();
    const shown = clock.use();
    const now = useNow();
    const how = !shown ? '' : shown.frozen ? strings.frozen : factor(shown.rate) === 1 ? strings.realTime : strings.times(number(factor(shown.rate)));
    // Said again when it was set or moved, not as it runs.
    const says = useMemo(() => shown && strings.clockSays(dateTime(shown.now), how), [shown?.bundleId, shown?.epoch, how]);
    if (!now) return null;
    return html`<a class="clock" href=${link('time')}>
        <time datetime=${now.toISOString()} title=${now.toISOString()} aria-hidden="true"><span class="wide">${dateTime(now)}</span><span class="narrow">${dateTime(now, 'near')}</span></time>
        <small class="wide" aria-hidden="true">${how}</small>
        <span class="hidden" role="status">${says}</span>
    </a>`;
}

// The style of the other pages, once.
function moreStyle() {
    moreStyle.loaded ||= new Promise(done => {
        const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/console/pages.css', onload: done, onerror: done });
        document.head.append(sheet);
    });
    return moreStyle.loaded;
}

// The icon stays as it is until something waits.
let drawn;
function badge(count) {
    if (count) drawn ||= import('./lib/badge.js');
    drawn?.then(({ showBadge }) => showBadge(count)).catch(() => {});
}

const SEARCH_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';
const search = () => Promise.all([import('./lib/search.js'), moreStyle()]).then(([{ openSearch }]) => openSearch(NAMED), toastProblem);

// Pages of one, that are files of their own.
const ONE = { transactions: 'transaction', customers: 'customer', chaos: 'run' };

// The pages that were opened before are there at once.
const views = new Map();

function Page({ name, route }) {
    const file = route.parts[1] && ONE[name] || name;
    const [error, setError] = useState();
    const [, loaded] = useState();
    const first = useRef(true);
    const view = views.get(file);
    useEffect(() => {
        setError(undefined);
        if (views.has(file)) return;
        Promise.all([import(`./pages/${file}.js`), file !== 'overview' && moreStyle()]).then(([module]) => {
            views.set(file, module.default);
            loaded(file);
        }, setError);
    }, [file]);
    useEffect(() => {
        if (!view) return undefined;
        const main = document.getElementById('main');
        main.dataset.page = route.parts.join('/');
        const isFirst = first.current;
        first.current = false;
        if (isFirst) return undefined;
        // A page that loads first has its heading later.
        const focus = () => { const heading = main.querySelector('h1'); heading?.focus(); return heading; };
        if (focus()) return undefined;
        const watcher = new MutationObserver(() => { if (focus()) watcher.disconnect(); });
        watcher.observe(main, { childList: true, subtree: true });
        return () => watcher.disconnect();
    }, [view, route.parts.join('/')]);
    if (error) return html`<${Failure} error=${{ message: strings.pageFailed, remedy: String(error.message) }} /><p><button onClick=${() => location.reload()}>${strings.refresh}</button></p>`;
    if (!view) return html`<p class="empty" role="status">${strings.loading}</p>`;
    return html`<${view} route=${route} key=${file} />`;
}

// What an address names and is not there, and those that are.
const Gone = ({ title, says, places }) => html`<h1 tabindex="-1">${title}</h1><p>${says}</p>
    <ul>${places.map(([name, href]) => html`<li key=${name}><a href=${href}>${name}</a></li>`)}</ul>`;

const nameOf = one => one.name ? `${one.name} · ${one.bundleId}` : one.bundleId;

// Which app of which store. A store has one list of apps, so another store is a page that is loaded anew.
function Places({ page, known, app, stores }) {
    const to = href => { location.hash = href; };
    return html`${known?.length > 0 && html`<select class="app" aria-label=${strings.app} value=${app} onChange=${event => to(linkElsewhere(page, event.target.value, store))}>
            ${!app && html`<option value="" />`}${known.map(one => html`<option value=${one.bundleId} selected=${one.bundleId === app}>${nameOf(one)}</option>`)}
        </select>`}
        ${(store || stores?.length > 0) && html`<select class="store" aria-label=${strings.storeName} value=${store} onChange=${event => to(linkElsewhere(page, stores.find(one => one.store === event.target.value)?.bundleId || app, event.target.value))}>
            ${['', ...storesShown(stores)].map(name => html`<option value=${name} selected=${name === store}>${name || strings.mainStore}</option>`)}
        </select>`}`;
}

const STORES_SHOWN = 200;
// The newest ones, and the one that is shown.
function storesShown(stores = []) {
    const names = stores.map(one => one.store).reverse();
    return [...new Set([...store ? [store] : [], ...names.slice(0, STORES_SHOWN)])];
}

// In an isolated store nothing is asked before it is known to exist.
export function Frame({ signedOut }) {
    const route = useRoute();
    const found = useData(() => all('/admin/v1/stores', { limit: 500 }, 'stores'), []);
    useEvery(60000, found);
    const stores = found.data?.filter(one => one.state === 'open');
    if (!store || stores?.some(one => one.store === store)) return html`<${Shell} signedOut=${signedOut} stores=${stores} route=${route} />`;
    return html`<main class="sign"><div class="card">${stores ? html`<${Gone} title=${strings.noStore(store)} says=${strings.noStoreSays}
        places=${[[strings.mainStore, '/'], ...storesShown(stores).filter(name => name !== store).map(name => [name, linkElsewhere('', undefined, name)])]} />`
        : found.error ? html`<${Failure} error=${found.error} retrying />` : html`<p role="status">${strings.loading}</p>`}</div></main>`;
}

function Shell({ signedOut, stores, route }) {
    const app = chosenApp.use();
    const [open, setOpen] = useState(false);
    const connected = useConnected();
    const [wasAway, setAway] = useState(false);
    const name = route.parts[0] || 'overview';
    const page = NAMED.find(one => one.path === name);

    const known = useData(() => all('/admin/v1/apps', { limit: 500 }, 'apps'), [], () => false);
    apps.reload = known.reload;
    const inbox = useData(async () => {
        if (app === undefined) return undefined;
        const [{ prompts }, { refundRequests }] = await Promise.all([
            get('/admin/v1/prompts', { limit: 100 }), app ? get(appURL(app, 'refund-requests'), { limit: 100 }) : { refundRequests: [] },
        ]);
        return prompts.length + refundRequests.length;
    }, [app], message => message.kind === 'transactions' && !document.hidden);
    useEffect(() => { if (inbox.data !== undefined) waiting.set(inbox.data); }, [inbox.data]);
    const count = waiting.use() || 0;
    useEffect(() => {
        // Less often where only the title and the icon are seen.
        let turn = 0;
        const often = setInterval(() => { if (!document.hidden || (turn += 1) % 3 === 0) inbox.reload(); }, 10000);
        return () => clearInterval(often);
    }, []);

    const wanted = route.query.get('app');
    const ids = known.data?.map(one => one.bundleId);
    const isUnknown = Boolean(wanted && ids?.length && !ids.includes(wanted));
    useEffect(() => {
        if (!ids || isUnknown) return;
        const kept = [wanted, chosenApp.get(), localStorage.getItem('storebus.app'), ids[0]].find(one => ids.includes(one));
        chosenApp.set(kept || null);
        if (!kept) return;
        if (!store) localStorage.setItem('storebus.app', kept);
        keepPlace();
    }, [known.data, route]);
    useEffect(() => {
        if (app !== null) return undefined;
        const timer = setInterval(known.reload, 3000);
        return () => clearInterval(timer);
    }, [app]);
    useEffect(() => {
        connect();
        return () => {
            forgetSessions();
            disconnect();
            badge(0);
        };
    }, []);
    useEffect(() => {
        // A page that has just been opened is not away yet.
        const timer = connected ? setAway(false) : setTimeout(() => setAway(true), 1500);
        return () => clearTimeout(timer);
    }, [connected]);
    useEffect(() => listen(NAMED, one => { location.hash = link(one.path); }, search), []);
    useEffect(() => { setOpen(false); }, [route]);
    useEffect(() => {
        const title = `${page ? page.name : strings.noPage} – ${strings.brand}`;
        document.title = count ? strings.inboxTitle(count, title) : title;
    }, [page, count]);
    useEffect(() => badge(count), [count]);

    const toMain = event => {
        event.preventDefault();
        document.getElementById('main').focus();
    };
    const leave = async () => {
        try {
            await signOut();
        } catch (problem) {
            if (problem.status !== 401) {
                toastProblem(problem);
                return;
            }
        }
        signedOut();
    };
    const ofUser = html`<${Recording} /><${ThemeButton} />
        <button class="plain square" aria-label=${strings.shortcutsButton} title=${strings.shortcutsButton} onClick=${() => showShortcuts(NAMED)}>?</button>
        <button class="plain" onClick=${leave}>${strings.signOut}</button>`;
    // Between another address and its app's pages nothing is shown.
    const isThere = page && app && !isUnknown && (!wanted || wanted === app);
    return html`<div class="frame">
        <a class="skip" href="#main" onClick=${toMain}>${strings.skip}</a>
        <div class="above"><header class="top">
            <button class="menu" aria-expanded=${open} aria-controls="side" onClick=${() => setOpen(!open)}>${strings.menu}</button>
            <a class="brand" href=${link('')}><img src="/console/icon.svg" alt="" /><span>${strings.brand}</span></a>
            <${Places} page=${page ? page.path : ''} known=${known.data} app=${isUnknown ? '' : app} stores=${stores} />
            <button class="search" aria-label=${strings.searchAll} aria-keyshortcuts="Control+K Meta+K /" onClick=${search}><span aria-hidden="true">⌕</span><span class="wide">${strings.search} <kbd>${SEARCH_KEY}</kbd></span></button>
            <${Clock} />
            <span class=${`pill ${connected ? 'good' : 'warn'}`}><span>${connected ? strings.live : strings.notLive}</span></span>
            <span class="wide user">${ofUser}</span>
        </header>
        <div class="banners">${wasAway && html`<div class="away" role="alert">${strings.away}</div>`}<${Faults} /></div></div>
        <div id="side" class=${open ? 'side open' : 'side'}><nav aria-label=${strings.pages}>
            ${GROUPS.map(group => html`<ul>${group.map(one => html`<li><a href=${link(one.path)} aria-current=${one === page ? 'page' : undefined}>
                ${one.name}${one.path === 'inbox' && count > 0 && html`<span class="count">${count}</span>`}</a></li>`)}</ul>`)}
        </nav><div class="narrow row">${ofUser}</div></div>
        <main id="main" tabindex="-1">
            ${!page && html`<h1 tabindex="-1">${strings.noPage}</h1><p>${strings.noPageSays}</p>`}
            ${isUnknown && html`<${Gone} title=${strings.noSuchApp(wanted)} says=${store ? strings.noSuchAppIn(store) : strings.noSuchAppSays} places=${known.data.map(one => [nameOf(one), linkElsewhere(page ? page.path : '', one.bundleId, store)])} />`}
            ${page && app === null && html`<h1 tabindex="-1">${strings.noApp}</h1><p>${strings.noAppSays}</p><pre>storebus import App.storekit</pre>`}
            ${page && app === undefined && html`<${Failure} error=${known.error} retrying />`}
            ${isThere && html`<${Page} name=${name} route=${route} key=${app} />`}
        </main>
        <${Toasts} /><${Dialogs} />
    </div>`;
}
