// One lane for each subscription: what was tried, paid, owed, and what comes.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, get, url } from '../lib/api.js';
import { Action, Actions, making } from '../lib/actions.js';
import { Axis, Lane } from '../lib/charts.js';
import { storeNow } from '../lib/clock.js';
import { transactionEvents, useData } from '../lib/data.js';
import { Export } from '../lib/export.js';
import { State, Time, dateTime, money, words } from '../lib/format.js';
import { link } from '../lib/router.js';
import { actionsOf, extend, segmentsOf } from '../lib/subscriptions.js';
import { Card, Choice, Facts, Field, Head, Id, Json, Loaded, ask, chosenApp, values } from '../lib/ui.js';

const text = strings.subscriptions;
const STATES = ['subscribed', 'inGracePeriod', 'inBillingRetryPeriod', 'expired', 'revoked'];
const PAGE = 20;
// Of the list as CSV.
const COLUMNS = [
    { title: strings.transactions.id, cell: one => one.originalTransactionIdentifier }, { title: strings.transactions.account, cell: one => one.account },
    { title: strings.transactions.product, cell: one => one.productIdentifier }, { title: strings.transactions.state, cell: one => one.state },
    { title: text.purchased, cell: one => one.purchaseDate }, { title: text.expires, cell: one => one.expiresDate },
    { title: strings.transactions.price, cell: one => one.renewalPrice && `${one.renewalPrice.amount} ${one.renewalPrice.currency}` },
];

const Key = () => html`<p class="key">${['trial', 'paid', 'grace', 'retry'].map(kind => html`<span><svg class="lane" viewBox="0 0 12 12" aria-hidden="true"><rect class=${kind} width="12" height="12" rx="3" /></svg>${text.kinds[kind]}</span>`)}<span>${text.pale}</span></p>`;

function load(app, state, after, only) {
    const timeline = subscription => get(url('/admin/v1/subscriptions', subscription.transactionIdentifier) + '/timeline', { limit: 500 });
    if (only) return timeline({ transactionIdentifier: only }).then(one => ({ timelines: [one] }));
    return get('/admin/v1/subscriptions', { bundleId: app, state, after, limit: PAGE })
        .then(async page => ({ ...page, timelines: await Promise.all(page.subscriptions.map(timeline)) }));
}

const placeOf = ({ commitment }) => commitment && text.payment(commitment.billingPeriodNumber, commitment.totalBillingPeriods);

// The plan, and what follows a year in monthly payments.
function planOf(subscription) {
    const { billingPlanType, commitment, commitmentRenewal: next } = subscription;
    if (!commitment) return [[text.plan, billingPlanType && text.upFront]];
    return [[text.plan, text.monthly(placeOf(subscription), money(commitment.price))], [text.commitment, html`<${Time} at=${commitment.expiresDate} />`],
        [text.then, next && (next.willAutoRenew ? `${next.autoRenewProductIdentifier}, ${next.billingPlanType === 'MONTHLY' ? text.eachMonth : text.upFront}` : text.ends)]];
}

function comes(subscription) {
    if (subscription.state === 'expired' || subscription.state === 'revoked') return words(subscription.expirationReason);
    if (subscription.nextRetryDate) return html`${text.retries} <${Time} at=${subscription.nextRetryDate} />`;
    if (subscription.gracePeriodExpiresDate) return html`${text.ends} <${Time} at=${subscription.gracePeriodExpiresDate} />`;
    return subscription.willAutoRenew ? html`${text.renews(money(subscription.renewalPrice))} <${Time} at=${subscription.expiresDate} />` : html`${text.ends} <${Time} at=${subscription.expiresDate} />`;
}

// Everything that can be done with it, in a row on its own page and in a dialog elsewhere.
function Doing({ subscription, done }) {
    const longer = making(strings.act.extend, form => extend(subscription, Number(values(form).days)));
    const isOver = subscription.state === 'expired' || subscription.state === 'revoked';
    return html`<div class="row end"><${Actions} of=${actionsOf(subscription)} done=${done} />
        ${!isOver && html`<form class="row end"><${Field} label=${strings.act.days} name="days" type="number" min="1" max="90" value="7" required /><${Action} of=${longer} done=${done} /></form>`}</div>`;
}

const menu = (subscription, reload) => ask(strings.table.rowActions(subscription.originalTransactionIdentifier), close => html`
    <${Doing} subscription=${subscription} done=${() => { close(); reload(); }} />
    <div class="row"><button autofocus onClick=${() => close()}>${strings.close}</button></div>`);

function One({ timeline, start, end, now, reload, whole }) {
    const { subscription, events } = timeline;
    const segments = segmentsOf(timeline, now);
    const id = subscription.originalTransactionIdentifier;
    const isLong = end - start > 300 * 86400000;
    const label = segments.map(one => one.title).join('; ') || words(subscription.state);
    return html`<${Card} title=${subscription.account} tools=${html`<${State} of=${subscription.state} /><${Json} of=${timeline} title=${id} />${!whole && actionsOf(subscription).length > 0 && html`<button aria-label=${strings.table.rowActions(id)} onClick=${() => menu(subscription, reload)}>${strings.actions}</button>`}`}>
        <div class="stack">
            <p class="row"><a href=${link('products', subscription.productIdentifier)}>${subscription.productIdentifier}</a>
                <span class="small"><${Id} of=${id} href=${link('subscriptions', id)} /></span>
                <span class="soft small">${placeOf(subscription) && `${placeOf(subscription)}, `}${comes(subscription)}</span></p>
            <div><${Lane} segments=${segments} start=${start} end=${end} now=${now} label=${label} />
                <${Axis} start=${start} end=${end} say=${at => dateTime(at, isLong ? 'month' : 'day')} /></div>
            ${whole && html`<${Doing} subscription=${subscription} done=${reload} /><${Facts} of=${[[text.group, subscription.subscriptionGroupIdentifier], [text.next, subscription.autoRenewProductIdentifier], ...planOf(subscription), [text.purchased, html`<${Time} at=${subscription.purchaseDate} />`], [text.grace, subscription.gracePeriodExpiresDate && html`<${Time} at=${subscription.gracePeriodExpiresDate} />`], [text.lastTry, subscription.lastRetryDate && html`<${Time} at=${subscription.lastRetryDate} />`]]} />
                <ol class="plain timeline">${events.map(event => html`<li><strong>${words(event.kind)}</strong> <span class="soft">${event.productIdentifier}${event.amount ? ` · ${money(event.amount)}` : ''}</span>
                    <div class="soft small"><${Time} at=${event.at} /> ${event.detail || ''}</div></li>`)}</ol>`}
        </div></${Card}>`;
}

export default function Subscriptions({ route }) {
    const app = chosenApp.use();
    const only = route.parts[1];
    const [state, setState] = useState('');
    const [places, setPlaces] = useState([undefined]);
    const found = useData(() => load(app, state, places.at(-1), only), [app, state, places, only], transactionEvents);
    return html`<${Head} title=${strings.nav.subscriptions}>
            ${!only && html`<${Choice} label=${strings.transactions.state} value=${state} options=${[['', strings.all], ...STATES.map(one => [one, words(one)])]} onChange=${value => { setPlaces([undefined]); setState(value); }} /><${Export} name=${strings.nav.subscriptions} rows=${() => all('/admin/v1/subscriptions', { bundleId: app, state, limit: 100 }, 'subscriptions')} columns=${COLUMNS} />`}
            ${only && html`<a class="button" href=${link('subscriptions')}>${text.allOfThem}</a>`}</${Head}>
        <div class="stack"><${Key} />
        <${Loaded} of=${found}>${data => {
            const now = +(storeNow() || Date.now());
            const times = data.timelines.flatMap(({ subscription, events }) => [Date.parse(subscription.expiresDate), ...events.map(event => Date.parse(event.at))]);
            const start = Math.min(now, ...times);
            const end = Math.max(now, ...times) + (now - start) * 0.03 + 1000;
            return html`${data.timelines.length === 0 && html`<p class="empty">${text.empty}</p>`}
                ${data.timelines.map(timeline => html`<${One} timeline=${timeline} start=${start} end=${end} now=${now} reload=${found.reload} whole=${Boolean(only)} key=${timeline.subscription.originalTransactionIdentifier} />`)}
                ${(places.length > 1 || data.after) && html`<div class="row">
                    <button disabled=${places.length === 1} onClick=${() => setPlaces(places.slice(0, -1))}>${text.before}</button>
                    <button disabled=${!data.after} onClick=${() => setPlaces([...places, data.after])}>${text.after}</button></div>`}`;
        }}</${Loaded}></div>`;
}
