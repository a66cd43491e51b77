// Faults that are put in force and taken back, what others are for a command line, and the runs that break the store by a seed.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, path } from '../lib/api.js';
import { Action, cli } from '../lib/actions.js';
import { useData, useEvery } from '../lib/data.js';
import { heal } from '../lib/faults-banner.js';
import { faults, readFaults, tookFaults } from '../lib/faults.js';
import { State, Time, number, words } from '../lib/format.js';
import { link } from '../lib/router.js';
import { isGoing, recovery, stateOf } from '../lib/runs.js';
import { Plain } from '../lib/table.js';
import { Card, Choice, Code, Facts, Head, Loaded } from '../lib/ui.js';

const text = strings.chaos;
const SERVICES = ['broker', 'catalog', 'payment-queue', 'payment-processor', 'promotion-controller', 'eligibility', 'app-store-server', 'gateway'];
const FAULTS = ['drop', 'duplicate', 'delay', 'reorder', 'corrupt', 'partition'];
// Signals, which only the machine of the processes can send.
const SIGNALS = ['kill', 'pause', 'restart'];
const PRESETS = [['slow', 'delay', 'broker'], ['lossy', 'drop', 'broker'], ['twice', 'duplicate', 'broker'], ['queue', 'partition', 'payment-queue'], ['processor', 'partition', 'payment-processor']];
const INTERVAL = 2000;
const byHand = (fault, service) => cli(['chaos', 'fault', 'add', fault, service], null);

const put = (fault, service, label) => ({
    label: label || strings.faults.at(fault, service), method: 'POST', path: '/admin/v1/faults', body: { fault, service }, cli: byHand(fault, service), said: () => text.began(strings.faults.at(fault, service)),
});

function toggle(fault, service, now) {
    const label = strings.faults.at(fault, service);
    const shown = html`<span class="hidden">${label}: </span>${now ? text.struckOf(number(now.struck), number(now.matched)) : text.off}`;
    const action = now ? { label, method: 'DELETE', path: path('/admin/v1/faults', { fault, service }), cli: cli(['chaos', 'fault', 'clear', fault, service], null), said: () => text.ended(label) } : put(fault, service);
    return { ...action, shown, pressed: Boolean(now) };
}

// Arrows go from one button of the table to the next, over those that show commands.
function walk(event) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] || [];
    const cell = event.target.closest('td');
    if (down === undefined || !cell || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = event.currentTarget.rows[cell.parentNode.rowIndex + down]?.cells[cell.cellIndex + right]?.querySelector('[aria-pressed]');
    event.preventDefault();
    next?.focus();
}

const Matrix = ({ of }) => html`<div class="over">${text.matrixSays}</div><div class="scroll" tabindex="0" role="group" aria-label=${text.matrix}><table class="matrix" aria-label=${text.matrix} onKeyDown=${walk}>
    <thead><tr><th scope="col">${text.service}</th>${FAULTS.map(fault => html`<th scope="col" key=${fault}>${fault}</th>`)}</tr></thead>
    <tbody>${SERVICES.map(service => html`<tr key=${service}><th scope="row">${service}${service === 'broker' && html`<div class="soft small">${text.everyService}</div>`}</th>
        ${FAULTS.map(fault => html`<td key=${fault}><${Action} of=${toggle(fault, service, of.find(one => one.fault === fault && one.service === service))} done=${tookFaults} /></td>`)}</tr>`)}</tbody>
</table></div>`;

const Rules = ({ of }) => html`<div class="card flush"><${Plain} caption=${of.length ? text.rules : text.noRules} rows=${of} columns=${[
    { title: text.action, cell: rule => rule.action }, { title: text.subject, className: 'wrap', cell: rule => html`<code>${rule.match}</code>` }, { title: text.from, cell: rule => rule.from || strings.all }, { title: text.to, cell: rule => rule.to || strings.all },
    { title: text.share, className: 'number', cell: rule => rule.p }, { title: text.length, className: 'number', cell: rule => rule.ms === undefined ? '–' : strings.services.ms(rule.ms) },
    { title: text.matched, className: 'number', cell: rule => number(rule.matched) }, { title: text.struck, className: 'number', cell: rule => number(rule.struck) }]} /></div>`;

function InForce({ state }) {
    if (!state.isEnabled) return html`<${Card} title=${text.matrix}><div class="stack"><p class="note">${text.isOff}</p><${Code} text="STOREBUS_CHAOS=1 storebus up" label=${strings.copyCLI} /></div></${Card}>`;
    return html`<${Card} title=${text.matrix} flush><${Matrix} of=${state.faults} /></${Card}>
        <div class="columns">
            <${Card} title=${text.presets}><ul class="plain list presets">${PRESETS.map(([name, fault, service]) => html`<li class="row" key=${name}><span class="grow">${text.presetSays[name]}</span><${Action} of=${put(fault, service, text.preset[name])} done=${tookFaults} /></li>`)}</ul></${Card}>
            <${Card} title=${text.counts}><${Facts} of=${[[text.seed, state.seed], ...Object.entries(state.struck).map(([name, count]) => [words(name), number(count)])]} /></${Card}>
        </div>
        <${Rules} of=${state.rules} />`;
}

function Signals() {
    const [fault, setFault] = useState(SIGNALS[0]);
    const [service, setService] = useState('payment-queue');
    return html`<${Card} title=${text.processes}><div class="stack"><p class="soft">${text.processesSay}</p>
        <div class="row end"><${Choice} label=${text.fault} value=${fault} options=${SIGNALS} onChange=${setFault} /><${Choice} label=${text.service} value=${service} options=${SERVICES} onChange=${setService} /></div>
        <${Code} text=${byHand(fault, service)} label=${strings.copyCLI} /></div></${Card}>`;
}

const Runs = ({ of }) => html`<${Card} title=${text.runs}><div class="stack"><p class="soft">${text.runsSay}</p>
    <${Loaded} of=${of}>${({ runs }) => runs.length === 0 ? html`<${Code} text=${cli(['chaos', 'run', '--data', '.storebus'], null)} label=${strings.copyCLI} />` : html`<${Plain} titled caption=${text.runs} rows=${runs} rowKey=${run => run.id} columns=${[
        { title: text.run, cell: run => html`<a class="mono" href=${link('chaos', run.id)}>${run.id}</a>` }, { title: text.state, cell: run => html`<${State} ...${stateOf(run)} />` }, { title: text.seed, className: 'number', cell: run => run.seed },
        { title: text.began_, cell: run => html`<${Time} at=${run.startedAt} form="brief" />` }, { title: strings.run.operations, className: 'number', cell: run => number(run.operations) }, { title: strings.run.faults, className: 'number', cell: run => number(run.faultCount) },
        { title: strings.run.lost, className: 'number', cell: run => run.lost ?? '–' }, { title: strings.run.doubleCharges, className: 'number', cell: run => run.doubleCharges ?? '–' }, { title: strings.run.recovery, className: 'number', cell: recovery }]} />`}</${Loaded}></div></${Card}>`;

export default function Chaos() {
    const found = useData(readFaults, []);
    const runs = useData(() => get('/admin/v1/chaos/runs'), []);
    useEvery(INTERVAL, found);
    useEvery(runs.data?.runs.some(isGoing) ? INTERVAL : 3 * INTERVAL, runs);
    const now = faults.use();
    return html`<${Head} title=${strings.nav.chaos} says=${text.says}><${Action} of=${heal} done=${tookFaults} /></${Head}>
        <div class="stack">
            <${Loaded} of=${{ data: now, error: found.error }}>${state => html`<${InForce} state=${state} />`}</${Loaded}>
            <${Signals} />
            <${Runs} of=${runs} />
        </div>`;
}
