// The services on the bus: how they are, what passes between them, and what their endpoints have done.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, url } from '../lib/api.js';
import { Action, cli } from '../lib/actions.js';
import { Sparkline } from '../lib/sparkline.js';
import { useData, useEvery } from '../lib/data.js';
import { readFaults } from '../lib/faults.js';
import { State, Time, number, rounded, tone, words } from '../lib/format.js';
import { histograms, quantile } from '../lib/metrics.js';
import { rates } from '../lib/rates.js';
import { Plain } from '../lib/table.js';
import { Card, Facts, Head, Loaded } from '../lib/ui.js';

const text = strings.services;
const INTERVAL = 3000;
// While an instance is awaited.
const SOON = 700;
const KEPT = 40;
const GATEWAY = 'gateway';
const ms = value => value === undefined ? '–' : text.ms(number(value < 10 ? Math.round(value * 100) / 100 : Math.round(value)));
const bound = (histogram, share) => { const found = quantile(histogram, share); return found === undefined ? '–' : found === Infinity ? '∞' : text.upTo(ms(found * 1000)); };
const total = service => service.endpoints.reduce((sum, endpoint) => sum + endpoint.requests, 0);
const short = id => id.slice(0, 8);
const perSecond = value => value === undefined ? '–' : text.perSecondShort(rounded(value));

// The instances of each service, the gateway first, and those that are missing.
function grouped({ services, missing }) {
    const groups = new Map([[GATEWAY, []]]);
    for (const one of services) groups.set(one.name, [...groups.get(one.name) || [], one]);
    for (const name of missing) if (!groups.has(name)) groups.set(name, []);
    return [...groups].map(([name, instances]) => ({ name, instances, isMissing: missing.includes(name) }));
}

// The service of an endpoint's name; undefined where several have one of that name.
function owners({ services }) {
    const found = new Map();
    for (const { name, endpoints } of services) for (const endpoint of endpoints) found.set(endpoint.name, (found.get(endpoint.name) ?? name) === name && name);
    return endpoint => found.get(endpoint) || undefined;
}

const drain = (service, others) => ({
    label: text.drain, danger: true, method: 'POST', path: `${url('/admin/v1/services', service.id)}/drain`, body: {}, cli: cli(['bus', 'drain', [service.id]], null),
    confirm: [text.drainConfirm(service.name, short(service.id)), !others && (service.name === GATEWAY ? text.onlyGateway : text.only(service.name))].filter(Boolean).join(' '),
});

// Those that were drained since the page was opened, each with what has become of it.
function useDrained(data) {
    const [drained, set] = useState([]);
    useEffect(() => {
        if (!data) return;
        const now = performance.now();
        const ids = new Set(data.services.map(one => one.id));
        set(before => {
            if (!before.some(one => !one.after)) return before;
            // One that has come is the successor of one, the one that was drained before.
            const taken = new Set(before.map(one => one.after));
            return before.toReversed().map(one => {
                if (one.after) return one;
                const hasEnded = one.hasEnded || !ids.has(one.id);
                const fresh = hasEnded && data.services.find(other => other.name === one.name && !one.known.has(other.id) && !taken.has(other.id));
                if (fresh) taken.add(fresh.id);
                return { ...one, hasEnded, ...fresh && { after: fresh.id, seconds: (now - one.at) / 1000 } };
            }).toReversed();
        });
    }, [data]);
    const add = service => set(before => [{ name: service.name, id: service.id, at: performance.now(), known: new Set(data.services.map(one => one.id)) }, ...before].slice(0, 10));
    return { drained, add, isWaiting: drained.some(one => !one.after && performance.now() - one.at < 60000) };
}

const Drained = ({ of }) => html`<div role="status" aria-label=${text.drained}>${of.length > 0 && html`<ul class="plain list card drained">${of.map(({ name, id, hasEnded, after, seconds }) => html`<li class="row" key=${id}>
    <${State} of=${after ? 'pass' : hasEnded ? 'away' : 'waiting'} says=${after ? words('pass') : hasEnded ? words('away') : text.draining} />
    <span class="grow">${after ? text.isBack(name, short(after), rounded(seconds)) : hasEnded ? text.ended(name, short(id)) : text.drains(name, short(id))}</span></li>`)}</ul>`}</div>`;

function Service({ service, samples, others, drained }) {
    const asked = service.endpoints.filter(endpoint => endpoint.requests > 0).sort((a, b) => b.requests - a.requests);
    const checks = Object.entries(service.checks);
    const values = [...Array(KEPT).fill(0), ...samples.map(one => one.value)].slice(-KEPT);
    return html`<${Card} title=${others ? `${service.name} ${short(service.id)}` : service.name} tools=${html`<${State} of=${service.status} /><${Action} of=${drain(service, others)} done=${() => drained(service)} />`}><div class="stack">
        <${Facts} of=${[[text.instance, html`<code>${service.id}</code>`], [text.version, service.version], [text.since, service.startedAt && html`<${Time} at=${service.startedAt} />`], [text.inFlight, service.inFlight === undefined ? undefined : number(service.inFlight)], [text.checks, checks.map(([name, check]) => `${name}: ${check.status}${check.message ? ` (${check.message})` : ''}`).join(', ')]]} />
        <${Sparkline} values=${values} label=${`${text.perSecond}: ${rounded(values.at(-1))}`} />
        <details><summary>${text.endpoints} (${asked.length})</summary>
            ${asked.length === 0 ? html`<p class="soft">${text.none}</p>` : html`<${Plain} titled caption=${service.name} rows=${asked} rowKey=${one => one.name} columns=${[
                { title: text.endpoint, cell: one => one.name }, { title: text.requests, className: 'number', cell: one => number(one.requests) }, { title: text.errors, className: 'number', cell: one => number(one.errors) },
                { title: text.average, className: 'number', cell: one => ms(one.averageProcessingMs) }, { title: text.last, className: 'wrap', cell: one => one.lastError || '–' }]} />`}
        </details></div></${Card}>`;
}

const Latencies = ({ title, of, label }) => of.length > 0 && html`<div class="card flush"><${Plain} caption=${title} rows=${of} rowKey=${one => one.name} columns=${[
    { title: label, cell: one => one.name }, { title: text.requests, className: 'number', cell: one => number(one.count) },
    { title: text.average, className: 'number', cell: one => ms(one.sum / one.count * 1000) }, { title: text.p50, className: 'number', cell: one => bound(one, 0.5) }, { title: text.p99, className: 'number', cell: one => bound(one, 0.99) }]} /></div>`;

const ICONS = { good: '✓', warn: '◔', bad: '✕', '': '•' };
const states = (node, draining) => node.instances.length ? node.instances.map(one => draining.has(one.id) ? { state: 'waiting', says: text.draining, id: one.id } : { state: one.status, says: words(one.status), id: one.id })
    : node.isMissing ? [{ state: 'away', says: words('away') }] : [];

const LINE = 19;
const GAP = 10;
const BAR = 18;
const WIDE = 640;

// The map's places, for its width in pixels: one column behind the bus, or the gateway before it where there is room.
function layout(nodes, width) {
    const isWide = width >= WIDE;
    const box = isWide ? Math.min(330, width * 0.34) : width - 76;
    const own = Math.min(box, 260);
    const bus = isWide ? own + (width - own - box) / 2 : BAR / 2;
    let y = 0;
    const places = nodes.map(node => {
        const isBefore = isWide && node.name === GATEWAY;
        const lines = [...node.lines, ...isWide ? [node.times.join(' · ')].filter(Boolean) : node.times].map(line => line.says ? line : { says: line, tone: 'soft' });
        const height = 14 + LINE * (1 + lines.length);
        const place = { ...node, lines, height, isBefore, width: isBefore ? own : box, x: isBefore ? 0 : width - box, y: isBefore ? 0 : y };
        if (!isBefore) y += height + GAP;
        return place;
    });
    const height = Math.max(y - GAP, ...places.map(one => one.height));
    return { bus, height, places: places.map(one => one.isBefore ? { ...one, y: (height - one.height) / 2 } : one) };
}

function ServiceMap({ nodes }) {
    const area = useRef();
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        const watcher = new ResizeObserver(() => setWidth(Math.floor(area.current.clientWidth)));
        watcher.observe(area.current);
        setWidth(Math.floor(area.current.clientWidth));
        return () => watcher.disconnect();
    }, []);
    const { bus, height, places } = layout(nodes, width);
    return html`<div ref=${area}>${width > 0 && html`<svg class=${width < WIDE ? 'map narrow' : 'map'} width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${text.mapSays(nodes.map(one => one.name).join(', '))}>
        <rect class="bus" x=${bus - BAR / 2} y="0" width=${BAR} height=${height} rx="6" /><text class="busName" transform=${`translate(${bus} ${height / 2}) rotate(-90)`} text-anchor="middle" dy="0.36em">${text.bus}</text>
        ${places.map(one => {
            const y = one.y + one.height / 2;
            const [from, to] = one.isBefore ? [one.width, bus - BAR / 2] : [bus + BAR / 2, one.x];
            const middle = (from + to) / 2;
            // Above the line what comes from the left, below it what comes from the right.
            const [right, left] = one.isBefore ? [one.toBus, one.fromBus] : [one.fromBus, one.toBus];
            return html`<g key=${one.name}>
                <path class="edge" d=${`M${from} ${y}H${to}`} />
                ${one.hasTraffic && html`<text class="rate" x=${middle} y=${y - 5} text-anchor="middle">${perSecond(right)} →</text><text class="rate" x=${middle} y=${y + 15} text-anchor="middle">← ${perSecond(left)}</text>`}
                <rect class="node" x=${one.x + 0.5} y=${one.y + 0.5} width=${one.width - 1} height=${one.height - 1} rx="8" />
                <text class="name" x=${one.x + 8} y=${one.y + 21}>${one.name}${one.instances.length > 1 ? ` × ${one.instances.length}` : ''}</text>
                ${one.lines.map((line, index) => html`<text class=${line.tone} x=${one.x + 8} y=${one.y + 21 + LINE * (index + 1)}>${line.says}</text>`)}
            </g>`;
        })}
    </svg>`}</div>`;
}

// Messages a second of each connection's name, summed over its connections.
function useTraffic() {
    const flow = useRef(rates(1)).current;
    const found = useData(async () => {
        const { connections } = await get('/admin/v1/bus/connections', { state: 'open', limit: 1024 });
        flow.take(connections.flatMap(one => [[`in ${one.cid}`, one.messagesIn], [`out ${one.cid}`, one.messagesOut]]));
        const sums = new Map();
        for (const { name, cid } of connections) {
            const { toBus, fromBus } = sums.get(name) || {};
            const plus = (sum, value) => value === undefined ? sum : (sum || 0) + value;
            sums.set(name, { toBus: plus(toBus, flow.last(`in ${cid}`)), fromBus: plus(fromBus, flow.last(`out ${cid}`)) });
        }
        return sums;
    }, []);
    return found;
}

function MapCard({ data, traffic, draining, latency }) {
    const nodes = grouped(data).map(node => {
        const quantiles = latency(node.name);
        const seen = states(node, draining);
        const lines = seen.map(one => ({ tone: tone(one.state), says: [`${ICONS[tone(one.state)]} ${one.says}`, one.id && short(one.id)].filter(Boolean).join(' ') }));
        const times = quantiles ? [`${text.p50} ${bound(quantiles, 0.5)}`, `${text.p99} ${bound(quantiles, 0.99)}`] : [];
        return { ...node, ...traffic.error ? {} : traffic.data?.get(node.name), hasTraffic: Boolean(traffic.data) && !traffic.error, quantiles, seen, lines, times };
    });
    return html`<${Card} title=${text.map}><div class="stack">
        <${ServiceMap} nodes=${nodes} />
        <p class="soft small">${text.quantiles}${traffic.error && html` ${text.noTraffic} ${traffic.error.message}${traffic.error.remedy && ` ${traffic.error.remedy}`}`}</p>
        <details><summary>${text.inWords}</summary><${Plain} titled caption=${text.inWords} rows=${nodes} rowKey=${one => one.name} columns=${[
            { title: text.service, cell: one => one.name }, { title: text.instances, className: 'number', cell: one => number(one.instances.length) }, { title: text.states, cell: one => one.seen.map(state => html`<${State} of=${state.state} says=${state.says} /> `) },
            { title: text.p50, className: 'number', cell: one => one.quantiles ? bound(one.quantiles, 0.5) : '–' }, { title: text.p99, className: 'number', cell: one => one.quantiles ? bound(one.quantiles, 0.99) : '–' },
            { title: text.toBus, className: 'number', cell: one => perSecond(one.toBus) }, { title: text.fromBus, className: 'number', cell: one => perSecond(one.fromBus) }]} /></details>
    </div></${Card}>`;
}

export default function Services() {
    const flow = useRef(rates(KEPT)).current;
    const services = useData(async () => {
        const answer = await get('/admin/v1/services');
        flow.take(answer.services.map(one => [one.id, total(one)]));
        return answer;
    }, []);
    const metrics = useData(() => get('/metrics', {}, { as: 'text' }), []);
    const traffic = useTraffic();
    const { drained, add, isWaiting } = useDrained(services.data);
    useEvery(isWaiting ? SOON : INTERVAL, services);
    // For the banner: what services show may be faults that were put in force.
    useEvery(INTERVAL, metrics, traffic, useData(readFaults, []));
    const of = (metric, labels, group) => metrics.data ? histograms(metrics.data, metric, labels, group) : [];
    const http = of('storebus_http_request_duration_seconds', ['method', 'route']);
    const calls = of('storebus_call_duration_seconds', ['endpoint']);
    const byService = services.data ? of('storebus_call_duration_seconds', ['endpoint'], owners(services.data)) : [];
    const latency = name => name === GATEWAY ? of('storebus_http_request_duration_seconds', [])[0] : byService.find(one => one.name === name);
    const draining = new Set(drained.filter(one => !one.hasEnded).map(one => one.id));
    return html`<${Head} title=${strings.nav.services} says=${text.says} />
        <${Loaded} of=${services}>${data => html`<div class="stack">
            <div><p class="row">${text.bus} <${State} of=${data.bus === 'connected' ? 'pass' : 'fail'} says=${data.bus} />${data.missing.map(name => html`<${State} of="away" says=${`${text.missing}: ${name}`} key=${name} />`)}</p><${Drained} of=${drained} /></div>
            <${MapCard} data=${data} traffic=${traffic} draining=${draining} latency=${latency} />
            <div class="cards">${data.services.map(service => html`<${Service} service=${service} samples=${flow.samples(service.id)} others=${data.services.filter(one => one.name === service.name).length - 1} drained=${add} key=${service.id} />`)}</div>
            <${Latencies} title=${text.http} of=${http} label=${text.route} />
            <${Latencies} title=${text.calls} of=${calls} label=${text.endpoint} />
        </div>`}</${Loaded}>`;
}
