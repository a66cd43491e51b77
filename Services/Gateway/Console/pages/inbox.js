// What waits for a person, to be answered here.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { get, url } from '../lib/api.js';
import { Action, cli, making, perform } from '../lib/actions.js';
import { transactionEvents, useData } from '../lib/data.js';
import { State, Time, money, words } from '../lib/format.js';
import { ERRORS } from '../lib/names.js';
import { link } from '../lib/router.js';
import { Card, Choice, Facts, Failure, Field, Head, Loaded, values } from '../lib/ui.js';

const text = strings.inbox;
const DECLINES = [...ERRORS, 'cloudServicePermissionDenied'];

function answer(prompt, choice, error) {
    const body = error ? { answer: choice, error } : { answer: choice };
    return {
        label: text.answer[choice], method: 'POST', path: url('/admin/v1/prompts', prompt.id), body, danger: choice !== 'approve', said: () => text.answered,
        cli: cli(['prompt', 'answer', prompt.id, choice, ...error ? ['--error', error] : []], null),
    };
}

function about(prompt) {
    if (prompt.kind === 'priceConsent' && prompt.priceIncrease) return text.price(money(prompt.priceIncrease.formerPrice), money(prompt.priceIncrease.price));
    if (prompt.appPrice) return money(prompt.appPrice);
    return prompt.transaction?.price && money(prompt.transaction.price);
}

function Prompt({ prompt, done }) {
    const [error, setError] = useState('');
    const { transaction } = prompt;
    const product = prompt.productIdentifier || transaction?.payment.productIdentifier;
    return html`<${Card} title=${text.kind[prompt.kind] || words(prompt.kind)} tools=${html`<code class="small soft">${prompt.id}</code>`}>
        <div class="stack">
            <${Facts} of=${[
                [strings.transactions.account, html`<a href=${link('customers', prompt.account)}>${prompt.account}</a>`],
                [strings.transactions.product, transaction ? html`<a href=${link('transactions', transaction.id)}>${product}</a>` : product],
                [strings.transactions.price, about(prompt)], [text.since, html`<${Time} at=${prompt.createdAt} />`],
            ]} />
            <div class="row end">
                ${prompt.answers.map(choice => html`<${Action} of=${answer(prompt, choice, choice === 'decline' ? error : '')} done=${done} primary=${choice === 'approve'} key=${choice} />`)}
                ${prompt.answers.includes('decline') && html`<${Choice} label=${text.errorLabel} value=${error} options=${[['', text.noError], ...DECLINES]} onChange=${setError} />`}
            </div>
        </div>
    </${Card}>`;
}

function Refund({ asked }) {
    const [found, set] = useState();
    const [error, setError] = useState();
    const read = id => {
        setError(undefined);
        set(undefined);
        get(url('/admin/v1/refundRequests', id)).then(set, setError);
    };
    const look = event => {
        event.preventDefault();
        read(values(event.target).id);
    };
    useEffect(() => { if (asked) read(asked); }, [asked]);
    const decide = (verb, label) => making(label, form => {
        const share = form && values(form).share;
        const body = verb === 'grant' ? share ? { type: share } : {} : undefined;
        return { method: 'POST', path: url('/admin/v1/refundRequests', found.refundRequestIdentifier) + `/${verb}`, body };
    }, verb === 'decline');
    return html`<${Card} title=${text.refund}><div class="stack">
        <p class="soft">${text.refundSays}</p>
        <form class="row end" onSubmit=${look} key=${asked}><${Field} label=${text.refundId} name="id" value=${asked} required /><button>${text.look}</button></form>
        <${Failure} error=${error} />
        ${found && html`<${Facts} of=${[[text.refundId, html`<code>${found.refundRequestIdentifier}</code>`], [strings.transactions.account, found.account], [strings.transactions.id, html`<a href=${link('transactions', found.transactionId)}>${found.transactionIdentifier}</a>`], [strings.transactions.why, words(found.reason)], [strings.transactions.state, html`<${State} of=${found.state} />`], [text.since, html`<${Time} at=${found.requestedAt} />`]]} />
            ${found.state === 'open' && html`<form class="row end">
                <${Choice} label=${text.share} name="share" options=${[['', text.full], ['REFUND_PRORATED', text.prorated]]} />
                <${Action} of=${decide('grant', text.grant)} done=${set} primary /><${Action} of=${decide('decline', text.decline)} done=${set} /></form>`}`}
    </div></${Card}>`;
}

export default function Inbox({ route }) {
    const prompts = useData(() => get('/admin/v1/prompts', { limit: 100 }), [], transactionEvents);
    const list = prompts.data?.prompts || [];
    useEffect(() => {
        const timer = setInterval(prompts.reload, 3000);
        return () => clearInterval(timer);
    }, []);
    const busy = useRef(false);
    useEffect(() => {
        const pressed = async event => {
            if (busy.current || event.repeat || document.querySelector('dialog[open]')) return;
            if (!list.length || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea, dialog')) return;
            const choice = { a: 'approve', d: list[0].answers.find(one => one !== 'approve') }[event.key];
            if (!choice) return;
            busy.current = true;
            try {
                await perform(answer(list[0], choice));
                await prompts.reload();
            } finally {
                busy.current = false;
            }
        };
        addEventListener('keydown', pressed);
        return () => removeEventListener('keydown', pressed);
    }, [prompts.data]);
    return html`<${Head} title=${strings.nav.inbox} says=${text.says} />
        <div class="stack">
            <${Loaded} of=${prompts}>${data => html`
                ${data.degraded.length > 0 && html`<p class="note">${text.degraded(data.degraded.join(', '))}</p>`}
                ${list.length === 0 ? html`<${Card} title=${text.prompts}><p class="empty">${text.empty}</p></${Card}>`
                    : html`<p class="soft small">${text.keys}</p><div class="cards">${list.map(prompt => html`<${Prompt} prompt=${prompt} done=${prompts.reload} key=${prompt.id} />`)}</div>`}`}</${Loaded}>
            <${Refund} asked=${route.query.get('refund')} />
        </div>`;
}
