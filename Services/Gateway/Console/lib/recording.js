// What the operator does as a scenario, which `storebus scenario run` takes: the command line of each action that succeeded. The tab
// keeps it.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';
import { storeNow } from './clock.js';
import { store } from './router.js';
import { Code, ask, box, chosenApp, toastProblem } from './ui.js';

const text = strings.recording;
const KEPT = 'storebus.recording';
// Those of the installation, and those that only look.
const LEFT_OUT = /^storebus (bus|chaos|ca|import)\b/;
const steps = box(JSON.parse(sessionStorage.getItem(KEPT) || 'null'));

function keep(value) {
    steps.set(value);
    if (value) sessionStorage.setItem(KEPT, JSON.stringify(value));
    else sessionStorage.removeItem(KEPT);
}

// Adds an action that was done. `answer` has the identifier that a later one may name.
export function record(action, answer) {
    const recorded = steps.get();
    if (!recorded || recorded.store !== store || recorded.app !== chosenApp.get() || action.method === 'GET' || LEFT_OUT.test(action.cli)) return;
    // A line of several commands is none of a scenario's.
    const line = /[|]|\$\(/.test(action.cli) ? undefined : action.cli?.replace(/ --store t-\d+(?= |$)/, '').replaceAll('${', '$${');
    const made = [answer?.transactionIdentifier, answer?.intentIdentifier, answer?.keyIdentifier, answer?.id].find(Boolean);
    const isDeclined = /^storebus sub (renew|resolve-billing) /.test(action.cli) && !answer?.transaction;
    const fails = isDeclined || /^storebus buy /.test(action.cli) && answer?.transactionState === 'failed';
    keep({ ...recorded, lines: [...recorded.lines, { line, made, label: action.label, fails }] });
}

const quoted = line => / #|: /.test(line) ? JSON.stringify(line) : line;
const named = (line, made) => line !== undefined && new RegExp(`(^| )${made}(?= |$)`).test(line);

// An action without a command line is a comment.
export function yaml({ app, clock, lines }) {
    const variables = new Map();
    const all = lines.map(({ line, made, label, fails }, index) => {
        if (line === undefined) return `  # ${text.noCommand(label)}`;
        let words = line;
        for (const [known, name] of variables) words = words.replace(new RegExp(`(^| )${known}(?= |$)`, 'g'), `$1\${${name}}`);
        const isSaved = made && !variables.has(made) && lines.slice(index + 1).some(later => named(later.line, made));
        if (!isSaved && !fails) return `  - ${quoted(words)}`;
        if (isSaved) variables.set(made, `s${index + 1}`);
        return [`  - run: ${quoted(words)}`, ...fails ? ['    fails: true'] : [], ...isSaved ? [`    save: s${index + 1}`] : []].join('\n');
    });
    return [`scenario: ${text.name}`, `store: { bundle-id: ${app}, clock: ${JSON.stringify(clock)}, seed: 1 }`, all.length ? 'steps:' : 'steps: []', ...all, ''].join('\n');
}

const show = () => ask(text.title, close => {
    const written = yaml(steps.get());
    const download = () => import('./export.js').then(({ save }) => save('console.scenario.yaml', 'application/yaml', written), toastProblem);
    const end = () => {
        keep(null);
        close();
    };
    return html`<p class="note">${text.says}</p><${Code} text=${written} />
        <div class="row"><button class="primary" onClick=${download}>${text.download}</button>
        <button onClick=${end}>${text.end}</button><button autofocus onClick=${() => close()}>${strings.close}</button></div>`;
});

// Begins a recording, or shows the one that goes on.
export function Recording() {
    const recorded = steps.use();
    const begin = () => keep({ app: chosenApp.get(), store, clock: new Date(storeNow() ?? Date.now()).toISOString(), lines: [] });
    return recorded
        ? html`<button class="plain" title=${text.title} onClick=${show}><span aria-hidden="true">● </span>${text.count(recorded.lines.length)}</button>`
        : html`<button class="plain" title=${text.beginSays} onClick=${begin}>${text.begin}</button>`;
}
