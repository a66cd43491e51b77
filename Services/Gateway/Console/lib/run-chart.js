// The timeline of a run: requests of each step, the faults across them, and latencies on a logarithmic scale.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { number } from './format.js';
import { processOf, seconds } from './runs.js';

const text = strings.run;
const WIDTH = 1000;
const LEFT = 58;
const RIGHT = 14;
const LANE = 17;
const LANES = 6;
const BARS = 150;
const BETWEEN = 30;
const LINES = 120;
const LETTER = 7;
// Declined on purpose is no failure; the last two are.
export const SERIES = ['succeeded', 'declined', 'refused', 'unknown'];

export const latency = value => value === undefined ? '–' : value < 1000 ? text.ms(number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))) : text.seconds(number(Math.round(value / 100) / 10));

// The least of 1, 2, 5, 10, 20, 50 … that divides `most` into no more than `parts`.
function stepOf(most, parts) {
    const power = 10 ** Math.floor(Math.log10(Math.max(most / parts, 1)));
    return [1, 2, 5, 10].map(one => one * power).find(one => most / one <= parts);
}

const ticks = (most, parts) => {
    const step = stepOf(most, parts);
    return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
};

// Each band with the lane its name has room in; without one the name is in the band's title and in the table alone.
function bandsOf(run, end, x) {
    const ends = [];
    return run.faults.map(fault => {
        const name = text.at(fault.fault, processOf(fault));
        const left = x(fault.beganAtSecond);
        const width = Math.max(2, x(fault.endedAtSecond ?? end) - left);
        const room = name.length * LETTER + 8;
        const at = Math.min(left, WIDTH - RIGHT - room);
        let lane = ends.findIndex(one => one <= at);
        if (lane < 0 && ends.length < LANES) lane = ends.length;
        if (lane >= 0) ends[lane] = at + room;
        return { key: fault.number, name, left, width, lane, at, title: `${name}: ${fault.endedAtSecond === undefined ? text.since(seconds(fault.beganAtSecond)) : text.fromTo(seconds(fault.beganAtSecond), seconds(fault.endedAtSecond))}` };
    });
}

export function RunChart({ run, label }) {
    const { steps, stepSeconds } = run;
    const end = Math.max(1, run.elapsedSeconds, ...steps.map(step => step.second + stepSeconds));
    const x = second => LEFT + Math.min(second, end) / end * (WIDTH - LEFT - RIGHT);
    const bands = bandsOf(run, end, x);
    const top = (1 + Math.max(-1, ...bands.map(one => one.lane))) * LANE + 8;
    const middle = top + BARS;
    const second = middle + BETWEEN;
    const bottom = second + LINES;

    const most = Math.max(1, ...steps.map(step => SERIES.reduce((sum, name) => sum + step.counts[name], 0)));
    const y = count => middle - count / most * BARS;
    const bars = name => {
        const before = SERIES.slice(0, SERIES.indexOf(name));
        return steps.filter(step => step.counts[name] > 0).map(step => {
            const base = before.reduce((sum, one) => sum + step.counts[one], 0);
            const left = x(step.second);
            const right = Math.max(left + 0.5, x(step.second + stepSeconds) - 0.6);
            return `M${left.toFixed(1)} ${y(base).toFixed(1)}V${y(base + step.counts[name]).toFixed(1)}H${right.toFixed(1)}V${y(base).toFixed(1)}Z`;
        }).join('');
    };

    const known = steps.flatMap(step => [step.p50Milliseconds, step.p99Milliseconds]).filter(value => value > 0);
    const low = Math.floor(Math.log10(Math.min(10, ...known)));
    const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(10, ...known))));
    const height = value => bottom - (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low) * LINES;
    const line = name => steps.map((step, index) => step[name] === undefined ? '' : `${steps[index - 1]?.[name] === undefined ? 'M' : 'L'}${x(step.second + stepSeconds / 2).toFixed(1)} ${height(step[name]).toFixed(1)}h0.1`).join('');

    return html`<div class="scroll" tabindex="0" role="group" aria-label=${text.timeline}>
        <svg class="run" viewBox=${`0 0 ${WIDTH} ${bottom + 24}`} role="img" aria-label=${label}>
            ${bands.map(one => html`<g key=${`band ${one.key}`}><rect class="band" x=${one.left.toFixed(1)} width=${one.width.toFixed(1)} y=${top} height=${bottom - top}><title>${one.title}</title></rect>
                ${one.lane >= 0 && html`<path class="tick" d=${`M${one.left.toFixed(1)} ${top}V${(one.lane * LANE + 6).toFixed(1)}`} /><text x=${(one.at + 4).toFixed(1)} y=${one.lane * LANE + 14}>${one.name}</text>`}</g>`)}
            ${ticks(most, 3).map(count => html`<g key=${`count ${count}`}><path class="grid" d=${`M${LEFT} ${y(count).toFixed(1)}H${WIDTH - RIGHT}`} /><text class="left" x=${LEFT - 6} y=${(y(count) + 4).toFixed(1)}>${number(count)}</text></g>`)}
            ${SERIES.map(name => html`<path key=${name} class=${name} d=${bars(name)} />`)}
            ${Array.from({ length: high - low + 1 }, (_, index) => low + index).map(power => html`<g key=${`power ${power}`}><path class="grid" d=${`M${LEFT} ${height(10 ** power).toFixed(1)}H${WIDTH - RIGHT}`} /><text class="left" x=${LEFT - 6} y=${(height(10 ** power) + 4).toFixed(1)}>${latency(10 ** power)}</text></g>`)}
            <path class="line p50" d=${line('p50Milliseconds')} /><path class="line p99" d=${line('p99Milliseconds')} />
            ${ticks(end, 8).map(at => html`<text key=${`second ${at}`} class="below" x=${x(at).toFixed(1)} y=${bottom + 18}>${text.seconds(number(at))}</text>`)}
        </svg>
    </div>`;
}

// The key of the drawing.
export const RunKey = () => html`<p class="key">
    ${SERIES.map(name => html`<span key=${name}><svg class="run sample" viewBox="0 0 12 12" aria-hidden="true"><rect class=${name} width="12" height="12" rx="3" /></svg>${text[name]}</span>`)}
    ${['p50', 'p99'].map(name => html`<span key=${name}><svg class="run sample wide" viewBox="0 0 24 12" aria-hidden="true"><path class=${`line ${name}`} d="M0 6H24" /></svg>${text[name]}</span>`)}
    <span><svg class="run sample" viewBox="0 0 12 12" aria-hidden="true"><rect class="band" width="12" height="12" /></svg>${text.band}</span>
</p>`;
