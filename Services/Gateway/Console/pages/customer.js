// One customer: what it has and what happened, and how the store treats it.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, get, url } from '../lib/api.js';
import { Action, Actions, cli, making } from '../lib/actions.js';
import { Buy, goodsOf, holdingsOf } from '../lib/buy.js';
import { useData, useEvery } from '../lib/data.js';
import { Family } from '../lib/family.js';
import { term, withdrawalOf } from '../lib/filter.js';
import { State, Time, hasAll, money, words } from '../lib/format.js';
import { ERRORS, MONTHLY_RATES, RATES } from '../lib/names.js';
import { link } from '../lib/router.js';
import { Tap } from '../lib/tap.js';
import { productOf, shortId } from '../lib/transactions.js';
import { Card, Choice, Head, Json, Loaded, chosenApp, values } from '../lib/ui.js';
import { Device } from './customers.js';

const text = strings.customers;
const BOOL = ['true', 'false'];
// Each member with its flag of `storebus account set`, and what it may be.
const MEMBERS = [
    ['canMakePayments', '--can-make-payments', BOOL], ['askToBuy', '--ask-to-buy', BOOL], ['interruptPurchases', '--interrupt-purchases', BOOL],
    ['signIn', '--sign-in', ['ok', 'fails', 'cancelled', 'interactive']], ['sheet', '--sheet', ['auto', 'approve', 'cancel', 'interactive', 'decline', 'decline:paymentInvalid', 'decline:paymentNotAllowed']],
    ['priceConsent', '--price-consent', ['agree', 'decline', 'interactive']], ['subscriptionRenewalRate', '--renewal-rate', [...RATES, ...MONTHLY_RATES]],
    ['processor', '--processor', ['approve', 'decline', 'timeoutBefore', 'timeoutAfter', 'errorAfter', 'slow', 'pending', 'duplicateCallback']],
];
const SIMULATED = ['loadProducts', 'purchase', 'restore', 'receiptRefresh', 'download'];
const REQUEST_ERRORS = [...ERRORS, 'networkError', 'systemError'];

function settings(said) {
    const body = {};
    const flags = [];
    if (said.storefront) { body.storefront = said.storefront; flags.push('--storefront', said.storefront); }
    for (const [name, flag, options] of MEMBERS) {
        if (!said[name]) continue;
        body[name] = options === BOOL ? said[name] === 'true' : said[name];
        flags.push(flag, said[name]);
    }
    for (const name of SIMULATED) {
        if (!said[`simulate.${name}`]) continue;
        body.simulatedErrors = { ...body.simulatedErrors, [name]: said[`simulate.${name}`] };
        flags.push('--simulate', `${name}=${said[`simulate.${name}`]}`);
    }
    return { body, flags };
}

const unset = names => names.flatMap(name => ['--unset', name]);

const withValue = (options, value) => value === undefined || options.includes(String(value)) ? options : [...options, String(value)];

// How the store treats the account; unset members are the app's default.
function Behaviour({ tester, storefronts, done }) {
    const { overrides } = tester;
    const inForce = name => tester[name] === undefined ? text.notSet : text.default(String(tester[name]));
    const choices = (name, options) => [['', inForce(name)], ...options];
    const save = making(strings.save, form => {
        const { body, flags } = settings(values(form));
        return { method: 'PUT', path: url('/admin/v1/testers', tester.account), body, cli: cli(['account', 'set', [tester.account], ...flags, ...unset(Object.keys(overrides).filter(name => !(name in body)))], null), said: text.saved(tester.account) };
    });
    const set = Object.keys(overrides).map(words).join(' · ');
    return html`<${Card} title=${text.behaviour}><details><summary>${set || text.unset}</summary><form class="stack"><div class="fields">
            <${Choice} label=${words('storefront')} name="storefront" value=${overrides.storefront || ''} options=${choices('storefront', storefronts)} />
            ${MEMBERS.map(([name, , options]) => html`<${Choice} label=${words(name)} name=${name} value=${overrides[name] === undefined ? '' : String(overrides[name])} options=${choices(name, withValue(options, overrides[name]))} />`)}
        </div>
        <h3>${text.simulated}</h3>
        <div class="fields">${SIMULATED.map(name => html`<${Choice} label=${words(name)} name=${`simulate.${name}`} value=${overrides.simulatedErrors?.[name] || ''} options=${[['', text.notSet], ...withValue(REQUEST_ERRORS, overrides.simulatedErrors?.[name])]} />`)}</div>
        <div class="row"><${Action} of=${save} done=${done} primary /></div></form></details></${Card}>`;
}

// Events that no other list has.
const OTHERS = new Set(['finished', 'failed', 'deferred', 'restored', 'finishedWithPendingDownloads']);

// All that is known of a customer, the newest first. What is of one instant stays in the order in which it happened.
function historyOf({ rows, timelines, notifications, events }) {
    const ofTransaction = row => ({ href: link('transactions', row.id), name: shortId(row) });
    const renewing = new Set(timelines.flatMap(one => one.events.map(event => event.transactionIdentifier)));
    const purchases = rows.filter(row => row.transactionDate && !renewing.has(row.transactionIdentifier)).map(row => ({
        kind: 'purchases', at: row.transactionDate, says: words(row.transactionState), of: productOf(row), more: row.price && money(row.price), to: ofTransaction(row) }));
    const revocations = rows.filter(row => row.revocationDate && !renewing.has(row.transactionIdentifier)).map(row => ({
        kind: 'purchases', at: row.revocationDate, says: words(withdrawalOf(row)), of: productOf(row), more: words(row.revocationReason), to: ofTransaction(row) }));
    const renewals = timelines.flatMap(({ subscription, events: list }) => list.map(event => ({
        kind: 'purchases', at: event.at, says: words(event.kind), of: event.productIdentifier, more: [event.amount && money(event.amount), event.detail].filter(Boolean).join(' · '),
        to: event.transactionIdentifier ? { href: link('transactions', event.transactionIdentifier), name: event.transactionIdentifier } : { href: link('subscriptions', subscription.originalTransactionIdentifier), name: text.subscription } })));
    const others = events.filter(event => OTHERS.has(event.type)).map(event => ({
        kind: 'purchases', at: event.at, says: words(event.type), of: productOf(event.transaction), more: event.transaction.error?.localizedDescription, to: ofTransaction(event.transaction) }));
    const sent = notifications.toReversed().flatMap(one => {
        const name = one.subtype ? `${one.notificationType}.${one.subtype}` : one.notificationType;
        const to = { href: link('notifications', one.notificationUUID), name: one.notificationUUID.slice(0, 8) };
        return [{ kind: 'notifications', at: one.at, says: name, state: one.state, to },
            ...one.attempts.map((attempt, index) => ({ kind: 'notifications', at: attempt.attemptDate, says: text.attempt(hasAll(one.attempts) ? index + 1 : undefined, name), of: attempt.httpStatus ? `HTTP ${attempt.httpStatus}` : attempt.sendAttemptResult || words('pending'), more: attempt.sendAttemptResult === 'SUCCESS' ? '' : attempt.bodyStart, to }))];
    });
    return [...purchases, ...revocations, ...renewals, ...others, ...sent].map((one, index) => ({ ...one, time: Date.parse(one.at), index })).sort((a, b) => b.time - a.time || b.index - a.index);
}

const SHOWN = 40;

function History({ of, customer }) {
    const [kind, setKind] = useState('');
    const [shown, show] = useState(SHOWN);
    const list = of.filter(one => !kind || one.kind === kind);
    const tab = (name, label) => html`<button aria-pressed=${kind === name} onClick=${() => setKind(name)}>${label}</button>`;
    return html`<${Card} title=${text.history} tools=${html`<div class="tabs" role="group" aria-label=${text.history}>${tab('', text.everything)}${tab('purchases', text.purchases)}${tab('notifications', strings.nav.notifications)}${customer && tab('bus', text.busMessages)}</div>`}>
        ${kind === 'bus' ? html`<div class="stack"><p class="soft small break">${strings.transaction.onTheBusSays(customer)}</p><${Tap} word=${customer} /></div>`
            : list.length === 0 ? html`<p class="empty">${text.noHistory}</p>` : html`<ol class="plain timeline">${list.slice(0, shown).map(one => html`<li key=${one.index}>
                <strong class="break">${one.says}</strong> ${one.state && html`<${State} of=${one.state} /> `}${one.of && html`<span class="break">${one.of}</span> `}<a class="mono small" href=${one.to.href}>${one.to.name}</a>
                <div class="soft small break"><${Time} at=${one.at} />${one.more ? ` · ${one.more}` : ''}</div></li>`)}</ol>
                ${list.length > shown && html`<button onClick=${() => show(shown + SHOWN)}>${strings.more}</button>`}`}
    </${Card}>`;
}

// What it can use now. A consumable is used up.
function Entitlements({ current, rows, consumables }) {
    const owned = new Map(rows.filter(row => !row.expiresDate && !consumables.has(productOf(row)) && row.transactionState === 'purchased' && !row.revocationDate && !row.effectiveDate).map(row => [productOf(row), row]));
    const list = [...current.map(one => ({
        id: one.productIdentifier, to: link('subscriptions', one.originalTransactionIdentifier), state: one.state,
        until: one.gracePeriodExpiresDate || one.expiresDate, how: one.state === 'subscribed' ? one.willAutoRenew ? strings.time.renews : strings.time.ends : one.gracePeriodExpiresDate ? strings.time.graceEnds : strings.time.retries,
    })), ...[...owned].map(([id, row]) => ({ id, to: link('transactions', row.id), state: 'purchased' }))];
    return html`<${Card} title=${text.entitlements}>${list.length === 0 ? html`<p class="soft">${text.noEntitlements}</p>`
        : html`<ul class="plain list">${list.map(one => html`<li class="row" key=${one.id}><span class="grow break"><a href=${one.to}>${one.id}</a>
            ${one.until && html`<div class="soft small">${one.how} <${Time} at=${one.until} /></div>`}</span><${State} of=${one.state} /></li>`)}</ul>`}</${Card}>`;
}

// Names that somebody may have meant: the same but for case, a part of the other, or two letters apart.
function near(account, accounts) {
    const apart = (a, b) => {
        let before = Array.from({ length: b.length + 1 }, (_, index) => index);
        for (let row = 1; row <= a.length; row += 1) {
            const now = [row];
            for (let column = 1; column <= b.length; column += 1) now.push(Math.min(before[column] + 1, now[column - 1] + 1, before[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1)));
            before = now;
        }
        return before[b.length];
    };
    const low = account.toLowerCase();
    return accounts.map(name => [name, name.toLowerCase()]).filter(([, other]) => Math.abs(other.length - low.length) <= 2 ? apart(low, other) <= 2 : low.length > 2 && (other.includes(low) || (other.length > 2 && low.includes(other)))).map(([name]) => name).slice(0, 8);
}

const create = account => ({ label: text.create, method: 'PUT', path: url('/admin/v1/testers', account), body: {}, cli: cli(['account', 'create', [account]], null), said: text.created, to: { href: link('customers', account), name: account } });

const Nobody = ({ account, names, reload }) => html`<${Head} title=${text.nobody(account)} says=${text.nobodySays}>
        <${Action} of=${create(account)} done=${reload} /><a class="button" href=${link('customers')}>${strings.nav.customers}</a></${Head}>
    ${names.length > 0 && html`<${Card} title=${text.near}><ul class="plain list">${names.map(name => html`<li><a href=${link('customers', name)}>${name}</a></li>`)}</ul></${Card}>`}`;

// The timelines of subscriptions. Those that had no event since the last time, and are what they were, are in `kept`.
async function timelinesOf(subscriptions, events, kept) {
    const last = new Map(events.map(({ id, transaction }) => [transaction.originalTransactionIdentifier ?? transaction.transactionIdentifier, id]));
    return Promise.all(subscriptions.map(async one => {
        const id = one.originalTransactionIdentifier;
        const state = JSON.stringify([one, last.get(id)]);
        if (kept.get(id)?.state !== state) kept.set(id, { state, timeline: await get(url('/admin/v1/subscriptions', id) + '/timeline', { limit: 500 }) });
        return kept.get(id).timeline;
    }));
}

async function customerOf(app, account, kept) {
    const [tester, holdings, { events }] = await Promise.all([
        get(url('/admin/v1/testers', account)), holdingsOf(app, account), get('/admin/v1/events/last', { bundleId: app, account, limit: 500 }),
    ]);
    // The gateway has defaults for any name, so an account without a trace is looked for among those that exist.
    if (!Object.keys(tester.overrides).length && !holdings.rows.length) {
        const accounts = (await all('/admin/v1/testers', { limit: 500 }, 'testers')).map(one => one.account);
        if (!accounts.includes(account)) return { names: near(account, accounts) };
    }
    return { tester, holdings, events, timelines: await timelinesOf(holdings.subscriptions, events, kept) };
}

async function shopOf(app) {
    const [goods, { storefronts }] = await Promise.all([goodsOf(app), get('/admin/v1/storefronts')]);
    return { goods, storefronts: storefronts.map(one => [one.countryCode, `${one.name} (${one.countryCode})`]) };
}

function One({ account, app }) {
    const kept = useRef(new Map()).current;
    const found = useData(() => customerOf(app, account, kept), [app, account], message => message.events.some(event => event.account === account));
    return html`<${Loaded} of=${found}>${({ names, ...known }) => names ? html`<${Nobody} account=${account} names=${names} reload=${found.reload} />`
        : html`<${Known} account=${account} app=${app} ...${known} reload=${found.reload} />`}</${Loaded}>`;
}

function Known({ account, app, tester, holdings, events, timelines, reload }) {
    const shop = useData(() => shopOf(app), [app]);
    const isMine = event => event.account === account;
    // Nothing tells that a notification was sent.
    const sent = useData(() => all(appURL(app, 'notifications'), { account, limit: 100 }, 'notifications', list => list.length < 300), [app, account], message => message.events.some(isMine));
    useEvery(10000, sent);
    const ids = useRef(new Set()).current;
    const isNew = event => isMine(event) && event.transaction && !ids.has(event.transaction.originDeviceId);
    const known = useData(async () => {
        const list = await all('/admin/v1/devices', { limit: 500 }, 'devices');
        ids.clear();
        list.forEach(one => ids.add(one.deviceId));
        return list;
    }, [], message => message.events.some(isNew));
    const isOurs = ({ deviceId }) => holdings.rows.some(row => row.originDeviceId === deviceId) || (deviceId.startsWith(`${account}-`) && /^\d+$/.test(deviceId.slice(account.length + 1)));
    const devices = known.data?.filter(isOurs) || [];
    const set = Object.keys(tester.overrides);
    const actions = [
        // Unlike DELETE it keeps an account that has bought nothing yet.
        set.length > 0 && { label: text.reset, method: 'PUT', path: url('/admin/v1/testers', account), body: {}, cli: cli(['account', 'set', [account], ...unset(set)], null), confirm: text.resetConfirm(account), said: text.wasReset(account) },
        { label: text.clear, danger: true, method: 'DELETE', path: `${appURL(app, 'transactions')}?account=${encodeURIComponent(account)}`, cli: cli(['reset', '--as', [account], '--yes']), confirm: text.clearConfirm(account, app), said: text.cleared(account) },
    ].filter(Boolean);
    return html`<${Head} title=${account}><${Actions} of=${actions} done=${reload} /><${Json} title=${account} of=${{ ...tester, transactions: holdings.rows, subscriptions: holdings.subscriptions, devices }} /></${Head}>
        ${holdings.isCut && html`<p class="note">${text.cut(holdings.rows.length)}</p>`}
        <div class="columns">
            <div class="stack">
                <p class="row"><a href=${link('transactions', { filter: term('account', account) })}>${strings.nav.transactions}</a>
                    <a href=${link('eligibility', { account })}>${strings.nav.eligibility}</a><a href=${link('store', { account })}>${strings.nav.store}</a></p>
                <${Loaded} of=${sent}>${notifications => html`<${History} of=${historyOf({ rows: holdings.rows, timelines, notifications, events })} customer=${holdings.rows[0]?.customer} />`}</${Loaded}>
            </div>
            <div class="stack">
                <${Loaded} of=${shop}>${({ goods, storefronts }) => html`
                    <${Entitlements} ...${holdings} consumables=${goods.consumables} />
                    <${Card} title=${strings.buy.title}><div class="stack"><${Buy} app=${app} account=${account} goods=${goods} holdings=${holdings} devices=${devices.map(one => one.deviceId)} done=${reload} /></div></${Card}>
                    <${Family} app=${app} account=${account} done=${reload} />
                    <${Behaviour} tester=${tester} storefronts=${storefronts} done=${reload} key=${JSON.stringify(tester.overrides)} />`}</${Loaded}>
                <h2>${text.devices}</h2>
                <${Loaded} of=${known}>${() => devices.length === 0 ? html`<p class="soft">${text.noDevices}</p>`
                    : devices.map(device => html`<${Device} device=${device} app=${app} done=${known.reload} key=${device.deviceId} />`)}</${Loaded}>
            </div>
        </div>`;
}

export default function Customer({ route }) {
    const app = chosenApp.use();
    return html`<${One} account=${route.parts[1]} app=${app} key=${route.parts[1]} />`;
}
