// What was sent to the app's server, or is kept for it.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, call, get, url } from '../lib/api.js';
import { Action, cli, making } from '../lib/actions.js';
import { storeNow } from '../lib/clock.js';
import { anyEvent, useData } from '../lib/data.js';
import { State, Time, hasAll, words } from '../lib/format.js';
import { claims, pretty } from '../lib/jws.js';
import { link } from '../lib/router.js';
import { Plain } from '../lib/table.js';
import { Card, Check, Choice, Code, Facts, Field, Head, Id, Json, Loaded, chosenApp, values } from '../lib/ui.js';

const text = strings.notifications;
const TYPES = ['TEST', 'SUBSCRIBED', 'DID_RENEW', 'DID_CHANGE_RENEWAL_PREF', 'DID_CHANGE_RENEWAL_STATUS', 'OFFER_REDEEMED', 'EXPIRED', 'DID_FAIL_TO_RENEW', 'GRACE_PERIOD_EXPIRED', 'PRICE_INCREASE', 'REFUND', 'REFUND_DECLINED', 'REFUND_REVERSED', 'CONSUMPTION_REQUEST', 'RENEWAL_EXTENDED', 'RENEWAL_EXTENSION', 'REVOKE', 'ONE_TIME_CHARGE', 'EXTERNAL_PURCHASE_TOKEN', 'RESCIND_CONSENT'];
const SUBTYPES = ['INITIAL_BUY', 'RESUBSCRIBE', 'BILLING_RECOVERY', 'UPGRADE', 'DOWNGRADE', 'AUTO_RENEW_ENABLED', 'AUTO_RENEW_DISABLED', 'VOLUNTARY', 'BILLING_RETRY', 'PRICE_INCREASE', 'PRODUCT_NOT_FOR_SALE', 'GRACE_PERIOD', 'PENDING', 'ACCEPTED', 'SUMMARY', 'FAILURE', 'CREATED', 'UNREPORTED', 'ACTIVE_TOKEN_REMINDER'];
const BREAKS = ['signature', 'tampered', 'root', 'leafOID', 'intermediateOID', 'expired', 'notYetValid', 'noX5C', 'algorithm', 'chainOfTwo', 'chainOfFour', 'corruptCertificate', 'revoked', 'bundle', 'environment'];
const STATES = ['pending', 'retrying', 'delivered', 'failed', 'noEndpoint'];
const base = app => appURL(app, 'notifications');
const name = one => one.subtype ? `${one.notificationType}.${one.subtype}` : one.notificationType;

function Endpoint({ app }) {
    const found = useData(() => get(`${base(app)}/endpoint`), [app]);
    const put = making(text.put, form => {
        const said = values(form);
        const body = { url: said.url, retry: said.retry, shuffle: said.shuffle, duplicate: said.duplicate, ...said.timeoutMs && { timeoutMs: Number(said.timeoutMs) } };
        const flags = [said.retry && ['--retry', said.retry], said.shuffle && ['--shuffle'], said.duplicate && ['--duplicate'], said.timeoutMs && ['--timeout', `${said.timeoutMs}ms`]].filter(Boolean).flat();
        return { method: 'PUT', path: `${base(app)}/endpoint`, body, said: text.sendsTo(said.url), cli: cli(['notifications', 'endpoint', said.url, ...flags]) };
    });
    const remove = { label: text.delete, danger: true, method: 'DELETE', path: `${base(app)}/endpoint`, cli: cli(['notifications', 'endpoint', '--delete']), confirm: text.deleteConfirm, said: text.deleted };
    return html`<${Card} title=${text.endpoint}><${Loaded} of=${found}>${state => { const endpoint = state.url ? state : null; return html`<form class="stack" key=${pretty(endpoint || {})}>
        ${!endpoint && html`<p class="soft">${text.none}</p>`}
        <${Field} label=${text.url} name="url" type="url" required value=${endpoint?.url} placeholder="http://localhost:8080/apple" pattern="https?://.*" />
        <div class="fields"><${Choice} label=${text.retry} name="retry" value=${endpoint?.retry || ''} options=${[['', '–'], 'apple', 'sandbox', 'fast']} /><${Field} label=${text.timeout} name="timeoutMs" type="number" min="100" max="60000" value=${endpoint?.timeoutMs} /></div>
        <${Check} label=${text.shuffle} name="shuffle" checked=${endpoint?.shuffle} /><${Check} label=${text.duplicate} name="duplicate" checked=${endpoint?.duplicate} />
        <div class="row"><${Action} of=${put} done=${found.reload} />${endpoint && html`<${Action} of=${remove} done=${found.reload} />`}</div>
    </form>`; }}</${Loaded}></${Card}>`;
}

function Trigger({ app, done }) {
    const make = making(text.trigger, form => {
        const said = values(form);
        const body = { notificationType: said.type, ...said.subtype && { subtype: said.subtype }, ...said.account && { account: said.account }, ...said.of && { of: said.of }, ...said.break && { break: said.break }, ...(said.onlySend || said.break) && { onlySend: true } };
        return { method: 'POST', path: `${base(app)}/trigger`, body, said: text.triggered, to: at, cli: cli(['trigger', said.subtype ? `${said.type}.${said.subtype}` : said.type, ...said.account ? ['--as', said.account] : [], ...said.of ? ['--of', said.of] : [], ...said.break ? ['--break', said.break] : [], ...said.onlySend || said.break ? ['--only-send'] : []]) };
    });
    return html`<${Card} title=${text.trigger}><form class="stack"><p class="soft">${text.triggerSays}</p><div class="fields">
        <${Choice} label=${text.type} name="type" options=${TYPES} /><${Choice} label=${text.subtype} name="subtype" options=${[['', '–'], ...SUBTYPES]} />
        <${Field} label=${text.account} name="account" /><${Field} label=${text.of} name="of" /><${Choice} label=${text.break} name="break" options=${[['', text.whole], ...BREAKS]} /></div><${Check} label=${text.onlySend} name="onlySend" />
        <div class="row"><${Action} of=${make} done=${done} /></div></form></${Card}>`;
}

// Where a notification is in the list and among messages.
const at = one => ({ href: link('notifications', one.notificationUUID), name: name(one) });

const resend = (app, one) => ({ label: text.resend, method: 'POST', path: `${base(app)}/${one.notificationUUID}/resend`, body: {}, cli: cli(['notifications', 'resend', one.notificationUUID]), said: text.resent, to: at(one) });

// Oldest first, as they were sent.
const resendFailed = app => ({
    label: text.resendFailed, confirm: text.resendFailedConfirm, verb: text.resend, said: text.resentFailed,
    cli: `${cli(['notifications', 'list', '--state', 'failed', '--limit', '100000', '--output', 'names'])} | tac | xargs -r -n 1 ${cli(['notifications', 'resend'])}`,
    run: async () => {
        const failed = await all(base(app), { state: 'failed', limit: 100 }, 'notifications');
        const problems = [];
        for (const one of failed.reverse()) await call('POST', resend(app, one).path, { body: {} }).catch(problem => problems.push(problem));
        return { sent: failed.length - problems.length, refused: problems.length, why: problems[0]?.message };
    },
});

const Result = ({ of }) => of ? html`<span class=${`pill ${of === 'SUCCESS' ? 'good' : 'bad'}`}>${of}</span>` : html`<${State} of="pending" says=${text.underWay} />`;
// The last result in few words, and how many there are.
const lastStatus = one => {
    const last = one.attempts.at(-1);
    return last && [last.httpStatus ? `HTTP ${last.httpStatus}` : last.sendAttemptResult || text.underWay, one.attempts.length > 1 && text.attemptsOf(one.attempts.length, hasAll(one.attempts))].filter(Boolean).join(' · ');
};

const requestOf = (attempt, payload) => `POST ${attempt.url}\nContent-Type: application/json\n\n${JSON.stringify({ signedPayload: payload })}`;
const responseOf = attempt => [attempt.httpStatus ? `HTTP ${attempt.httpStatus}` : attempt.sendAttemptResult, attempt.bodyStart].filter(Boolean).join('\n\n');

// Its request is drawn once it is looked at.
function Attempt({ of, number, payload, first }) {
    const [open, setOpen] = useState(first);
    return html`<li><details open=${first} onToggle=${event => setOpen(event.currentTarget.open)}>
        <summary><span class="row">${text.attempt(number)} <${Result} of=${of.sendAttemptResult} />${of.httpStatus && html`<span>HTTP ${of.httpStatus}</span>`} <span class="soft small"><${Time} at=${of.attemptDate} />${of.durationMs === undefined ? '' : ` · ${text.ms(of.durationMs)}`}</span></span></summary>
        ${open && html`<div class="stack">
            <div><h3>${text.request}</h3>${of.url === 'listen:' ? html`<p class="soft">${text.listener}</p>` : html`<${Code} text=${requestOf(of, payload)} label=${text.copyRequest} />`}</div>
            ${of.sendAttemptResult && html`<div><h3>${text.response}</h3><${Code} text=${responseOf(of)} label=${text.copyResponse} /></div>`}
        </div>`}
    </details></li>`;
}

// What it is about, as its payload names it.
function factsOf(one, says, transaction) {
    const [product, id] = [transaction?.productId || says?.summary?.productId, transaction?.transactionId];
    const last = one.attempts.at(-1);
    return [
        ['notificationType', one.notificationType], ['subtype', one.subtype], ['notificationUUID', html`<${Id} of=${one.notificationUUID} />`],
        [text.account, one.account && html`<a href=${link('customers', one.account)}>${one.account}</a>`],
        [strings.transactions.id, id && html`<${Id} of=${id} href=${link('transactions', id)} />`],
        [strings.transactions.product, product && html`<${Id} of=${product} href=${link('products', product)} />`],
        [text.at, html`<${Time} at=${one.at} />`], [text.state, html`<${State} of=${one.state} />`],
        [text.last, last && html`<${Result} of=${last.sendAttemptResult} /> ${last.httpStatus ? `HTTP ${last.httpStatus}` : ''}`],
        [text.attempts, hasAll(one.attempts) ? one.attempts.length : text.attemptsOf(one.attempts.length)], [text.next, one.nextAttemptAt && html`<${Time} at=${one.nextAttemptAt} />`],
    ];
}

function One({ app, id }) {
    const found = useData(() => get(url(base(app), id)), [app, id], anyEvent);
    // No event says that an attempt begins, or that a server has answered.
    const due = found.data?.nextAttemptAt && Date.parse(found.data.nextAttemptAt);
    const isUnderWay = found.data?.attempts.some(one => !one.sendAttemptResult) || due && due <= storeNow();
    useEffect(() => {
        if (!isUnderWay) return;
        const asking = setTimeout(found.reload, 1000);
        return () => clearTimeout(asking);
    }, [found.data]);
    return html`<${Loaded} of=${found}>${one => {
        const payload = one.signedPayload;
        const says = payload && claims(payload);
        const { signedTransactionInfo, signedRenewalInfo } = says?.data || {};
        const transaction = signedTransactionInfo && claims(signedTransactionInfo);
        const last = one.attempts.length - 1;
        return html`<${Head} title=${name(one)}><${Action} of=${resend(app, one)} done=${found.reload} primary /><${Action} of=${resendFailed(app)} done=${found.reload} /><${Json} title=${one.notificationUUID} of=${one} /><a class="button" href=${link('traces', one.notificationUUID)}>${strings.traces.open}</a><a class="button" href=${link('notifications')}>${text.back}</a></${Head}>
            <div class="columns"><div class="stack">
                <${Card} title=${text.attempts}>${one.attempts.length === 0 ? html`<p class="soft">${text.noAttempts}</p>`
                    : html`<ol class="plain list">${one.attempts.map((attempt, index) => html`<${Attempt} of=${attempt} number=${hasAll(one.attempts) ? index + 1 : undefined} payload=${payload} first=${index === last} key=${index} />`).reverse()}</ol>`}</${Card}>
                ${says && html`<${Card} title=${text.payload}><${Code} text=${pretty(says)} label=${text.copyPayload} /></${Card}>
                    <${Card} title=${text.raw}><${Code} text=${payload} label=${text.copyRaw} /></${Card}>`}
            </div><div class="stack">
                <${Card} title=${text.about}><${Facts} of=${factsOf(one, says, transaction)} /></${Card}>
                ${transaction && html`<${Card} title="signedTransactionInfo"><${Code} text=${pretty(transaction)} label=${text.copyTransaction} /></${Card}>`}
                ${signedRenewalInfo && html`<${Card} title="signedRenewalInfo"><${Code} text=${pretty(claims(signedRenewalInfo))} label=${text.copyRenewal} /></${Card}>`}
            </div></div>`;
    }}</${Loaded}>`;
}

function List({ app }) {
    const [filter, setFilter] = useState({});
    const [places, setPlaces] = useState([undefined]);
    const found = useData(() => get(base(app), { ...filter, after: places.at(-1), limit: 50 }), [app, filter, places], anyEvent);
    const choose = change => { setPlaces([undefined]); setFilter({ ...filter, ...change }); };
    const columns = [
        { title: text.type, className: 'wrap', cell: one => html`<a href=${link('notifications', one.notificationUUID)}>${name(one).split(/(?<=[_.])/).map(part => html`${part}<wbr />`)}</a>` },
        { title: text.state, cell: one => html`<${State} of=${one.state} /> <div class="soft small">${lastStatus(one)}</div>` },
        { title: text.account, className: 'wrap brief', cell: one => one.account ? html`<a href=${link('customers', one.account)}>${one.account}</a>` : '–' }, { title: text.at, cell: one => html`<${Time} at=${one.at} form="brief" />` },
        { title: html`<span class="hidden">${strings.actions}</span>`, cell: one => html`<${Action} of=${resend(app, one)} done=${found.reload} />` },
    ];
    return html`<${Head} title=${strings.nav.notifications}><${Action} of=${resendFailed(app)} done=${found.reload} /></${Head}>
        <div class="stack">
            <div class="row end"><${Choice} label=${text.type} value=${filter.notificationType || ''} options=${[['', strings.all], ...TYPES]} onChange=${value => choose({ notificationType: value })} />
                <${Choice} label=${text.state} value=${filter.state || ''} options=${[['', strings.all], ...STATES.map(one => [one, words(one)])]} onChange=${value => choose({ state: value })} />
                <label class="grow">${text.account}<input type="search" onChange=${event => choose({ account: event.target.value })} /></label></div>
            <${Loaded} of=${found}>${({ notifications, after }) => html`<div class="card flush"><${Plain} caption=${text.list} columns=${columns} rows=${notifications} rowKey=${one => one.notificationUUID} /></div>
                ${(places.length > 1 || after) && html`<div class="row"><button disabled=${places.length === 1} onClick=${() => setPlaces([undefined])}>${text.newest}</button><button disabled=${!after} onClick=${() => setPlaces([...places, after])}>${text.more}</button></div>`}`}</${Loaded}>
            <div class="columns"><${Endpoint} app=${app} /><${Trigger} app=${app} done=${found.reload} /></div>
            <p class="soft">${text.listen} <code>${cli(['listen', '--forward-to', 'http://localhost:8080/apple'])}</code></p>
        </div>`;
}

export default function Notifications({ route }) {
    const app = chosenApp.use();
    return route.parts[1] ? html`<${One} app=${app} id=${route.parts[1]} key=${route.parts[1]} />` : html`<${List} app=${app} />`;
}
