// The services on the bus: how they are, and what their endpoints have done.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get } from '../lib/api.js';
import { Sparkline } from '../lib/charts.js';
import { useData, useEvery } from '../lib/data.js';
import { readFaults } from '../lib/faults.js';
import { State, Time, number } from '../lib/format.js';
import { histograms, quantile } from '../lib/metrics.js';
import { Plain } from '../lib/table.js';
import { Card, Facts, Head, Loaded } from '../lib/ui.js';

const text = strings.services;
const INTERVAL = 3000;
const ms = value => value === undefined ? '–' : text.ms(number(value < 10 ? Math.round(value * 100) / 100 : Math.round(value)));
const bound = (histogram, share) => { const found = quantile(histogram, share); return found === undefined ? '–' : found === Infinity ? '∞' : text.upTo(ms(found * 1000)); };
const total = service => service.endpoints.reduce((sum, endpoint) => sum + endpoint.requests, 0);

function Service({ service, rates }) {
    const asked = service.endpoints.filter(endpoint => endpoint.requests > 0).sort((a, b) => b.requests - a.requests);
    const checks = Object.entries(service.checks);
    return html`<${Card} title=${service.name} tools=${html`<${State} of=${service.status} />`}><div class="stack">
        <${Facts} of=${[[text.version, service.version], [text.since, service.startedAt && html`<${Time} at=${service.startedAt} />`], [text.checks, checks.map(([name, check]) => `${name}: ${check.status}${check.message ? ` (${check.message})` : ''}`).join(', ')]]} />
        <${Sparkline} values=${rates} label=${`${text.perSecond}: ${number(rates.at(-1) || 0)}`} />
        <details><summary>${text.endpoints} (${asked.length})</summary>
            ${asked.length === 0 ? html`<p class="soft">${text.none}</p>` : html`<${Plain} titled caption=${service.name} rows=${asked} rowKey=${one => one.name} columns=${[
                { title: text.endpoint, cell: one => one.name }, { title: text.requests, className: 'number', cell: one => number(one.requests) }, { title: text.errors, className: 'number', cell: one => number(one.errors) },
                { title: text.average, className: 'number', cell: one => ms(one.averageProcessingMs) }, { title: text.last, className: 'wrap', cell: one => one.lastError || '–' }]} />`}
        </details></div></${Card}>`;
}

const Latencies = ({ title, of, label }) => of.length > 0 && html`<div class="card flush"><${Plain} caption=${title} rows=${of} rowKey=${one => one.name} columns=${[
    { title: label, cell: one => one.name }, { title: text.requests, className: 'number', cell: one => number(one.count) },
    { title: text.average, className: 'number', cell: one => ms(one.sum / one.count * 1000) }, { title: text.p50, className: 'number', cell: one => bound(one, 0.5) }, { title: text.p99, className: 'number', cell: one => bound(one, 0.99) }]} /></div>`;

export default function Services() {
    const seen = useRef(new Map()).current;
    const services = useData(async () => {
        const answer = await get('/admin/v1/services');
        const now = Date.now();
        for (const service of answer.services) {
            const old = seen.get(service.id);
            const count = total(service);
            const rate = old ? Math.max(0, count - old.count) / Math.max(0.5, (now - old.now) / 1000) : 0;
            seen.set(service.id, { count, now, rates: [...old?.rates || Array(40).fill(0), rate].slice(-40) });
        }
        return answer;
    }, []);
    const metrics = useData(() => get('/metrics', {}, { as: 'text' }), []);
    useEffect(() => {
        const timer = setInterval(() => { services.reload(); metrics.reload(); }, INTERVAL);
        return () => clearInterval(timer);
    }, []);
    // For the banner: what services show may be faults that were put in force.
    useEvery(INTERVAL, useData(readFaults, []));
    const http = metrics.data ? histograms(metrics.data, 'storebus_http_request_duration_seconds', ['method', 'route']) : [];
    const calls = metrics.data ? histograms(metrics.data, 'storebus_call_duration_seconds', ['service', 'endpoint']) : [];
    return html`<${Head} title=${strings.nav.services} says=${text.says} />
        <${Loaded} of=${services}>${data => html`<div class="stack">
            <p class="row">${text.bus} <${State} of=${data.bus === 'connected' ? 'pass' : 'fail'} says=${data.bus} />${data.missing.map(name => html`<${State} of="away" says=${`${text.missing}: ${name}`} key=${name} />`)}</p>
            <div class="cards">${data.services.map(service => html`<${Service} service=${service} rates=${seen.get(service.id)?.rates || []} key=${service.id} />`)}</div>
            <${Latencies} title=${text.http} of=${http} label=${text.route} />
            <${Latencies} title=${text.calls} of=${calls} label=${text.endpoint} />
        </div>`}</${Loaded}>`;
}
