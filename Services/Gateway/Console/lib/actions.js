// What the operator does: a request, with the same as a command of the CLI and of curl.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';
import { call, inStore } from './api.js';
import { quote } from './format.js';
import { record } from './recording.js';
import { store } from './router.js';
import { Code, ask, chosenApp, confirm, toast, toastProblem } from './ui.js';

export function curl({ method, path, body, key, session, stream }) {
    const parts = ['curl', ...stream ? ['-N'] : [], '-X', method, '-H', `"Authorization: Bearer ${session ? '$STOREBUS_SESSION' : '$STOREBUS_ADMIN_KEY'}"`];
    if (key) parts.push('-H', quote(`Idempotency-Key: ${typeof key === 'string' ? key : 'KEY'}`));
    if (body instanceof Blob) parts.push('--data-binary', quote('@' + (body.name || 'FILE')));
    else if (body !== undefined) parts.push('-H', "'Content-Type: application/json'", '-d', quote(JSON.stringify(body)));
    return [...parts, quote(location.origin + inStore(path))].join(' ');
}

// Flags that have no value.
const BARE = new Set(['--yes', '--back', '--delete', '--shuffle', '--duplicate', '--none', '--only-send']);

// The bus is one for all stores.
const OF_INSTALLATION = new Set(['bus', 'chaos', 'trace']);

// A command line of words; --bundle-id is added where the command takes one, and --store in an isolated one. A flag is followed by its value, and left out when
// that is not given. What is named in the store is in a list of its own: it is never a flag, and from the first that begins with -
// on all that is no flag goes behind --.
export function cli(words, app = chosenApp.get()) {
    const said = value => value === undefined || value === null ? '' : String(value);
    const line = ['storebus'];
    const last = [];
    const option = (flag, value) => line.push(...value.startsWith('-') ? [quote(`${flag}=${value}`)] : [flag, quote(value)]);
    const argument = word => {
        if (word === '') return;
        if (last.length || word.startsWith('-')) last.push(quote(word));
        else line.push(quote(word));
    };
    for (let index = 0; index < words.length; index += 1) {
        const word = words[index];
        if (Array.isArray(word)) word.map(said).forEach(argument);
        else if (BARE.has(word)) line.push(word);
        else if (/^--[a-z]/.test(word)) {
            const value = said(words[index += 1]);
            if (value !== '') option(word, value);
        } else argument(said(word));
    }
    if (app) option('--bundle-id', app);
    if (store && !OF_INSTALLATION.has(words[0])) option('--store', store);
    return [...line, ...last.length ? ['--', ...last] : []].join(' ');
}

export const showCommands = action => ask(strings.sameAs(action.label), close => html`
    ${action.cli && html`<h3>${strings.asCLI}</h3><${Code} text=${action.cli} label=${strings.copyCLI} />`}
    ${action.path && html`<h3>${strings.asCurl}</h3><${Code} text=${curl(action)} label=${strings.copyCurl} />`}
    <div class="row"><button autofocus onClick=${() => close()}>${strings.close}</button></div>`);

// Returns the answer, or undefined when it was not done; what went wrong is said, and stays until it is closed. `said` is what
// happened, or makes it of the answer; `to` is the thing it happened to, likewise.
export async function perform(action) {
    if (action.confirm && !await confirm(action.label, action.confirm, action.verb || action.label)) return undefined;
    try {
        const answer = action.run ? await action.run() : await call(action.method, action.path, action);
        record(action, answer);
        const of = value => typeof value === 'function' ? value(answer) : value;
        toast(of(action.said) || strings.done(action.label), of(action.to));
        return answer ?? true;
    } catch (problem) {
        toastProblem(problem);
        return undefined;
    }
}

// What shows an action as commands, where it is not done by a button of its own.
export const More = ({ of }) => html`<button type="button" class="plain more" aria-label=${strings.commandsFor(of.label)} title=${strings.commandsFor(of.label)} onClick=${() => showCommands(of)}>${'>_'}</button>`;

// A button that does it, beside one that shows it as commands. `of` is an action, or makes one from the form it is in. With
// `shown` the button shows that instead of its label, with `pressed` it says whether it is on.
export function Action({ of, done, primary, disabled }) {
    const [busy, setBusy] = useState(false);
    const action = event => typeof of === 'function' ? of(event.currentTarget.form) : of;
    const { label } = of;
    const run = async event => {
        event.preventDefault();
        // Not disabled meanwhile, which would lose the focus.
        if (busy) return;
        const form = event.currentTarget.form;
        if (typeof of === 'function' && form && !form.reportValidity()) return;
        const chosen = action(event);
        if (!chosen) return;
        setBusy(true);
        const answer = await perform(chosen);
        setBusy(false);
        if (answer !== undefined) done?.(answer);
        // What was done may have taken the button away; the focus does not get lost with it.
        setTimeout(() => { if (document.activeElement === document.body) document.querySelector('main h1')?.focus(); }, 400);
    };
    return html`<span class="action">
        <button type=${typeof of === 'function' ? 'submit' : 'button'} class=${of.danger ? 'danger' : primary ? 'primary' : ''} disabled=${disabled} aria-pressed=${of.pressed} aria-disabled=${busy || undefined} onClick=${run}>${of.shown || label}</button>
        <button type="button" class="more" aria-label=${strings.commandsFor(label)} title=${strings.commandsFor(label)}
            onClick=${event => { const chosen = action(event); if (chosen) showCommands(chosen); }}>${'>_'}</button>
    </span>`;
}

// An action made from a form when it is needed.
export const making = (label, make, danger) => Object.assign(form => ({ label, danger, ...make(form) }), { label, danger });

export const Actions = ({ of, done }) => html`<div class="row">${of.map(action => html`<${Action} of=${action} done=${done} key=${action.label} />`)}</div>`;
