// One transaction, with all that is known of it.
import { html, useMemo, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, get, url } from '../lib/api.js';
import { Actions, Action, cli } from '../lib/actions.js';
import { anyEvent, useData } from '../lib/data.js';
import { State, Time, money, period, words } from '../lib/format.js';
import { claims, pretty } from '../lib/jws.js';
import { withdrawalOf } from '../lib/filter.js';
import { recentEvents } from '../lib/live.js';
import { go, link } from '../lib/router.js';
import { Tap } from '../lib/tap.js';
import { actionsOf, findTransaction, productOf, shortId } from '../lib/transactions.js';
import { Card, Code, Facts, Head, Id, Json, Loaded } from '../lib/ui.js';

const text = strings.transaction;
const yes = value => value ? strings.yes : strings.no;

function Signed({ row }) {
    const [jws, set] = useState();
    const action = {
        label: text.show, method: 'POST', path: appURL(row.bundleId) + '/signing/issue', body: { kind: 'transaction', of: shortId(row) },
        cli: cli(['ca', 'issue', 'transaction', shortId(row)], row.bundleId), said: text.signed,
    };
    return html`<${Card} title=${text.jws} tools=${html`<${Action} of=${action} done=${answer => set(answer.jws)} />`}>
        ${!jws ? html`<p class="soft">${text.jwsSays}</p>` : html`<h3>${text.claims}</h3><${Code} text=${pretty(claims(jws))} label=${text.copyClaims} />
            <h3>${text.token_}</h3><${Code} text=${jws} label=${text.copyToken} />`}
    </${Card}>`;
}

// Its states as its dates tell them, and those that were seen as they happened.
function history(row, timeline) {
    const list = timeline ? timeline.events.map(event => ({ at: event.at, says: words(event.kind), more: [event.amount && money(event.amount), event.detail].filter(Boolean).join(' · '), id: event.transactionIdentifier }))
        : [{ at: row.transactionDate, says: words(row.transactionState), more: row.error?.localizedDescription || money(row.price) },
            row.revocationDate && { at: row.revocationDate, says: words(withdrawalOf(row)), more: words(row.revocationReason) }];
    for (const event of recentEvents()) {
        if (event.transaction?.id === row.id && (event.type === 'finished' || event.type === 'purchasing')) list.push({ says: words(event.type), more: text.lastEvents, first: event.type === 'purchasing' });
    }
    const known = list.filter(Boolean);
    return [...known.filter(one => one.first), ...known.filter(one => !one.first)];
}

const Timeline = ({ of, mine }) => html`<ol class="plain timeline">${of.map(one => html`<li>
    <strong>${one.says}</strong> ${one.id && one.id !== mine && html`<a class="mono small" href=${link('transactions', one.id)}>${one.id}</a>`}
    <div class="soft small">${one.at && html`<${Time} at=${one.at} /> `}${one.more}</div>
</li>`)}</ol>`;

export default function Transaction({ route }) {
    const id = route.parts[1];
    const found = useData(async () => {
        const row = await findTransaction(id);
        if (!row) return null;
        const [timeline, notifications] = await Promise.all([
            row.expiresDate ? get(url('/admin/v1/subscriptions', row.id) + '/timeline', { limit: 500 }).catch(() => null) : null,
            all(appURL(row.bundleId, 'notifications'), { account: row.account, limit: 100 }, 'notifications', list => list.length < 300).catch(() => []),
        ]);
        return { row, timeline, notifications };
    }, [id], anyEvent);
    return html`<${Loaded} of=${found}>${data => data === null ? html`<${Head} title=${text.unknown} />` : html`<${View} ...${data} reload=${found.reload} />`}</${Loaded}>`;
}

function View({ row, timeline, notifications, reload }) {
    const subscription = timeline?.subscription;
    const events = useMemo(() => history(row, timeline), [row, timeline]);
    // An answer without a body is that of a removal.
    const removed = answer => { if (answer === true) go('transactions'); else reload(); };
    const facts = [
        [text.identifier, row.transactionIdentifier && html`<${Id} of=${row.transactionIdentifier} />`], [text.original, row.originalTransactionIdentifier && html`<${Id} of=${row.originalTransactionIdentifier} href=${link('transactions', row.originalTransactionIdentifier)} />`],
        [text.product, html`<${Id} of=${productOf(row)} href=${link('products', productOf(row))} />`], [text.state, html`<${State} of=${row.transactionState} />`],
        [text.purchaseDate, row.transactionDate && html`<${Time} at=${row.transactionDate} />`], [text.expirationDate, row.expiresDate && html`<${Time} at=${row.expiresDate} />`], [text.cancelDate, row.revocationDate && html`<${Time} at=${row.revocationDate} />`],
        [text.autoRenew, subscription && yes(subscription.willAutoRenew)], [text.ask, yes(row.transactionState === 'deferred')],
        [text.issue, yes(row.error?.reason === 'interrupted' || subscription?.state === 'inBillingRetryPeriod')], [text.consent, yes(row.priceIncrease?.status === 'pending' || subscription?.priceIncrease?.status === 'pending')],
    ];
    const rest = [
        [text.account, html`<a href=${link('customers', row.account)}>${row.account}</a>`], [text.device, row.originDeviceId], [text.finished, row.transactionState === 'purchasing' || row.transactionState === 'deferred' ? undefined : yes(row.isFinished)],
        [text.price, row.price && money(row.price)], [text.quantity, row.payment.quantity], [text.offer, row.offer && `${words(row.offer.type)}, ${words(row.offer.paymentMode)}${row.offer.period ? `, ${period(row.offer.period)}` : ''}`],
        [text.error, row.error && `${row.error.localizedDescription} (${row.error.name} ${row.error.code})`], [text.revocation, row.revocationDate && [words(row.revocationType), words(row.revocationReason)].join(', ')],
        [text.username, row.payment.applicationUsername], [text.token, row.payment.appAccountToken && html`<${Id} of=${row.payment.appAccountToken} />`], [text.order, row.order && html`<${Id} of=${row.order} />`], [text.supersedes, row.supersedes && html`<a href=${link('transactions', row.supersedes)}>${row.supersedes}</a>`],
        [text.deliveries, row.deliveries], [text.revision, row.revision], [text.internal, row.id && html`<${Id} of=${row.id} />`],
    ];
    return html`<${Head} title=${text.title(shortId(row))}><${Actions} of=${actionsOf(row)} done=${removed} /><${Json} title=${text.title(shortId(row))} of=${row} /><a class="button" href=${link('traces', shortId(row))}>${strings.traces.open}</a></${Head}>
        <div class="columns">
            <div class="stack">
                <${Card} title=${text.facts}><${Facts} of=${facts} /></${Card}>
                <${Card} title=${text.rest}><${Facts} of=${rest} /></${Card}>
                ${row.transactionIdentifier && html`<${Signed} row=${row} key=${`${row.id} ${row.revision}`} />`}
            </div>
            <div class="stack">
                <${Card} title=${subscription ? text.subscription : text.timeline} tools=${subscription && html`<a href=${link('subscriptions', subscription.originalTransactionIdentifier)}>${strings.nav.subscriptions}</a>`}>
                    <div class="stack"><${Timeline} of=${events} mine=${row.transactionIdentifier} />
                        <div><h3>${text.onTheBus}</h3><p class="soft small break">${text.onTheBusSays(row.id)}</p></div><${Tap} word=${row.id} /></div></${Card}>
                <${Card} title=${text.notifications}>${notifications.length === 0 ? html`<p class="soft">${text.noNotifications}</p>`
                    : html`<ul class="plain list">${notifications.slice(0, 20).map(one => html`<li class="row" key=${one.notificationUUID}>
                        <span class="grow"><a class="break" href=${link('notifications', one.notificationUUID)}>${one.notificationType}${one.subtype ? `.${one.subtype}` : ''}</a><div class="soft small"><${Time} at=${one.at} /></div></span><${State} of=${one.state} /></li>`)}</ul>`}</${Card}>
            </div>
        </div>`;
}
