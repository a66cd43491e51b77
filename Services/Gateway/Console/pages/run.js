// One run of `storebus chaos run`: how the store is doing under it, and what was found.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, url } from '../lib/api.js';
import { useData, useEvery } from '../lib/data.js';
import { State, Time, number, words } from '../lib/format.js';
import { link } from '../lib/router.js';
import { RunChart, RunKey, latency } from '../lib/run-chart.js';
import { isGoing, isOver, recovery, replay, seconds, stateOf } from '../lib/runs.js';
import { Plain } from '../lib/table.js';
import { Card, Code, Facts, Head, Loaded, Tile } from '../lib/ui.js';

const text = strings.run;
// A gateway that is killed misses reports: one that seems broken off is looked for all the same.
const often = run => !run ? 5000 : isOver(run) ? undefined : isGoing(run) ? 1000 : 5000;
const OUTCOMES = { held: 'pass', broken: 'fail' };

// What the drawing shows, in a sentence.
function said(run) {
    const slow = run.steps.map(step => step.p99Milliseconds).filter(value => value !== undefined).sort((a, b) => a - b);
    return text.said(number(run.succeeded), number(run.refused), number(run.unknown), run.faults.length, latency(slow[slow.length >> 1]), latency(slow.at(-1)));
}

const under = (run, step) => run.faults.filter(fault => fault.beganAtSecond < step.second + run.stepSeconds && (fault.endedAtSecond ?? Infinity) >= step.second).map(fault => text.at(fault.fault, fault.service)).join(', ');

const Timeline = ({ run }) => html`<${Card} title=${text.timeline}><div class="stack">
    <${RunKey} />
    <${RunChart} run=${run} label=${said(run)} />
    <p class="soft">${said(run)}</p>
    <details><summary>${text.steps}</summary><${Plain} titled caption=${text.steps} rows=${run.steps} rowKey=${step => step.second} columns=${[
        { title: text.second, className: 'number', cell: step => number(step.second) }, ...['succeeded', 'refused', 'unknown'].map(name => ({ title: text[name], className: 'number', cell: step => number(step[name]) })),
        { title: text.p50, className: 'number', cell: step => latency(step.p50Milliseconds) }, { title: text.p99, className: 'number', cell: step => latency(step.p99Milliseconds) }, { title: text.faults, className: 'wrap', cell: step => under(run, step) || '–' }]} /></details>
    <details open><summary>${`${text.faults} (${number(run.faults.length)})`}</summary><${Plain} titled caption=${text.faults} rows=${run.faults} rowKey=${fault => fault.number} columns=${[
        { title: text.number, className: 'number', cell: fault => number(fault.number) }, { title: text.fault, cell: fault => fault.fault }, { title: text.service, cell: fault => fault.service },
        { title: text.from, className: 'number', cell: fault => seconds(fault.beganAtSecond) }, { title: text.until, className: 'number', cell: fault => fault.endedAtSecond === undefined ? isGoing(run) ? text.inForce : '–' : seconds(fault.endedAtSecond) }]} /></details>
</div></${Card}>`;

const Board = ({ run }) => html`<div class="card flush"><${Plain} caption=${text.board} rows=${run.services} rowKey=${one => one.service} columns=${[
    { title: text.service, cell: one => one.service }, { title: text.state, cell: one => html`<${State} of=${one.isUp ? 'pass' : 'away'} says=${one.isUp ? text.up : text.down} />` },
    { title: text.underNow, className: 'wrap', cell: one => one.faults.join(', ') || '–' }, { title: text.recovery, className: 'number', cell: recovery }]} /></div>`;

const Invariants = ({ run }) => html`<div class="card flush"><${Plain} caption=${isOver(run) ? text.invariants : text.invariantsSoFar} rows=${run.invariants} rowKey=${one => one.invariant} columns=${[
    { title: text.invariant, cell: one => one.invariant }, { title: text.holds, className: 'wrap', cell: one => one.statement }, { title: text.outcome, cell: one => html`<${State} of=${OUTCOMES[one.outcome]} says=${one.outcome} />` },
    { title: text.examined, className: 'number', cell: one => number(one.examined) }, { title: text.violations, className: 'number', cell: one => number(one.violations) }]} /></div>`;

function View({ run }) {
    const state = stateOf(run);
    return html`<${Head} title=${text.title(run.id)} says=${run.line}><a class="button" href=${link('chaos')}>${text.back}</a></${Head}>
        <div class="tiles">
            <${Tile} name=${isOver(run) ? text.verdict : text.phase} says=${text.elapsed(run.elapsedSeconds, run.durationSeconds)}><div class="big" role="status"><${State} ...${state} /></div></${Tile}>
            <${Tile} name=${text.operations} says=${text.parts(number(run.succeeded), number(run.refused), number(run.unknown))}><div class="big">${number(run.operations)}</div></${Tile}>
            <${Tile} name=${text.lost}><div class="big">${run.lost ?? '–'}</div></${Tile}>
            <${Tile} name=${text.doubleCharges}><div class="big">${run.doubleCharges ?? '–'}</div></${Tile}>
            <${Tile} name=${text.recovery}><div class="big">${recovery(run)}</div></${Tile}>
        </div>
        <div class="stack">
            <${Timeline} run=${run} />
            <div class="columns"><div class="stack"><${Board} run=${run} /><${Invariants} run=${run} /></div><div class="stack">
                <${Card} title=${text.replay}><div class="stack"><p class="soft">${text.replaySays}</p><${Code} text=${replay(run)} label=${strings.copyCLI} /></div></${Card}>
                <${Card} title=${text.about}><${Facts} of=${[[strings.chaos.seed, run.seed], [strings.app, run.app], [text.workload, run.workload], [text.rate, text.perSecond(number(run.rate))], [text.targets, run.targets.join(', ')], [text.faults, run.faultNames.join(', ')],
                    [strings.chaos.began_, html`<${Time} at=${run.startedAt} />`], [text.updated, html`<${Time} at=${run.updatedAt} />`], [text.report, run.report && html`<code>${run.report}</code>`]]} /></${Card}>
            </div></div>
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
