// One run of `storebus chaos run`: how the store is doing under it, and what was found.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, url } from '../lib/api.js';
import { useData, useEvery } from '../lib/data.js';
import { State, Time, number } from '../lib/format.js';
import { link } from '../lib/router.js';
import { RunChart, RunKey, SERIES, latency } from '../lib/run-chart.js';
import { isGoing, isOver, milliseconds, processOf, recovery, seconds, stateOf } from '../lib/runs.js';
import { Plain } from '../lib/table.js';
import { Card, Code, Facts, Head, Loaded, Tile } from '../lib/ui.js';

const text = strings.run;
// A gateway that is killed misses reports: one that seems broken off is looked for all the same.
const often = run => !run ? 5000 : isOver(run) ? undefined : isGoing(run) ? 1000 : 5000;
const OUTCOMES = { held: 'pass', broken: 'fail' };

// What the drawing shows, in a sentence.
function said(run) {
    const slow = run.steps.map(step => step.p99Milliseconds).filter(value => value !== undefined).sort((a, b) => a - b);
    return text.said(...SERIES.map(name => number(run.counts[name])), run.faults.length, latency(slow[slow.length >> 1]), latency(slow.at(-1)));
}

const under = (run, step) => run.faults.filter(fault => fault.beganAtSecond < step.second + run.stepSeconds && (fault.endedAtSecond ?? Infinity) >= step.second).map(fault => text.at(fault.fault, processOf(fault))).join(', ');

const INSTANT = ['kill', 'restart'];
const lasted = fault => fault.endedAtSecond === undefined ? text.inForce : INSTANT.includes(fault.fault) ? text.instant : seconds(fault.endedAtSecond - fault.beganAtSecond);

// What failed from the fault's begin to its recovery.
function effect(fault) {
    if (fault.notInjected) return text.notInjected(fault.notInjected);
    const parts = Object.entries(text.effects).filter(([name]) => fault[name] > 0).map(([name, says]) => says(number(fault[name])));
    return parts.length ? text.effect(parts.join(', '), number(fault.operations)) : text.none(number(fault.operations));
}

const recovered = (fault, run) => fault.recoveryMilliseconds !== undefined ? milliseconds(fault.recoveryMilliseconds) : fault.notInjected || !isOver(run) ? '–' : html`<${State} of="fail" says=${text.away} />`;

const Timeline = ({ run }) => html`<${Card} title=${text.timeline}><div class="stack">
    <${RunKey} />
    <${RunChart} run=${run} label=${said(run)} />
    <p class="soft">${said(run)}</p>
    <details><summary>${text.steps}</summary><${Plain} titled caption=${text.steps} rows=${run.steps} rowKey=${step => step.second} columns=${[
        { title: text.second, className: 'number', cell: step => number(step.second) }, ...SERIES.map(name => ({ title: text[name], className: 'number', cell: step => number(step.counts[name]) })),
        { title: text.p50, className: 'number', cell: step => latency(step.p50Milliseconds) }, { title: text.p99, className: 'number', cell: step => latency(step.p99Milliseconds) }, { title: text.faults, className: 'wrap', cell: step => under(run, step) || '–' }]} /></details>
</div></${Card}>`;

const Faults = ({ run }) => html`<div class="card flush"><${Plain} caption=${text.faultsSay} rows=${run.faults} rowKey=${fault => fault.number} columns=${[
    { title: text.number, className: 'number', cell: fault => number(fault.number) }, { title: text.from, className: 'number', cell: fault => seconds(fault.beganAtSecond) }, { title: text.lasted, className: 'number', cell: lasted },
    { title: text.fault, cell: fault => fault.fault }, { title: text.service, cell: processOf }, { title: text.meanwhile, className: 'wrap', cell: effect }, { title: text.recovered, className: 'number', cell: fault => recovered(fault, run) }]} /></div>`;

const Kinds = ({ run }) => html`<div class="card flush"><${Plain} caption=${text.kinds} rows=${run.faultKinds} rowKey=${one => one.fault} columns=${[
    { title: text.fault, cell: one => one.fault }, { title: text.drawn, className: 'number', cell: one => one.count ? number(one.count) : '–' }, { title: text.services, className: 'wrap', cell: one => one.reason || one.services.join(', ') },
    { title: text.median, className: 'number', cell: one => milliseconds(one.recoveryP50Milliseconds) }, { title: text.worst, className: 'number', cell: one => milliseconds(one.recoveryMaxMilliseconds) }]} /></div>`;

const Board = ({ run }) => html`<div class="card flush"><${Plain} caption=${text.board} rows=${run.services} rowKey=${one => one.service} columns=${[
    { title: text.service, cell: one => one.service }, { title: text.state, cell: one => html`<${State} of=${one.isUp ? 'pass' : 'away'} says=${one.isUp ? text.up : text.down} />` },
    { title: text.underNow, className: 'wrap', cell: one => one.faults.join(', ') || '–' }, { title: text.restarts, className: 'number', cell: one => number(one.restarts) }, { title: text.last, className: 'number', cell: one => milliseconds(one.lastRecoveryMilliseconds) }, { title: text.recovery, className: 'number', cell: recovery }]} /></div>`;

const Violations = ({ run }) => run.violations?.length > 0 && html`<div class="card flush"><${Plain} caption=${text.found} rows=${run.violations} columns=${[
    { title: text.invariant, cell: one => one.invariant }, { title: text.subject, className: 'wrap', cell: one => one.subject }, { title: text.expected, className: 'wrap', cell: one => one.expected }, { title: text.actual, className: 'wrap', cell: one => one.found }]} /></div>`;

const Invariants = ({ run }) => html`<div class="card flush"><${Plain} caption=${isOver(run) ? text.invariants : text.invariantsSoFar} rows=${run.invariants} rowKey=${one => one.invariant} columns=${[
    { title: text.invariant, cell: one => one.invariant }, { title: text.holds, className: 'wrap', cell: one => one.statement }, { title: text.outcome, cell: one => html`<${State} of=${OUTCOMES[one.outcome]} says=${one.outcome} />` },
    { title: text.examined, className: 'number', cell: one => number(one.examined) }, { title: text.violations, className: 'number', cell: one => number(one.violations) }]} /></div>`;

function About({ run }) {
    const { setup } = run;
    const several = setup.processes.filter(one => one.count > 1).map(one => text.of(number(one.count), one.service));
    return html`<${Card} title=${text.about}><${Facts} of=${[[strings.chaos.seed, setup.seed], [strings.chaos.began_, html`<${Time} at=${setup.startedAt} />`], [strings.app, setup.app], [text.workload, setup.workload], [text.rate, text.perSecond(number(setup.rate))],
        [text.customers, text.each(number(setup.customers), number(setup.devices))], [text.targets, setup.targets.join(', ')], [text.database, setup.database], [text.several, several.join(', ') || text.one],
        [text.version, [setup.version, setup.commit && text.commit(setup.commit)].filter(Boolean).join(', ')],
        [text.machine, [text.cores(number(setup.machine.cores)), setup.machine.processor, text.memory(number(Math.round(setup.machine.memoryBytes / 2 ** 30 * 10) / 10))].filter(Boolean).join(', ')],
        [text.updated, html`<${Time} at=${run.updatedAt} />`], [text.report, run.report && html`<code>${run.report}</code>`]]} /></${Card}>`;
}

function View({ run }) {
    const state = stateOf(run);
    const { counts, setup } = run;
    return html`<${Head} title=${text.title(setup.id)} says=${run.line}><a class="button" href=${link('chaos')}>${text.back}</a></${Head}>
        <div class="tiles">
            <${Tile} name=${isOver(run) ? text.verdict : text.phase} says=${text.elapsed(run.elapsedSeconds, setup.durationSeconds)}><div class="big" role="status"><${State} ...${state} /></div></${Tile}>
            <${Tile} name=${text.operations} says=${text.parts(number(counts.succeeded), number(counts.declined), number(counts.refused + counts.unknown))}><div class="big">${number(SERIES.reduce((sum, name) => sum + counts[name], 0))}</div></${Tile}>
            <${Tile} name=${text.lost}><div class="big">${run.lost ?? '–'}</div></${Tile}>
            <${Tile} name=${text.doubleCharges}><div class="big">${run.doubleCharges ?? '–'}</div></${Tile}>
            <${Tile} name=${text.recovery}><div class="big">${recovery(run)}</div></${Tile}>
        </div>
        <div class="stack">
            <${Timeline} run=${run} />
            <${Faults} run=${run} />
            <${Violations} run=${run} />
            <div class="columns"><div class="stack"><${Board} run=${run} /><${Kinds} run=${run} /></div><div class="stack">
                <${Card} title=${text.replay}><div class="stack"><p class="soft">${text.replaySays}</p><${Code} text=${setup.command} label=${strings.copyCLI} /></div></${Card}>
                <${About} run=${run} />
            </div></div>
            <${Invariants} run=${run} />
        </div>`;
}

export default function Run({ route }) {
    const id = route.parts[1];
    const found = useData(() => get(url('/admin/v1/chaos/runs', id)).catch(problem => {
        if (problem.status === 404) return null;
        throw problem;
    }), [id]);
    const run = found.data;
    useEvery(often(run), found);
    return html`<${Loaded} of=${found}>${() => run ? html`<${View} run=${run} key=${id} />` : html`<${Head} title=${text.missing} says=${text.missingSays}><a class="button" href=${link('chaos')}>${text.back}</a></${Head}>`}</${Loaded}>`;
}
