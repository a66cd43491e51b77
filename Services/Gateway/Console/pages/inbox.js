// What waits for a person, to be answered here.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, get, url } from '../lib/api.js';
import { Action, cli, making, perform } from '../lib/actions.js';
import { transactionEvents, useData, useEvery } from '../lib/data.js';
import { State, Time, elapsed, money, words } from '../lib/format.js';
import { ERRORS } from '../lib/names.js';
import { link } from '../lib/router.js';
import { productOf } from '../lib/transactions.js';
import { Card, Choice, Facts, Head, Loaded, chosenApp, values } from '../lib/ui.js';

const text = strings.inbox;
const DECLINES = [...ERRORS, 'cloudServicePermissionDenied'];

function answer(prompt, choice, error) {
    const body = error ? { answer: choice, error } : { answer: choice };
    return {
        label: text.answer[choice], method: 'POST', path: url('/admin/v1/prompts', prompt.id), body, danger: choice !== 'approve', said: text.did[choice](prompt.account),
        to: prompt.transaction && { href: link('transactions', prompt.transaction.id), name: productOf(prompt.transaction) },
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
                [strings.transactions.price, about(prompt)], [text.device, transaction?.originDeviceId], [text.waits, html`<span title=${prompt.createdAt}>${elapsed((Date.now() - Date.parse(prompt.createdAt)) / 1000)}</span>`],
            ]} />
            <div class="row end">
                ${prompt.answers.map(choice => html`<${Action} of=${answer(prompt, choice, choice === 'decline' ? error : '')} done=${done} primary=${choice === 'approve'} key=${choice} />`)}
                ${prompt.answers.includes('decline') && html`<${Choice} label=${text.errorLabel} value=${error} options=${[['', text.noError], ...DECLINES]} onChange=${setError} />`}
            </div>
        </div>
    </${Card}>`;
}

function decide(request, verb, label) {
    return making(label, form => {
        const { share } = values(form);
        const body = verb === 'grant' ? share ? { type: share } : {} : undefined;
        return { method: 'POST', path: url('/admin/v1/refundRequests', request.refundRequestIdentifier) + `/${verb}`, body, said: text.did[verb === 'grant' ? 'granted' : 'declined'](request.account), to: { href: link('transactions', request.transactionId), name: request.transactionIdentifier } };
    }, verb === 'decline');
}

const Refund = ({ request, done }) => html`<${Card} title=${text.refundOf(request.account)} tools=${html`<code class="small soft">${request.refundRequestIdentifier}</code>`}>
    <div class="stack">
        <${Facts} of=${[[strings.transactions.account, html`<a href=${link('customers', request.account)}>${request.account}</a>`], [strings.transactions.id, html`<a href=${link('transactions', request.transactionId)}>${request.transactionIdentifier}</a>`], [strings.transactions.why, words(request.reason)], [strings.transactions.state, html`<${State} of=${request.state} />`], [text.since, html`<${Time} at=${request.requestedAt} />`]]} />
        ${request.state === 'open' && html`<form class="row end">
            <${Choice} label=${text.share} name="share" options=${[['', text.full], ['REFUND_PRORATED', text.prorated]]} />
            <${Action} of=${decide(request, 'grant', text.grant)} done=${done} primary /><${Action} of=${decide(request, 'decline', text.decline)} done=${done} /></form>`}
    </div></${Card}>`;

// Those that wait; and the one that a link is to, whatever has become of it.
async function refundRequests(app, asked) {
    const open = await all(appURL(app, 'refund-requests'), { limit: 100 }, 'refundRequests', list => list.length < 300);
    const isAsked = one => one.refundRequestIdentifier === asked;
    if (!asked || open.some(isAsked)) return open.sort((a, b) => isAsked(b) - isAsked(a));
    // An old link may name one that is gone.
    const one = await get(url('/admin/v1/refundRequests', asked)).catch(problem => {
        if (problem.status === 404) return undefined;
        throw problem;
    });
    return one ? [one, ...open] : open;
}

export default function Inbox({ route }) {
    const app = chosenApp.use();
    const asked = route.query.get('refund');
    const prompts = useData(() => get('/admin/v1/prompts', { limit: 100 }), [], transactionEvents);
    const refunds = useData(() => refundRequests(app, asked), [app, asked], transactionEvents);
    const list = prompts.data?.prompts || [];
    useEvery(3000, prompts, refunds);
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
            <h2>${text.refund}</h2>
            <${Loaded} of=${refunds}>${requests => requests.length === 0 ? html`<p class="soft">${text.noRefunds}</p>`
                : html`<div class="cards">${requests.map(request => html`<${Refund} request=${request} done=${refunds.reload} key=${request.refundRequestIdentifier} />`)}</div>`}</${Loaded}>
        </div>`;
}
