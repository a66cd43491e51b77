// Drawings in SVG; what they show is also said in words beside them.
import { html } from '../vendor/preact-htm.js';

export function Sparkline({ values, label }) {
    const top = Math.max(1, ...values);
    const step = values.length > 1 ? 100 / (values.length - 1) : 100;
    const line = values.map((value, index) => `${index ? 'L' : 'M'}${(index * step).toFixed(1)} ${(29 - value / top * 27).toFixed(1)}`).join('');
    return html`<svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label=${label}><path d=${line} /></svg>`;
}

// Segments of { from, to, kind, title } on a line from `start` to `end`, with a mark at `now`; milliseconds all.
export function Lane({ segments, start, end, now, label }) {
    const place = time => (time - start) / Math.max(1, end - start) * 1000;
    return html`<svg class="lane" viewBox="0 0 1000 26" preserveAspectRatio="none" role="img" aria-label=${label}>
        ${segments.map(({ from, to, kind, title }) => html`<rect class=${kind} x=${place(from).toFixed(1)} y="5" width=${Math.max(1.5, place(to) - place(from) - 1.5).toFixed(1)} height="16" rx="2"><title>${title}</title></rect>`)}
        ${now >= start && now <= end && html`<line class="now" x1=${place(now).toFixed(1)} x2=${place(now).toFixed(1)} y1="0" y2="26" />`}
    </svg>`;
}
