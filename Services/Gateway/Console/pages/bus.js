// The bus: its broker, what passes, on which subjects, and who is connected.
import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, path } from '../lib/api.js';
import { More, cli } from '../lib/actions.js';
import { RateChart } from '../lib/charts.js';
import { useData, useEvery } from '../lib/data.js';
import { Time, bytes, elapsed, number, rounded, words } from '../lib/format.js';
import { rates } from '../lib/rates.js';
import { setQuery } from '../lib/router.js';
import { Windowed } from '../lib/table.js';
import { Tap } from '../lib/tap.js';
import { Card, Facts, Head, Loaded } from '../lib/ui.js';

const text = strings.bus;
const INTERVAL = 2000;
const SPAN = 120000;
const MOST = 1024;
const wholeSize = count => Math.max(1024, 2 ** Math.ceil(Math.log2(count)));
const rate = value => value === undefined ? '–' : text.perSecond(rounded(value));

const Tile = ({ name, says, children }) => html`<div class="tile"><div class="soft small">${name}</div><div class="big">${children}</div><div class="soft small">${says}</div></div>`;

function Broker({ of, flow, pending }) {
    const shown = count => count ? number(count) : undefined;
    const facts = [
        [text.since, html`<${Time} at=${of.startedAt} />`], [text.uptime, elapsed(of.uptimeSeconds)], [text.version, of.version], [text.server, html`<code>${of.serverId}</code>`],
        [text.allIn, text.total(number(of.messagesIn), bytes(of.bytesIn))], [text.allOut, text.total(number(of.messagesOut), bytes(of.bytesOut))],
        [text.cpu, text.percent(rounded(of.cpuPercent))], [text.memory, bytes(of.memoryBytes)], [text.lag, text.milliseconds(rounded(of.loopLagMicroseconds / 1000))], [text.faultInjection, of.hasFaultInjection ? text.possible : text.off],
        [text.noResponders, shown(of.noResponders)], [text.noInterest, shown(of.noInterest)], [text.noEligible, shown(of.noEligible)], [text.dropped, shown(of.dropped)], [text.stale, shown(of.staleConnections)],
        [text.replaced, shown(of.replaced)], [text.denied, shown(of.permissionsDenied)], [text.authFailures, shown(of.authFailures)],
    ];
    const own = { label: strings.nav.bus, method: 'GET', path: '/admin/v1/bus', cli: cli(['bus', 'top'], null) };
    return html`${of.isDraining && html`<p class="note">${text.draining}</p>`}
        <div class="tiles">
            <${Tile} name=${text.in} says=${text.inSays}>${rate(flow.last('in'))}<//>
            <${Tile} name=${text.out} says=${text.outSays}>${rate(flow.last('out'))}<//>
            <${Tile} name=${text.pending} says=${text.pendingSays}>${bytes(of.pendingBytes)}<//>
            <${Tile} name=${text.connections} says=${text.everConnected(number(of.totalConnections))}>${number(of.connections)}<//>
            <${Tile} name=${text.subscriptions}>${number(of.subscriptions)}<//>
            <${Tile} name=${text.slow} says=${text.slowSays}>${number(of.slowConsumers)}<//>
        </div>
        <div class="columns">
            <${Card} title=${text.rates}><div class="stack">
                <${RateChart} title=${text.messages} span=${SPAN} say=${rounded} from=${text.ago} to=${text.now} series=${[{ name: text.in, samples: flow.samples('in') }, { name: text.out, samples: flow.samples('out') }]} />
                <${RateChart} title=${text.pendingBytes} span=${SPAN} say=${bytes} round=${wholeSize} from=${text.ago} to=${text.now} series=${[{ name: text.pending, samples: pending }]} />
            </div></${Card}>
            <${Card} title=${text.facts} tools=${html`<${More} of=${own} />`}><${Facts} of=${facts} /></${Card}>
        </div>`;
}

function Messages({ route }) {
    const ofRoute = () => ({ subject: route.query.get('subject') || '', text: route.query.get('text') || '' });
    const [typed, setTyped] = useState(ofRoute);
    const [said, setSaid] = useState(typed);
    useEffect(() => {
        setTyped(ofRoute());
        setSaid(ofRoute());
    }, [route]);
    useEffect(() => setQuery(said), [said]);
    const field = (name, label, more) => html`<label class="grow">${label}<input name=${name} value=${typed[name]} spellcheck="false" autocomplete="off"
        onInput=${event => setTyped(before => ({ ...before, [name]: event.target.value }))} onChange=${() => setSaid({ subject: typed.subject.trim(), text: typed.text.trim() })} ...${more} /></label>`;
    return html`<${Card} title=${text.messagesTitle}><${Tap} subject=${said.subject} word=${said.text}>
        ${field('subject', text.pattern, { placeholder: '>', title: text.patternHint })}${field('text', text.holds, { 'data-filter': true })}
    <//></${Card}>`;
}

const SUBJECTS = { subject: one => one.subject, queue: one => one.queue || '', subscribers: one => one.subscribers, rate: one => one.rate ?? -1, messages: one => one.messages };
const TEXTS = new Set(['subject', 'queue']);
const subjectKey = one => `${one.subject} ${one.queue || ''}`;

// The page says once that the bus is away.
const once = (found, isAway) => isAway ? { ...found, error: undefined } : found;

function Subjects({ isAway }) {
    const flow = useRef(rates(1)).current;
    const found = useData(async () => {
        const { subjects } = await get('/admin/v1/bus/subjects');
        flow.take(subjects.map(one => [subjectKey(one), one.messages]));
        return subjects.map(one => ({ ...one, rate: flow.last(subjectKey(one)) }));
    }, []);
    useEvery(INTERVAL, found);
    const [filter, setFilter] = useState('');
    const [sort, setSort] = useState({ key: 'messages', down: true });
    const shown = useMemo(() => {
        const by = SUBJECTS[sort.key];
        const low = filter.trim().toLowerCase();
        const list = (found.data || []).filter(one => subjectKey(one).toLowerCase().includes(low));
        return list.sort((one, other) => { const a = by(one); const b = by(other); return (a < b ? -1 : a > b ? 1 : 0) * (sort.down ? -1 : 1) || (one.subject < other.subject ? -1 : 1); });
    }, [found.data, filter, sort]);
    const column = (key, title, cell, width, className) => ({ key, title, cell, width, className, sorts: true });
    const list = { label: text.subjects, method: 'GET', path: '/admin/v1/bus/subjects', cli: cli(['bus', 'top'], null) };
    return html`<${Card} title=${text.subjects} flush tools=${html`<${More} of=${list} />`}>
        <div class="filter pad"><label for="subjects-filter">${text.subjectsFilter}</label><input id="subjects-filter" type="search" value=${filter} spellcheck="false" autocomplete="off" onInput=${event => setFilter(event.target.value)} />
            <span class="soft small">${text.subjectsSay}</span></div>
        <${Loaded} of=${once(found, isAway)}>${() => html`<${Windowed} caption=${text.subjects} least=${780} rows=${shown} rowKey=${subjectKey} empty=${filter ? strings.table.noMatch : undefined}
            sort=${sort} onSort=${key => setSort(before => ({ key, down: before.key === key ? !before.down : !TEXTS.has(key) }))} columns=${[
                column('subject', text.subject, one => html`<code title=${one.subject}>${one.subject}</code>`), column('queue', text.queue, one => one.queue || html`<span class="soft">–</span>`, 170),
                column('subscribers', text.subscribers, one => number(one.subscribers), 110, 'number'), column('rate', text.rate, one => rate(one.rate), 110, 'number'), column('messages', text.delivered, one => number(one.messages), 130, 'number')]} />`}</${Loaded}>
    </${Card}>`;
}

// Which way the API sorts by each; turned round here, where the whole list is.
const DOWN = { cid: false, start: false, stop: false, reason: false, subs: true, pending: true, msgs_from: true, msgs_to: true, idle: true };
const FIRST = { open: { key: 'cid', down: false }, closed: { key: 'stop', down: true } };
const why = reason => text.reasons[reason] || words(reason);

function Connections({ isAway }) {
    const [state, setState] = useState('open');
    const [sort, setSort] = useState(FIRST.open);
    const query = { state, sort: sort.key, limit: MOST };
    const found = useData(() => get('/admin/v1/bus/connections', query), [state]);
    useEvery(state === 'open' ? INTERVAL : 5 * INTERVAL, found);
    // Another state is another request already.
    const sorted = useRef(state);
    useEffect(() => {
        if (sorted.current === state && found.data) found.reload();
        sorted.current = state;
    }, [sort.key, state]);
    const rows = useMemo(() => {
        const list = found.data?.connections || [];
        return sort.down === DOWN[sort.key] ? list : list.toReversed();
    }, [found.data, sort]);
    // By the broker's clock: the connection that asks has just been active.
    const latest = Math.max(...rows.map(one => Date.parse(one.lastActivityAt)));
    const choose = one => {
        setState(one);
        setSort(FIRST[one]);
    };
    const column = (key, title, cell, width, className) => ({ key, title, cell, width, className, sorts: key in DOWN });
    const columns = [
        column('cid', text.number, one => one.cid, 60, 'number'), column('name', text.name, one => html`<span title=${[one.name, one.instance && text.instance(one.instance), one.address].filter(Boolean).join(' · ')}>${one.name || text.unnamed}</span>`),
        ...state === 'open' ? [column('subs', text.subs, one => number(one.subscriptions), 110, 'number')] : [],
        column('msgs_from', text.toBus, one => number(one.messagesIn), 90, 'number'), column('msgs_to', text.fromBus, one => number(one.messagesOut), 110, 'number'),
        column('pending', text.pending, one => bytes(one.pendingBytes), 90, 'number'), column('start', text.start, one => html`<${Time} at=${one.startedAt} form="brief" />`, 200),
        ...state === 'open' ? [column('idle', text.idle, one => elapsed((latest - Date.parse(one.lastActivityAt)) / 1000), 120)]
            : [column('stop', text.stop, one => html`<${Time} at=${one.stoppedAt} form="brief" />`, 200), column('reason', text.reason, one => html`<span title=${one.reason}>${why(one.reason)}</span>`, 260)],
    ];
    const list = { label: text.connections, method: 'GET', path: path('/admin/v1/bus/connections', query), cli: cli(['bus', 'connections', '--state', state, '--sort', sort.key], null) };
    return html`<${Card} title=${text.connections} flush tools=${html`<div class="tabs" role="group" aria-label=${text.connections}>${Object.keys(FIRST).map(one => html`<button aria-pressed=${state === one} onClick=${() => choose(one)}>${text.states[one]}</button>`)}</div><${More} of=${list} />`}>
        <${Loaded} of=${once(found, isAway)}>${data => html`<${Windowed} caption=${text.states[state]} least=${state === 'open' ? 900 : 1080} columns=${columns} rows=${rows} rowKey=${one => one.cid} sort=${sort} key=${state}
                onSort=${key => setSort(before => ({ key, down: before.key === key ? !before.down : DOWN[key] }))} />
            ${data.total > rows.length && html`<p class="empty">${text.cutOff(number(rows.length), number(data.total))}</p>`}`}</${Loaded}>
    </${Card}>`;
}

export default function Bus({ route }) {
    const flow = useRef(rates()).current;
    const pending = useRef([]).current;
    const broker = useData(async () => {
        const answer = await get('/admin/v1/bus');
        flow.take([['in', answer.messagesIn], ['out', answer.messagesOut]]);
        pending.push({ at: performance.now(), value: answer.pendingBytes });
        pending.splice(0, pending.length - SPAN / INTERVAL - 1);
        return answer;
    }, []);
    useEvery(INTERVAL, broker);
    return html`<${Head} title=${strings.nav.bus} says=${text.says} />
        <${Loaded} of=${broker}>${data => html`<div class="stack">
            <${Broker} of=${data} flow=${flow} pending=${pending} />
            <${Messages} route=${route} />
            <${Subjects} isAway=${Boolean(broker.error)} />
            <${Connections} isAway=${Boolean(broker.error)} />
        </div>`}</${Loaded}>`;
}
