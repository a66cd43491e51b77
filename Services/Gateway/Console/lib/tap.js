// A live tap of the bus: what passes, the newest first, from its start until it is paused or its page ends.
import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, path } from './api.js';
import { More, cli } from './actions.js';
import { bytes, dateTime, number, quote, rounded } from './format.js';
import { link } from './router.js';
import { Check, Code, Facts, Failure } from './ui.js';

const text = strings.tap;
const KEPT = 500;
const EVERYTHING = '>';
const NOTHING = { list: [], missed: 0, count: 0 };
const NOT_YET = { state: 'off' };
const milliseconds = value => text.ms(rounded(value));
const target = (subject, word) => path('/admin/v1/bus/tap', { subject: subject || EVERYTHING, text: word });

// Whether a subject is one of a pattern's: * is one token, > the rest.
function isOf(subject, pattern) {
    const tokens = subject.split('.');
    const wanted = pattern.split('.');
    const rest = wanted.indexOf(EVERYTHING);
    const literal = rest < 0 ? wanted : wanted.slice(0, rest);
    return (rest < 0 ? tokens.length === literal.length : tokens.length > rest) && literal.every((token, index) => token === '*' || token === tokens[index]);
}

// The last messages, and less of the polls.
const POLLS_KEPT = 100;
function kept(list) {
    let polls = 0;
    let others = 0;
    return list.filter(one => one.isPoll ? (polls += 1) <= POLLS_KEPT : (others += 1) <= KEPT);
}

// The command line takes a pattern or a word; a word that it would take for a pattern is looked for in its lines.
function command(subject, word, polls) {
    const pattern = subject || EVERYTHING;
    const trace = ['bus', 'trace', ...polls ? ['--polls'] : []];
    if (word && pattern === EVERYTHING && !/[.*>]/.test(word)) return cli([...trace, [word]], null);
    const line = cli([...trace, [pattern]], null);
    return word ? `${line.replace('trace', 'trace -o jsonl')} | grep -F -e ${quote(word)}` : line;
}

let count = 0;

// Made once, and again when a request has ended, so that a list of 500 is not drawn anew with each message.
const row = one => html`<${Message} of=${one} end=${one.end} key=${one.key} />`;

// `source`: the stream whose numbers the ends of its requests have.
function taken(message, asked, source) {
    const body = typeof message.body === 'string' ? message.body : JSON.stringify(message.body) ?? '';
    const one = { ...message, asked, source, key: ++count, holds: [message.subject, ...Object.values(message.headers || {}), body].join('\n') };
    one.row = row(one);
    return one;
}

// A list that is held has the same objects, and shows the ends, too.
function endAll(list, ends, source) {
    if (ends.length === 0) return;
    const known = new Map(ends.map(end => [end.request, end]));
    for (const one of list) {
        const end = one.source === source && known.get(one.request);
        if (!end) continue;
        one.end = end;
        one.row = row(one);
    }
}

// What came through, and whether more does. `asked` is the stream's address.
function useTap(asked) {
    const [wanted, want] = useState(false);
    const [now, set] = useState(NOT_YET);
    const [seen, setSeen] = useState(NOTHING);
    // A browser has six connections to a store, and a tap out of sight would keep one.
    const [inSight, setInSight] = useState(!document.hidden);
    useEffect(() => {
        const changed = () => setInSight(!document.hidden);
        document.addEventListener('visibilitychange', changed);
        return () => document.removeEventListener('visibilitychange', changed);
    }, []);
    useEffect(() => {
        if (!wanted || !inSight) return undefined;
        let source;
        let timer;
        let steady;
        let ended = false;
        let pause = 1000;
        const again = () => {
            timer = setTimeout(open, pause);
            pause = Math.min(pause * 2, 10000);
        };
        const lost = async () => {
            clearTimeout(steady);
            set(before => ({ ...before, state: 'lost' }));
            // The browser itself tries again only while the answer was a stream; why it was none is what a request is told.
            if (source.readyState !== EventSource.CLOSED) return;
            const problem = await get(asked, undefined, { as: 'nothing' }).then(() => undefined, refused => refused);
            if (ended) return;
            set({ state: problem && !problem.passes ? 'off' : 'lost', problem });
            if (problem && !problem.passes) want(false);
            else again();
        };
        const open = () => {
            source = new EventSource(asked);
            source.addEventListener('hello', () => {
                // A stream that ends at once is not asked for again and again.
                steady = setTimeout(() => { pause = 1000; }, 5000);
                set({ state: 'open' });
            });
            source.addEventListener('messages', event => {
                const { messages, ends, missed } = JSON.parse(event.data);
                const newer = messages.map(one => taken(one, asked, event.target)).reverse();
                setSeen(before => {
                    const list = kept([...newer, ...before.list]);
                    endAll(list, ends, event.target);
                    return { list, missed: before.missed + missed, count: before.count + newer.length };
                });
            });
            source.addEventListener('error', lost);
        };
        set({ state: 'opening' });
        open();
        return () => {
            ended = true;
            clearTimeout(timer);
            clearTimeout(steady);
            source.close();
        };
    }, [wanted, asked, inSight]);
    return {
        ...seen, problem: now.problem, state: wanted ? now.state : seen.count && !now.problem ? 'paused' : 'off',
        start: () => want(true),
        pause: () => { want(false); set(NOT_YET); },
        clear: () => setSeen(NOTHING),
    };
}

const OUTCOMES = { replied: 'good', failed: 'bad', noReply: 'warn' };

// How a request ended, or that it waits for its reply.
function End({ of }) {
    if (!of) return html`<span class="pill">${text.waits}</span>`;
    return html`<span class=${`pill ${OUTCOMES[of.outcome] || 'bad'}`}>${text.outcomes[of.outcome](milliseconds(of.durationMs))}</span>${of.error && html` <span class="soft small">${of.error}</span>`}`;
}

function Message({ of, end }) {
    const [open, setOpen] = useState(false);
    const headers = of.headers || {};
    const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(headers.traceparent)?.[1];
    const actor = headers['Sb-Actor'];
    return html`<li>
        <details onToggle=${event => setOpen(event.currentTarget.open)}>
            <summary><time datetime=${of.at} title=${of.at}>${dateTime(of.at, 'precise')}</time> <code>${of.subject}</code> ${of.service && html`<span class="soft small">${of.service}</span>`} ${of.reply && html`<${End} of=${end} />`} <span class="soft small">${bytes(of.bytes)}</span></summary>
            ${open && html`<div class="stack">
                <${Facts} of=${Object.entries(headers)} />
                ${of.body === '' || of.body === undefined ? html`<p class="soft">${text.noBody}</p>` : html`<${Code} text=${typeof of.body === 'string' ? of.body : JSON.stringify(of.body, null, 2)} />`}
                ${typeof of.body === 'string' && of.bytes > 4096 && html`<p class="soft">${text.cut(bytes(of.bytes))}</p>`}
            </div>`}
        </details>
        ${(trace || actor) && html`<div class="soft small">
            ${trace && html`${text.trace} <a class="mono" href=${link('bus', { text: trace })} title=${text.traceLink}>${trace}</a> `}${actor && html`${text.actor} <span class="mono">${actor}</span>`}
        </div>`}
    </li>`;
}

const TONE = { open: 'good', lost: 'warn', opening: 'warn' };

// `subject`: a pattern; `word`: what messages hold; `children`: the fields that set them, where they can be set.
export function Tap({ subject, word, children }) {
    const asked = target(subject, word);
    const tap = useTap(asked);
    const { state } = tap;
    const isOn = state !== 'off' && state !== 'paused';
    // The button that was pressed is gone, and its successor has the focus.
    const toggle = useRef();
    const isDrawn = useRef(false);
    useEffect(() => {
        if (isDrawn.current && document.activeElement === document.body) toggle.current?.focus();
        isDrawn.current = true;
    }, [isOn]);
    // They are shown when they are asked for.
    const [shows, setShows] = useState(false);
    const showsPolls = shows || tap.list.some(one => one.isPoll && one.subject === subject);
    // While one is looked at the list does not move.
    const [held, hold] = useState();
    const fit = useMemo(() => {
        const list = held?.list || tap.list;
        // Of its own stream the gateway has looked at the whole body.
        return list.filter(one => (showsPolls || !one.isPoll) && (one.asked === asked || ((!subject || isOf(one.subject, subject)) && (!word || one.holds.includes(word)))));
    }, [held, tap.list, asked, showsPolls]);
    useEffect(() => { if (fit.length === 0) hold(undefined); }, [fit.length]);
    const waiting = held ? tap.count - held.count : 0;
    const keep = () => hold(before => before || { list: tap.list, count: tap.count });
    const letGo = event => { if (!event.currentTarget.contains(event.relatedTarget) && !(event.type === 'pointerleave' && event.currentTarget.contains(document.activeElement))) hold(undefined); };
    const start = event => {
        event.preventDefault();
        tap.start();
    };
    const clear = () => {
        hold(undefined);
        tap.clear();
    };
    return html`<div class="stack">
        <form class="row end" onSubmit=${start}>
            ${children}
            ${isOn ? html`<button type="button" ref=${toggle} onClick=${tap.pause} key="pause">${text.pause}</button>` : html`<button class="primary" ref=${toggle} key="start">${state === 'paused' ? text.goOn : text.start}</button>`}
            <button type="button" onClick=${clear}>${text.clear}</button>
            <${Check} label=${text.polls} checked=${shows} onChange=${event => setShows(event.target.checked)} />
            <${More} of=${{ label: text.title, method: 'GET', path: asked, stream: true, cli: command(subject, word, shows) }} />
        </form>
        <${Failure} error=${tap.problem} retrying />
        <p class="row"><span class=${`pill ${TONE[state] || ''}`} role="status">${text.states[state]}</span>
            <span class="soft small">${tap.count > 0 && text.count(number(fit.length), number(tap.count))} ${tap.missed > 0 && text.missed(number(tap.missed))} ${waiting > 0 && text.waiting(number(waiting))}</span></p>
        ${fit.length === 0 ? html`<p class="empty">${tap.list.length > 0 ? strings.table.noMatch : isOn ? text.quiet : text.notStarted}</p>`
            : html`<ol class="plain list tap" tabindex="0" aria-label=${text.title} onFocusIn=${keep} onFocusOut=${letGo} onPointerEnter=${keep} onPointerLeave=${letGo}>${fit.map(one => one.row)}</ol>`}
    </div>`;
}
