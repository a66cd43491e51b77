// A table of which only the rows in sight are in the page, so that 100 000 scroll as well as ten.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { Export } from './export.js';

const ROW = 40;
const BEYOND = 8;
const text = strings.table;

// What a narrow window has no room for.
const hides = ({ className, isWide }) => [className, isWide && 'wide'].filter(Boolean).join(' ') || undefined;

// `columns`: { key, title, cell(row), width, className, sorts, isWide }; `open(row)` is what Enter and a click do; `least` is the width in
// pixels below which it scrolls sideways.
export function Windowed({ caption, columns, rows, complete = true, rowKey, open, sort, onSort, empty, least = 940 }) {
    const area = useRef();
    const [view, setView] = useState({ top: 0, height: 600 });
    const [active, setActive] = useState(-1);
    const wantsFocus = useRef(false);

    const look = () => {
        const { scrollTop, clientHeight } = area.current;
        setView(before => before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight });
    };
    useLayoutEffect(look, [rows.length]);
    useEffect(() => {
        const watcher = new ResizeObserver(look);
        watcher.observe(area.current);
        return () => watcher.disconnect();
    }, []);

    const first = Math.max(0, Math.floor(view.top / ROW) - BEYOND);
    const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + BEYOND);

    const step = by => {
        const next = Math.min(rows.length - 1, Math.max(0, active + by));
        if (next < 0) return;
        const top = next * ROW;
        const element = area.current;
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top + 2 * ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + 2 * ROW - element.clientHeight;
        wantsFocus.current = true;
        setActive(next);
    };
    useEffect(() => {
        const stepped = event => step(event.detail);
        area.current.addEventListener('step', stepped);
        return () => area.current?.removeEventListener('step', stepped);
    });
    useLayoutEffect(() => {
        if (!wantsFocus.current) return;
        const row = area.current.querySelector('tr.active');
        if (!row) return;
        wantsFocus.current = false;
        (row.querySelector('a, button') || row).focus({ preventScroll: true });
    });

    const clicked = (event, row) => {
        if (open && !event.target.closest('a, button, input') && !getSelection().toString()) open(row);
    };
    const header = column => {
        const sorted = sort?.key === column.key ? (sort.down ? 'descending' : 'ascending') : undefined;
        return html`<th scope="col" class=${hides(column)} aria-sort=${sorted || (column.sorts ? 'none' : undefined)}>
            ${column.sorts ? html`<button onClick=${() => onSort(column.key)} title=${`${text.sort} ${column.title}`}>${column.title}<span aria-hidden="true">${sorted === 'descending' ? '↓' : sorted ? '↑' : ''}</span></button>` : column.title}
        </th>`;
    };
    const gap = size => size > 0 && html`<tr class="gap" aria-hidden="true"><td style=${{ height: `${size}px` }}></td></tr>`;
    return html`<div class="over"><span>${caption} · ${text.rows(rows.length.toLocaleString(), complete)}</span><${Export} name=${caption} rows=${rows} columns=${columns} /></div>
        <div class="scroll tall" ref=${area} data-rows tabindex="0" role="group" aria-label=${caption} onScroll=${look}>
        <table class=${columns.some(column => column.isWide) ? 'windowed fits' : 'windowed'} aria-label=${caption} style=${{ '--least': `${least}px` }} aria-rowcount=${complete ? rows.length + 1 : -1}>
            <colgroup>${columns.map(column => html`<col class=${hides(column)} style=${column.width ? { width: `${column.width}px` } : {}} />`)}</colgroup>
            <thead><tr aria-rowindex="1">${columns.map(header)}</tr></thead>
            <tbody>
                ${gap(first * ROW)}
                ${rows.slice(first, last).map((row, index) => html`<tr key=${rowKey(row)} aria-rowindex=${first + index + 2} tabindex="-1"
                    class=${first + index === active ? 'active' : ''} onClick=${event => clicked(event, row)}>
                    ${columns.map(column => html`<td class=${hides(column)}>${column.cell(row)}</td>`)}
                </tr>`)}
                ${gap((rows.length - last) * ROW)}
            </tbody>
        </table>
        ${rows.length === 0 && html`<p class="empty">${empty || text.empty}</p>`}
    </div>`;
}

// A table of few rows, whole. `titled`: what it is in already shows its caption.
export const Plain = ({ caption, columns, rows, rowKey, titled }) => html`<div class="over"><span>${!titled && caption}</span>${rows.length > 0 && html`<${Export} name=${caption} rows=${rows} columns=${columns} />`}</div>
    <div class="scroll" tabindex="0" role="group" aria-label=${caption}>
    <table aria-label=${caption}>
        <thead><tr>${columns.map(column => html`<th scope="col" class=${column.className}>${column.title}</th>`)}</tr></thead>
        <tbody>
            ${rows.map(row => html`<tr key=${rowKey?.(row)}>${columns.map(column => html`<td class=${column.className}>${column.cell(row)}</td>`)}</tr>`)}
            ${rows.length === 0 && html`<tr><td colspan=${columns.length}><p class="empty">${text.empty}</p></td></tr>`}
        </tbody>
    </table>
</div>`;
