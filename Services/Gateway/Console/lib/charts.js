// Drawings in SVG; what they show is also said in words beside them.
import { html } from '../vendor/preact-htm.js';

// Segments of { from, to, kind, title } on a line from `start` to `end`, with a mark at `now`; milliseconds all.
export function Lane({ segments, start, end, now, label }) {
    const place = time => (time - start) / Math.max(1, end - start) * 1000;
    return html`<svg class="lane" viewBox="0 0 1000 26" preserveAspectRatio="none" role="img" aria-label=${label}>
        <path class="grid" d="M250 0V26M500 0V26M750 0V26" />
        ${segments.map(({ from, to, kind, title }) => html`<rect class=${kind} x=${place(from).toFixed(1)} y="5" width=${Math.max(1.5, place(to) - place(from) - 1.5).toFixed(1)} height="16" rx="2"><title>${title}</title></rect>`)}
        ${now >= start && now <= end && html`<line class="now" x1=${place(now).toFixed(1)} x2=${place(now).toFixed(1)} y1="0" y2="26" />`}
    </svg>`;
}

// The dates below a lane; `say` is how one is written.
export const Axis = ({ start, end, say }) => html`<div class="axis dates" aria-hidden="true">${[0, 1, 2, 3, 4].map(quarter => html`<span>${say(start + (end - start) * quarter / 4)}</span>`)}</div>`;

// The next of 1, 2, 5, 10, 20…
function ceiling(value) {
    const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
    return [1, 2, 5, 10].find(step => step * power >= value) * power;
}

// Lines of samples { at, value } over the last `span` milliseconds. `series`: { name, samples }; the second's line is broken, so
// that they differ by more than colour. `say` is how a value is written, `round` what a line's top is
// brought up to.
export function RateChart({ title, series, span, say, from, to, round = ceiling, now = performance.now() }) {
    const seen = series.map(one => one.samples.filter(sample => sample.at >= now - span));
    const top = round(Math.max(1, ...seen.flat().map(sample => sample.value)));
    const point = ({ at, value }, index) => `${index ? 'L' : 'M'}${((at - now) / span * 100 + 100).toFixed(2)} ${(59 - value / top * 57).toFixed(2)}`;
    const words = series.map((one, index) => [one.name, seen[index].length ? say(seen[index].at(-1).value) : '–']);
    return html`<figure class="rates">
        <figcaption><span class="soft">${title}</span>${words.map(([name, value], index) => html` <span class="series"><svg class=${`mark line${index}`} viewBox="0 0 22 8" aria-hidden="true"><path d="M0 4H22" /></svg>${name} <strong>${value}</strong></span>`)}</figcaption>
        <div class="axis" aria-hidden="true"><span>${say(top)}</span><span>${say(0)}</span></div>
        <svg class="plot" viewBox="0 0 100 60" preserveAspectRatio="none" role="img" aria-label=${`${title}: ${words.map(pair => pair.join(' ')).join(', ')}`}>
            <path class="grid" d="M0 2H100M0 30.5H100M0 59H100" />
            ${seen.map((samples, index) => samples.length > 0 && html`<path class=${`line${index}`} d=${`${samples.map(point).join('')}h0`} />`)}
        </svg>
        <div class="times" aria-hidden="true"><span>${from}</span><span>${to}</span></div>
    </figure>`;
}
