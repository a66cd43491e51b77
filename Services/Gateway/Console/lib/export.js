// What a list shows, as a file: its rows as JSON, or the text of its cells as CSV.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { toastProblem } from './ui.js';

// The text of a cell. An instant is ISO 8601 and a state the API's word, as in JSON; buttons say nothing.
function textOf(node) {
    if (node === null || node === undefined || typeof node === 'boolean') return '';
    if (Array.isArray(node)) return node.map(textOf).join('');
    if (typeof node !== 'object') return String(node);
    const { type, props } = node;
    // What a narrow window shows of another column is in that column.
    if (typeof type !== 'function') return type === 'button' || /\bnarrow\b/.test(props.class) ? '' : textOf(props.children);
    if (props.at !== undefined) return String(props.at);
    if (typeof props.of === 'string') return props.says || props.of;
    return textOf(props.children);
}

// A spreadsheet takes a text that begins with one of these for a formula.
const FORMULA = /^[=+\-@\t\r]/;
function field(text) {
    const said = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
}

export function csv(rows, columns) {
    const titles = columns.map(column => textOf(column.title).trim());
    const lines = rows.map(row => columns.map(column => textOf(column.cell(row)).trim().replace(/\s+/g, ' ')));
    const kept = titles.map((_, index) => lines.length === 0 || lines.some(line => line[index] !== ''));
    return [titles, ...lines].map(line => line.filter((_, index) => kept[index]).map(field).join(',')).map(line => `${line}\r\n`).join('');
}

export function save(name, type, content) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    Object.assign(document.createElement('a'), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (name, ending) => `${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')}.${ending}`;

const WRITERS = {
    JSON: ['json', 'application/json', rows => `${JSON.stringify(rows, null, 2)}\n`],
    CSV: ['csv', 'text/csv', csv],
};

// `rows`: those of the list, or what reads them where the list shows a part.
export function Export({ name, rows, columns }) {
    const write = async form => {
        const [ending, type, content] = WRITERS[form];
        try {
            save(fileName(name, ending), type, content(typeof rows === 'function' ? await rows() : rows, columns));
        } catch (problem) {
            toastProblem(problem);
        }
    };
    return html`<span class="export">${Object.keys(WRITERS).map(form => html`<button type="button" class="plain" aria-label=${strings.table.exportAs(name, form)} title=${strings.table.exportAs(name, form)} onClick=${() => write(form)}>${form}</button>`)}</span>`;
}
