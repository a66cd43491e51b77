// Is all well, what waits, and what just happened.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';
import { appURL, get } from '../lib/api.js';
import { Sparkline } from '../lib/charts.js';
import { storeNow } from '../lib/clock.js';
import { transactionEvents, useData } from '../lib/data.js';
import { State, Time, dateTime } from '../lib/format.js';
import { recentEvents, useLive } from '../lib/live.js';
import { link } from '../lib/router.js';
import { Card, Failure, Head, Tile, chosenApp, clock, waiting } from '../lib/ui.js';

const text = strings.overview;

function useFeed(app) {
    const ofApp = () => recentEvents().filter(event => event.bundleId === app);
    const [paused, setPaused] = useState(false);
    const [missed, setMissed] = useState(0);
    const [feed, set] = useState(ofApp);
    const [perMinute, setRate] = useState(() => Array(60).fill(0));
    useLive(message => {
        if (!message.events) return;
        if (!paused) set(ofApp());
        if (message.kind === 'kept') return;
        const count = message.events.filter(event => event.bundleId === app).length;
        if (paused) setMissed(before => before + count);
        setRate(rate => [...rate.slice(0, -1), rate.at(-1) + count]);
    }, [app, paused]);
    useEffect(() => {
        const timer = setInterval(() => setRate(rate => [...rate.slice(1), 0]), 1000);
        return () => clearInterval(timer);
    }, []);
    return {
        feed, paused, perMinute, missed,
        toggle: () => {
            if (paused) set(ofApp());
            setMissed(0);
            setPaused(!paused);
        },
    };
}

function FeedLine({ event }) {
    const { transaction, intent } = event;
    const at = transaction?.transactionDate;
    const product = (transaction || intent)?.payment.productIdentifier;
    const target = transaction ? link('transactions', transaction.id) : link('store');
    return html`<li>
        <span class="soft wide"><${Time} at=${at} form="short" /></span>
        <span class="break"><a href=${target}>${product}</a> <span class="soft">${event.account}</span></span>
        <${State} of=${event.type} />
    </li>`;
}

function Feed({ app }) {
    const { feed, paused, perMinute, missed, toggle } = useFeed(app);
    const tools = html`<button onClick=${toggle} aria-pressed=${paused}>${!paused ? text.pause : missed ? text.goOn(missed) : text.resume}</button>`;
    return html`<${Card} title=${text.feed} tools=${tools}>
        <${Sparkline} values=${perMinute} label=${`${text.rate}: ${perMinute.reduce((sum, one) => sum + one, 0)}`} />
        ${feed.length === 0 ? html`<p class="empty">${text.quiet}</p>`
            : html`<ol class="plain feed" tabindex="0" aria-label=${text.feed} onFocusIn=${() => { if (!paused) toggle(); }}>
                ${feed.map(event => html`<${FeedLine} event=${event} key=${event.id} />`)}
            </ol>`}
    </${Card}>`;
}

// The first commands, about a product that the app has.
function Steps({ app }) {
    const steps = useData(async () => {
        const [{ cli }, { products: [product] }] = await Promise.all([import('../lib/actions.js'), get(appURL(app, 'products'), { limit: 1 })]);
        return text.steps(product?.productIdentifier).map(([says, words]) => [says, cli(words, app)]);
    }, [app]);
    return html`<${Failure} error=${steps.error} retrying />
        <ol class="plain steps">${steps.data?.map(([says, command]) => html`<li key=${says}>${says}<pre>${command}</pre></li>`)}</ol>`;
}

export default function Overview() {
    const app = chosenApp.use();
    const shown = clock.use();
    const services = useData(() => get('/admin/v1/services'), []);
    const inbox = waiting.use();
    const open = useData(() => get('/admin/v1/transactions', { bundleId: app, finished: false, limit: 100 }), [app], transactionEvents);
    const any = useData(() => get('/admin/v1/transactions', { bundleId: app, limit: 1 }), [app], transactionEvents);
    useEffect(() => {
        const timer = setInterval(services.reload, 5000);
        return () => clearInterval(timer);
    }, []);
    const list = services.data?.services || [];
    const ill = list.filter(one => one.status !== 'pass');
    const missing = services.data?.missing || [];
    const well = !services.error && services.data && !ill.length && !missing.length;
    const now = storeNow(shown);
    const count = (data, name) => data ? data.after ? text.orMore(data[name].length) : String(data[name].length) : '–';
    return html`<${Head} title=${strings.nav.overview} />
        <div class="tiles">
            <${Tile} name=${text.services} href=${link('services')} says=${well ? text.allWell : missing.length ? text.missing(missing.join(', ')) : ill.map(one => `${one.name}: ${one.status}`).join(', ') || services.error?.message}>
                <div class="big">${services.data ? list.length : '–'}</div><//>
            <${Tile} name=${text.inbox} href=${link('inbox')}><div class="big">${inbox === undefined ? '–' : inbox < 100 ? inbox : text.orMore(inbox)}</div><//>
            <${Tile} name=${text.unfinished} href=${`${link('transactions')}?filter=finished%3Dno`}><div class="big">${count(open.data, 'transactions')}</div><//>
            <${Tile} name=${text.clock} href=${link('time')} says=${shown && html`${text.next}: ${shown.nextEvent ? html`<${Time} at=${shown.nextEvent} />` : text.nothingDue}`}>
                <div class="big">${now ? dateTime(now, 'date') : '–'}</div><//>
        </div>
        <${Failure} error=${open.error} retrying />
        <div class="columns">
            <${Feed} app=${app} />
            <div class="stack">
                ${any.data?.transactions.length === 0 && html`<${Card} title=${text.first}>
                    <${Steps} app=${app} />
                    <p class="soft"><a href=${link('store')}>${text.storeSteps}</a></p>
                </${Card}>`}
                <${Card} title=${text.services}>
                    <${Failure} error=${services.error} retrying />
                    <ul class="plain list">${list.map(one => html`<li class="row" key=${one.id}><span class="grow">${one.name}</span><${State} of=${one.status} /></li>`)}
                    ${missing.map(name => html`<li class="row"><span class="grow">${name}</span><${State} of="away" /></li>`)}</ul>
                </${Card}>
            </div>
        </div>`;
}
