// Where the time of requests went: the newest ones, or one as a waterfall.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get } from '../lib/api.js';
import { More, cli } from '../lib/actions.js';
import { useData, useEvery } from '../lib/data.js';
import { State, Time, number } from '../lib/format.js';
import { link } from '../lib/router.js';
import { Plain } from '../lib/table.js';
import { Card, Head, Id, Loaded } from '../lib/ui.js';

const text = strings.traces;
const PATH = '/admin/v1/traces';
const ms = micros => text.ms(number(Math.round(micros / 10) / 100));
const at = span => new Date(span.startedAtMicros / 1000).toISOString();
const endOf = span => span.startedAtMicros + span.durationMicros;

// The spans below their parents, each with its depth. One whose parent is not there is at the beginning of a line.
function below(spans) {
    const known = new Set(spans.map(span => span.spanId));
    const rows = [];
    const add = (parent, depth) => {
        for (const span of spans.filter(one => (known.has(one.parentSpanId) ? one.parentSpanId : undefined) === parent)) {
            if (rows.length >= spans.length) return;
            rows.push({ span, depth });
            add(span.spanId, depth + 1);
        }
    };
    add(undefined, 0);
    return rows;
}

function Course({ span, from, whole }) {
    const start = (span.startedAtMicros - from) / whole * 100;
    const width = Math.max(0.5, span.durationMicros / whole * 100);
    return html`<svg class=${span.error ? 'course bad' : 'course'} viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${text.course(ms(span.startedAtMicros - from), ms(span.durationMicros))}><rect x=${Math.min(start, 99.5).toFixed(2)} y="2" width=${width.toFixed(2)} height="6" /></svg>`;
}

function Waterfall({ trace: { traceId, spans } }) {
    const rows = below(spans);
    const from = Math.min(...spans.map(span => span.startedAtMicros));
    const whole = Math.max(1, Math.max(...spans.map(endOf)) - from);
    return html`<div class="stack"><p><${Id} of=${traceId} /> <${Time} at=${at(spans[0])} /> · ${ms(whole)}</p>
        <div class="card flush"><${Plain} caption=${text.caption} rows=${rows} rowKey=${row => row.span.spanId} columns=${[
            { title: text.span, cell: ({ span, depth }) => html`<span class="mono">${'\u2003'.repeat(depth)}${span.name}</span>` },
            { title: text.service, cell: ({ span }) => span.service },
            { title: text.took, className: 'number', cell: ({ span }) => ms(span.durationMicros) },
            { title: text.error, cell: ({ span }) => span.error ? html`<${State} of="fail" says=${span.error} />` : '–' },
            { title: text.when, cell: ({ span }) => html`<${Course} span=${span} from=${from} whole=${whole} />` }]} /></div></div>`;
}

const Newest = ({ traces }) => html`<div class="card flush"><${Plain} caption=${text.newest} rows=${traces} rowKey=${one => one.traceId} columns=${[
    { title: text.began, cell: one => html`<${Time} at=${at(one.spans[0])} />` },
    { title: text.request, cell: one => html`<a class="mono" href=${link('traces', one.traceId)}>${one.spans[0].name}</a>` },
    { title: text.service, cell: one => one.spans[0].service },
    { title: text.took, className: 'number', cell: one => ms(one.spans[0].durationMicros) },
    { title: text.spans, className: 'number', cell: one => number(one.spans.length) },
    { title: text.error, cell: one => one.spans[0].error || '–' }]} /></div>`;

export default function Traces({ route }) {
    const id = route.parts[1];
    const found = useData(() => get(PATH, id ? { of: id, limit: 1 } : { limit: 50 }), [id]);
    useEvery(id ? undefined : 5000, found);
    const shown = { label: strings.nav.traces, method: 'GET', path: id ? `${PATH}?of=${encodeURIComponent(id)}&limit=1` : `${PATH}?limit=50`, cli: cli(['trace', ...id ? [[id]] : []], null) };
    return html`<${Head} title=${id ? text.title(id) : strings.nav.traces} says=${text.says}><${More} of=${shown} />${id && html`<a class="button" href=${link('traces')}>${text.back}</a>`}</${Head}>
        <${Loaded} of=${found}>${({ traces }) => {
            const kept = traces.filter(one => one.spans.length > 0);
            if (kept.length === 0) return html`<${Card}><p class="empty">${id ? text.missing : text.none}</p></${Card}>`;
            return id ? html`<${Waterfall} trace=${kept[0]} />` : html`<${Newest} traces=${kept} />`;
        }}</${Loaded}>`;
}
