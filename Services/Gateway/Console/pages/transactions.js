// All transactions of the app, as they are now.
import { html, useCallback, useEffect, useMemo, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { appURL, get } from '../lib/api.js';
import { Action, Actions, cli, making, showCommands } from '../lib/actions.js';
import { bought } from '../lib/buy.js';
import { Time, State, money } from '../lib/format.js';
import { FilterBar } from '../lib/filter-bar.js';
import { TRANSACTION, VALUES, parse, stateOf } from '../lib/filter.js';
import { useLive } from '../lib/live.js';
import { go, link, setQuery } from '../lib/router.js';
import { Windowed } from '../lib/table.js';
import { actionsOf, productOf, rowOf, shortId, why } from '../lib/transactions.js';
import { Failure, Field, Head, Id, ask, chosenApp, showJSON, values } from '../lib/ui.js';

const text = strings.transactions;
const MOST = 100000;

// What the gateway selects by itself; the rest is selected here. Purchases and their restored copies are taken back alike.
const TAKEN_BACK = new Set(['refunded', 'revoked']);
const ofGateway = filter => {
    const state = filter.exact('state');
    return { account: filter.exact('account'), state: TAKEN_BACK.has(state) ? undefined : state, finished: { yes: true, no: false }[filter.exact('finished')] };
};

// An event is newer than a row, or older: the revision says.
function take(rows, { transaction, account, bundleId, type, finished }) {
    const old = rows.get(transaction.id);
    if (old && old.revision > transaction.revision) return;
    rows.set(transaction.id, { ...old, ...transaction, account, bundleId, isFinished: finished || type === 'finished' || Boolean(old?.isFinished) });
}

function useRows(app, filter) {
    const rows = useRef(new Map());
    const [state, set] = useState({ version: 0, complete: false });
    const run = useRef({ count: 0, heard: new Map() }).current;
    const question = ofGateway(filter);
    const asked = JSON.stringify([app, question]);

    const load = async () => {
        const mine = ++run.count;
        const fresh = new Map();
        Object.assign(run, { busy: true, again: false, heard: new Map() });
        let after;
        for (let wait = 1000; ;) {
            try {
                const page = await get('/admin/v1/transactions', { bundleId: app, ...question, limit: 100, after });
                if (mine !== run.count) return;
                page.transactions.forEach((transaction, index) => fresh.set(transaction.id, rowOf(transaction, page.records?.[index] || {})));
                after = page.after;
                const complete = !after || fresh.size >= MOST;
                // What happened meanwhile may be in no page, or in one that was read before.
                for (const event of run.heard.values()) take(fresh, event);
                if (complete || fresh.size > rows.current.size) rows.current = fresh;
                if (complete || fresh.size % 1000 < 100) set(({ version }) => ({ version: version + 1, complete, cut: Boolean(after) }));
                if (!complete) continue;
                run.busy = false;
                if (run.again) run.load();
                return;
            } catch (error) {
                if (mine !== run.count) return;
                set(before => ({ ...before, error }));
                run.busy = error.passes;
                if (!error.passes) return;
                await new Promise(done => setTimeout(done, wait));
                wait = Math.min(wait * 2, 5000);
            }
        }
    };
    run.load = load;
    const reload = useCallback(() => {
        if (run.busy) run.again = true;
        else run.load();
    }, []);
    useEffect(() => {
        rows.current = new Map();
        load();
        return () => {
            run.count += 1;
            clearTimeout(run.painting);
            run.painting = undefined;
        };
    }, [asked]);

    useLive(message => {
        if (message.kind === 'hello' || message.kind === 'resync') reload();
        if (message.kind !== 'transactions') return;
        for (const event of message.events) {
            if (event.bundleId !== app) continue;
            const { id } = event.transaction;
            if (run.busy) run.heard.set(id, { ...event, finished: event.type === 'finished' || run.heard.get(id)?.finished });
            take(rows.current, event);
        }
        run.painting ||= setTimeout(() => {
            run.painting = undefined;
            set(before => ({ ...before, version: before.version + 1 }));
        }, 60);
    }, [asked]);
    return { rows: rows.current, ...state, reload };
}

const SORTS = { date: row => row.transactionDate || '9', id: row => row.id, product: productOf, account: row => row.account || '' };

function columnsOf(reload) {
    const column = (key, title, cell, width, className) => ({ key, title, cell, width, className, sorts: key in SORTS });
    const wide = (...of) => ({ ...column(...of), isWide: true });
    return [
        column('id', text.id, row => html`<${Id} of=${shortId(row)} href=${link('transactions', row.id)} /><span class="narrow soft small">${productOf(row)}</span>`, 178),
        wide('product', text.product, row => html`<span title=${productOf(row)}>${productOf(row)}${row.payment.quantity > 1 ? ` × ${row.payment.quantity}` : ''}</span>`),
        wide('account', text.account, row => html`<span title=${row.account}>${row.account}</span>`, 80),
        column('state', text.state, row => html`<${State} of=${stateOf(row)} />`, 116),
        wide('finished', text.finished, row => row.isFinished ? strings.yes : strings.no, 74),
        wide('date', text.date, row => html`<${Time} at=${row.transactionDate} form="compact" />`, 148),
        wide('price', text.price, row => money(row.price), 66, 'number'),
        wide('why', text.why, row => html`<span class="soft" title=${why(row)}>${why(row)}</span>`, 60),
        column('act', html`<span class="hidden">${text.actions}</span>`, row => html`<button class="plain square" aria-label=${strings.table.rowActions(shortId(row))} onClick=${() => rowActions(row, reload)}>⋯</button>`, 44),
    ];
}

// Nothing tells that a transaction was removed, so the list is read again.
const rowActions = (row, reload) => ask(strings.table.rowActions(shortId(row)), close => html`
    <${Actions} of=${actionsOf(row)} done=${answer => { close(); if (answer === true) reload(); }} />
    <div class="row"><button onClick=${() => showJSON(row, strings.jsonOf(shortId(row)))}>${strings.json}</button><button autofocus onClick=${() => close()}>${strings.close}</button></div>`);

function Buy({ app, close }) {
    const act = making(text.buy, form => {
        const said = values(form);
        const body = { account: said.account, productIdentifier: said.product, quantity: Number(said.quantity || 1) };
        return { method: 'POST', path: appURL(app, 'purchases'), body, ...bought };
    });
    return html`<form class="stack"><p class="soft">${text.buySays}</p><div class="fields">
        <${Field} label=${text.account} name="account" required /><${Field} label=${text.product} name="product" required />
        <${Field} label=${text.quantity} name="quantity" type="number" min="1" max="10" value="1" /></div>
        <div class="row"><button type="button" onClick=${() => close()}>${strings.close}</button><${Action} of=${act} done=${() => close()} primary /></div>
    </form>`;
}

export default function Transactions({ route }) {
    const app = chosenApp.use();
    const [typed, setTyped] = useState(route.query.get('filter') || '');
    const [said, setSaid] = useState(typed);
    const [sort, setSort] = useState({ key: 'id', down: true });
    useEffect(() => setTyped(route.query.get('filter') || ''), [route]);
    useEffect(() => {
        const timer = setTimeout(() => { setSaid(typed); setQuery({ filter: typed }); }, 200);
        return () => clearTimeout(timer);
    }, [typed]);
    const filter = useMemo(() => parse(said, TRANSACTION, { values: VALUES }), [said]);
    const { rows, version, complete, cut, error, reload } = useRows(app, filter);
    const shown = useMemo(() => {
        const by = SORTS[sort.key];
        const list = [...rows.values()].filter(filter.matches);
        list.sort((one, other) => { const a = by(one); const b = by(other); return a < b ? -1 : a > b ? 1 : 0; });
        return sort.down ? list.reverse() : list;
    }, [version, said, sort, rows]);
    const columns = useMemo(() => columnsOf(reload), []);
    const clear = { label: text.clear, danger: true, method: 'DELETE', path: appURL(app, 'transactions'), confirm: text.clearConfirm(app) };
    const list = { label: strings.nav.transactions, method: 'GET', path: `/admin/v1/transactions?bundleId=${encodeURIComponent(app)}`, cli: cli(['tx', 'list', filter.words]) };
    return html`<${Head} title=${strings.nav.transactions}>
            <button onClick=${() => ask(text.buy, close => html`<${Buy} app=${app} close=${close} />`)}>${text.buy}…</button><button onClick=${() => showCommands(list)}>${'>_'} ${strings.asCLI}</button><${Action} of=${clear} done=${reload} /></${Head}>
        <div class="stack">
            <${FilterBar} page="transactions" label=${text.filter} hint=${text.hint} value=${typed} onInput=${setTyped} unknown=${filter.unknown} />
            <${Failure} error=${error} retrying />
            ${cut && html`<p class="note">${text.full}</p>`}
            <div class="card flush"><${Windowed} caption=${text.caption} columns=${columns} rows=${shown} complete=${complete} rowKey=${row => row.id}
                open=${row => go('transactions', row.id)} sort=${sort} empty=${said ? strings.table.noMatch : undefined}
                onSort=${key => setSort(before => ({ key, down: before.key === key ? !before.down : key === 'date' || key === 'id' }))} /></div>
        </div>`;
}
