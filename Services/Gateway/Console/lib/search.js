// One search over everything: identifiers, accounts, products, subscriptions, notifications and pages, by keyboard alone.
import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, get, url } from './api.js';
import { words } from './format.js';
import { link } from './router.js';
import { ask, chosenApp } from './ui.js';

const text = strings.finder;
const SHOWN_OF_A_KIND = 8;
// As many of each kind are looked through.
const MOST = 5000;
const PAUSE = 120;

// An identifier that the gateway finds by itself: anything else is looked for in the lists.
const WHOLE = /^(t_[0-9a-z]{26}|[0-9]{16})$/;

const list = (path, query, name) => all(path, { limit: 100, ...query }, name, found => found.length < MOST);

// Each kind: what it is read from, and for one of it what it is found by, said as, and opened with.
const kinds = app => [
    {
        kind: 'accounts', load: () => list('/admin/v1/testers', { limit: 500 }, 'testers'),
        row: ({ account }) => ({ ids: [account], says: account, href: link('customers', account) }),
    },
    {
        kind: 'products', load: () => list(appURL(app, 'products'), { limit: 500 }, 'products'),
        row: one => ({ ids: [one.productIdentifier, one.localizedTitle], says: one.productIdentifier, more: one.localizedTitle, href: link('products', one.productIdentifier) }),
    },
    {
        kind: 'subscriptions', load: () => list('/admin/v1/subscriptions', { bundleId: app }, 'subscriptions'),
        row: one => ({
            ids: [one.originalTransactionIdentifier, one.transactionIdentifier, one.account, one.productIdentifier], says: one.originalTransactionIdentifier,
            more: `${one.productIdentifier} · ${one.account} · ${words(one.state)}`, href: link('subscriptions', one.originalTransactionIdentifier),
        }),
    },
    {
        kind: 'transactions', least: 4, load: () => list('/admin/v1/transactions', { bundleId: app }, 'transactions'),
        row: one => ({ ids: [one.transactionIdentifier, one.id], says: one.transactionIdentifier || one.id, more: `${one.payment.productIdentifier} · ${words(one.transactionState)}`, href: link('transactions', one.id) }),
    },
    {
        kind: 'notifications', load: () => list(appURL(app, 'notifications'), {}, 'notifications'),
        row: one => ({
            ids: [one.notificationUUID, one.notificationType, one.account], says: one.notificationUUID,
            more: [[one.notificationType, one.subtype].filter(Boolean).join('.'), one.account].filter(Boolean).join(' · '), href: link('notifications', one.notificationUUID),
        }),
    },
];

// How well one fits: its whole name before its beginning or end, and that before some part of it.
function rank(ids, wanted) {
    const low = wanted.toLowerCase();
    return Math.min(...ids.filter(Boolean).map(id => {
        const name = id.toLowerCase();
        return name === low ? 0 : name.endsWith(low) || name.startsWith(low) ? 1 : name.includes(low) ? 2 : Infinity;
    }));
}

const best = (rows, wanted) => rows.map(row => ({ row, rank: rank(row.ids, wanted) })).filter(one => one.rank < Infinity)
    .sort((one, other) => one.rank - other.rank).slice(0, SHOWN_OF_A_KIND).map(one => one.row);

// The lists are read once for each opening, and transactions when an identifier may be meant.
function useFound(pages, typed) {
    const app = chosenApp.get();
    const wanted = typed.trim().replace(/^…/, '');
    const loaded = useRef({}).current;
    const [, drawn] = useState(0);
    useEffect(() => {
        if (!wanted || !app) return undefined;
        let ended = false;
        const draw = () => { if (!ended) drawn(count => count + 1); };
        const timer = setTimeout(() => {
            for (const { kind, least = 1, load, row } of kinds(app)) {
                if (wanted.length < least) continue;
                loaded[kind] ||= { rows: [], busy: load().then(rows => { loaded[kind].rows = rows.map(row); }, error => { loaded[kind].error = error; }).then(() => { loaded[kind].busy = undefined; }) };
                loaded[kind].busy?.then(draw);
            }
            // One that is behind those that are looked through, or of another app.
            if (WHOLE.test(wanted)) loaded.transactions.busy = Promise.resolve(loaded.transactions.busy).then(async () => {
                const { row } = kinds(app).find(one => one.kind === 'transactions');
                if (loaded.transactions.rows.some(one => one.ids.includes(wanted))) return;
                const one = await get(url('/admin/v1/transactions', wanted)).catch(() => undefined);
                if (one) loaded.transactions.rows = [...loaded.transactions.rows, row(one)];
            }).then(() => { loaded.transactions.busy = undefined; draw(); });
            draw();
        }, PAUSE);
        return () => {
            ended = true;
            clearTimeout(timer);
        };
    }, [wanted]);
    const places = pages.map(one => ({ ids: [one.name], says: one.name, href: link(one.path) }));
    if (!wanted) return { groups: [{ kind: 'pages', rows: places }] };
    const groups = [{ kind: 'pages', rows: best(places, wanted) }, ...kinds(app).map(({ kind }) => ({ kind, rows: best(loaded[kind]?.rows || [], wanted) }))];
    return { groups: groups.filter(one => one.rows.length), busy: Object.values(loaded).some(one => one.busy), error: Object.values(loaded).find(one => one.error)?.error };
}

function Finder({ pages, close }) {
    const [typed, setTyped] = useState('');
    const { groups, busy, error } = useFound(pages, typed);
    const flat = groups.flatMap(group => group.rows);
    const [active, setActive] = useState(0);
    const at = Math.min(active, flat.length - 1);
    const area = useRef();
    useEffect(() => { area.current.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }); }, [at, typed]);
    const open = row => {
        close();
        location.hash = row.href;
    };
    const pressed = event => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && flat.length) setActive((at + step + flat.length) % flat.length);
        else if (event.key === 'Home' && !typed) setActive(0);
        else if (event.key === 'Enter' && flat[at]) open(flat[at]);
        else return;
        event.preventDefault();
    };
    let count = -1;
    const says = useMemo(() => busy ? strings.loading : text.count(flat.length), [busy, flat.length]);
    return html`<div class="finder">
        <input role="combobox" autofocus aria-label=${strings.searchAll} aria-expanded="true" aria-controls="found" aria-autocomplete="list" aria-activedescendant=${flat.length ? `found-${at}` : undefined}
            placeholder=${text.hint} value=${typed} spellcheck="false" autocomplete="off" onInput=${event => { setTyped(event.target.value); setActive(0); }} onKeyDown=${pressed} />
        <div class="found" ref=${area} id="found" role="listbox" aria-label=${text.results}>
            ${groups.map(group => html`<div role="group" aria-label=${text.kinds[group.kind]} key=${group.kind}><div class="kind" aria-hidden="true">${text.kinds[group.kind]}</div>
                ${group.rows.map(row => {
                    const mine = count += 1;
                    return html`<div role="option" id=${`found-${mine}`} key=${row.href} aria-selected=${mine === at} onPointerMove=${() => setActive(mine)} onClick=${() => open(row)}>
                        <span class="break">${row.says}</span> ${row.more && html`<span class="soft small break">${row.more}</span>`}</div>`;
                })}</div>`)}
        </div>
        <p class="soft small" role="status">${error ? error.message : says}</p>
    </div>`;
}

export const openSearch = pages => ask(strings.searchAll, close => html`<${Finder} pages=${pages} close=${close} />`);
