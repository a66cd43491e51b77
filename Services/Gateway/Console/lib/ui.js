// Small parts that every page uses.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';

// One value that parts of the page follow.
export function box(value) {
    const listeners = new Set();
    return {
        get: () => value,
        set(next) {
            value = next;
            for (const listener of [...listeners]) listener(value);
        },
        use() {
            const [now, set] = useState(value);
            useEffect(() => {
                set(value);
                listeners.add(set);
                return () => listeners.delete(set);
            }, []);
            return now;
        },
    };
}

// The app that pages are about, and its clock as the gateway last said it.
export const chosenApp = box(undefined);
export const clock = box(undefined);

// How many wait in the inbox, once it is known.
export const waiting = box(undefined);

// Set by the frame: reads the list of apps again.
export const apps = { reload() {} };

// A theme that was chosen, kept by the browser.
export const theme = box(localStorage.getItem('storebus.theme') || 'auto');
export function applyTheme(name) {
    if (name === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
}

const toasts = box([]);
let toastCount = 0;
const takeToast = one => toasts.set(toasts.get().filter(other => other !== one));

// What happened; `to` is the thing it happened to: { href, name }.
export function toast(text, to) {
    const mine = { text, to, id: ++toastCount };
    toasts.set([...toasts.get(), mine].slice(-4));
    setTimeout(takeToast, to ? 12000 : 6000, mine);
}

// What went wrong, until it is closed.
export function toastProblem(problem) {
    toasts.set([...toasts.get(), { problem, id: ++toastCount }].slice(-4));
}

export function Toasts() {
    const shown = toasts.use();
    return html`<div class="toasts">
        ${shown.filter(one => one.problem).map(one => html`<div class="toast failure" key=${one.id}>
            <${Failure} error=${one.problem} />
            <button class="plain square" aria-label=${strings.close} onClick=${() => takeToast(one)}>✕</button></div>`)}
        <div role="status" aria-label=${strings.messages}>${shown.filter(one => !one.problem).map(({ text, to, id }) => html`<div class="toast" key=${id}><span>${text}${to && html` <a href=${to.href}>${to.name}</a>`}</span></div>`)}</div>
    </div>`;
}

const dialogs = box(undefined);
let dialogCount = 0;

// Shows a modal dialog; `content` is given what closes it with an answer. One that is opened from another takes its place,
// which is then without an answer. The focus goes back to where the first was opened.
export function ask(title, content) {
    return new Promise(done => {
        const before = dialogs.get();
        before?.done();
        dialogs.set({ title, content, done, id: ++dialogCount, opener: before ? before.opener : document.activeElement });
    });
}

function Dialog({ shown }) {
    const element = useRef();
    useEffect(() => {
        element.current.showModal();
        // The page around it may go, too.
        return () => {
            shown.done();
            if (dialogs.get() === shown) dialogs.set(undefined);
        };
    }, []);
    const close = answer => {
        shown.done(answer);
        if (dialogs.get() !== shown) return;
        element.current?.close();
        dialogs.set(undefined);
        if (shown.opener?.isConnected) shown.opener.focus();
    };
    return html`<dialog ref=${element} aria-labelledby="dialog-title" onCancel=${event => { event.preventDefault(); close(); }}>
        <h2 id="dialog-title">${shown.title}</h2>
        ${shown.content(close)}
    </dialog>`;
}

export function Dialogs() {
    const shown = dialogs.use();
    return shown ? html`<${Dialog} shown=${shown} key=${shown.id} />` : null;
}

export const confirm = (title, text, verb) => ask(title, close => html`
    <p class="break">${text}</p>
    <div class="row">
        <button autofocus onClick=${() => close(false)}>${strings.cancel}</button>
        <button class="danger" onClick=${() => close(true)}>${verb}</button>
    </div>`);

export async function copy(text, element) {
    try {
        await navigator.clipboard.writeText(text);
        toast(strings.copied);
    } catch {
        // Without a secure context: selected, for the keyboard's own copy.
        if (element) getSelection().selectAllChildren(element);
        toast(strings.selected);
    }
}

// An identifier that can be copied, with where it leads.
export const Id = ({ of, href }) => of ? html`<span class="id">${href ? html`<a class="mono" href=${href} title=${of}>${of}</a>` : html`<code>${of}</code>`}<button type="button" class="plain copy" aria-label=${strings.copyOf(of)} title=${strings.copy} onClick=${() => copy(of)}><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M6 6h8v8h-8zM4 10H2V2h8v2" /></svg></button></span>` : null;

// An object as the API has it.
export const showJSON = (of, title) => ask(title, close => html`<${Code} text=${JSON.stringify(of, null, 2)} />
    <div class="row"><button autofocus onClick=${() => close()}>${strings.close}</button></div>`);
export const Json = ({ of, title }) => html`<button type="button" class="plain mono" aria-label=${strings.jsonOf(title)} title=${strings.jsonOf(title)} onClick=${() => showJSON(of, title)}>${'{ }'}</button>`;

export function Code({ text, label }) {
    const element = useRef();
    return html`<pre ref=${element} tabindex="0" role="group" aria-label=${strings.text}>${text}</pre>
        <div class="row"><button onClick=${() => copy(text, element.current)}>${label || strings.copy}</button></div>`;
}

export function Failure({ error, retrying }) {
    if (!error) return null;
    return html`<div class="problem" role="alert">
        <strong>${error.message}</strong> ${error.code && html`<code>${error.code}</code>`}
        ${error.remedy && html`<div>${error.remedy}</div>`}
        ${error.problems?.map(one => html`<div class="small"><code>${one.path}</code> ${one.reason}</div>`)}
        ${retrying && error.passes && html`<div>${strings.tryingAgain}</div>`}
    </div>`;
}

// What a page has loaded; while it cannot be loaded, why, above what was there before.
export function Loaded({ of, children }) {
    if (of.data === undefined && !of.error) return html`<p class="empty" role="status">${strings.loading}</p>`;
    return html`<${Failure} error=${of.error} retrying />${of.data !== undefined && children(of.data)}`;
}

export const Head = ({ title, says, children }) => html`<div class="head">
    <h1 tabindex="-1">${title}</h1>
    ${children && html`<div class="tools">${children}</div>`}
    ${says && html`<p>${says}</p>`}
</div>`;

export const Card = ({ title, tools, flush, children }) => html`<section class=${flush ? 'card flush' : 'card'} aria-label=${title}>
    ${title && html`<header><h2>${title}</h2>${tools && html`<div class="tools">${tools}</div>`}</header>`}
    ${children}
</section>`;

export const Tile = ({ name, href, children, says }) => html`<${href ? 'a' : 'div'} class="tile" href=${href}><div class="soft small">${name}</div>${children}<div class="soft small">${says}</div><//>`;

// Rows of [name, value]; those without a value are left out.
export const Facts = ({ of }) => html`<dl class="facts">
    ${of.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
</dl>`;

// A page is drawn anew while it is being typed into, so a value is only what a field begins with; with onChange the page has it.
export const Choice = ({ label, value, options, onChange, ...rest }) => html`<label>${label}
    <select ...${onChange ? { value, onChange: event => onChange(event.target.value) } : {}} ...${rest}>
        ${options.map(option => {
            const [key, says] = Array.isArray(option) ? option : [option, option];
            return html`<option value=${key} selected=${key === value}>${says}</option>`;
        })}
    </select></label>`;

export const Field = ({ label, value, ...rest }) => html`<label>${label}<input ...${value === undefined || value === null ? {} : { defaultValue: value }} ...${rest} /></label>`;
export const Check = ({ label, checked, ...rest }) => html`<label class="check"><input type="checkbox" defaultChecked=${Boolean(checked)} ...${rest} />${label}</label>`;

// What a form's fields say, by name. Boxes that are not ticked are false.
export function values(form) {
    const said = {};
    for (const field of form.elements) {
        if (!field.name) continue;
        if (field.type === 'checkbox') said[field.name] = field.checked;
        else if (field.type === 'file') said[field.name] = field.files[0];
        else if (field.value !== '') said[field.name] = field.value;
    }
    return said;
}
