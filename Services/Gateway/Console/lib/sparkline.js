// A line of numbers in SVG; what it shows is also said in words beside it.
import { html } from '../vendor/preact-htm.js';

export function Sparkline({ values, label }) {
    const top = Math.max(1, ...values);
    const step = values.length > 1 ? 100 / (values.length - 1) : 100;
    const line = values.map((value, index) => `${index ? 'L' : 'M'}${(index * step).toFixed(1)} ${(29 - value / top * 27).toFixed(1)}`).join('');
    return html`<svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label=${label}><path d=${line} /></svg>`;
}
