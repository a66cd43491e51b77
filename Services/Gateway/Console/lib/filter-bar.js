// The field of a list's filter, with the filters that were saved by name in this browser.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { Field, ask, values } from './ui.js';

const text = strings.filters;
const KEPT = 'storebus.filters';

function read() {
    try {
        return JSON.parse(localStorage.getItem(KEPT)) || {};
    } catch {
        return {};
    }
}

function write(page, named) {
    localStorage.setItem(KEPT, JSON.stringify({ ...read(), [page]: named }));
}

const askName = value => ask(text.save, close => html`<form class="stack" onSubmit=${event => { event.preventDefault(); close(values(event.target).name); }}>
    <p class="break"><code>${value}</code></p><${Field} label=${text.name} name="name" required maxlength="60" autofocus autocomplete="off" />
    <div class="row"><button type="button" onClick=${() => close()}>${strings.cancel}</button><button class="primary">${strings.save}</button></div></form>`);

// `page` names the list, `unknown` what of the filter was not understood.
export function FilterBar({ page, label, hint, value, onInput, unknown = [] }) {
    const [named, set] = useState(() => read()[page] || {});
    const change = next => {
        write(page, next);
        set(next);
    };
    const [mine] = Object.entries(named).find(([, filter]) => filter === value.trim()) || [];
    const save = async () => {
        const name = await askName(value.trim());
        if (name) change({ ...named, [name]: value.trim() });
    };
    const forget = () => {
        const { [mine]: _, ...rest } = named;
        change(rest);
    };
    return html`<div class="row end">
        <div class="filter"><label for="filter">${label}</label>
            <input id="filter" data-filter value=${value} aria-describedby="filter-hint" aria-invalid=${unknown.length > 0 || undefined} spellcheck="false" autocomplete="off" onInput=${event => onInput(event.target.value)} />
            <span id="filter-hint" class="soft small">${unknown.length ? text.unknown(unknown.join(' ')) : hint}</span></div>
        <div class="row saved">${Object.keys(named).length > 0 && html`<select aria-label=${text.saved} value=${mine || ''} onChange=${event => onInput(named[event.target.value] || '')}>
                <option value="">${text.saved}</option>${Object.keys(named).sort().map(name => html`<option value=${name} selected=${name === mine}>${name}</option>`)}</select>`}
            ${mine ? html`<button onClick=${forget}>${text.forget}</button>` : html`<button disabled=${!value.trim() || unknown.length > 0} onClick=${save}>${text.save}</button>`}</div>
    </div>`;
}
