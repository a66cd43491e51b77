// A subscription's periods as segments of a lane, and what the operator can do with it.
import { strings } from '../strings.pages.js';
import { url } from './api.js';
import { cli } from './actions.js';
import { dateTime, words } from './format.js';
import { link } from './router.js';

const text = strings.act;
const BEGINS = new Set(['subscribed', 'resubscribed', 'renewed', 'recovered', 'upgraded', 'crossgraded', 'extended']);
const ENDS = new Set(['expired', 'revoked', 'refunded', 'gracePeriodExpired', 'refundedProrated']);

export function segmentsOf({ events, subscription }, now) {
    const list = [];
    let open;
    const close = at => {
        if (open && at > open.from) list.push({ ...open, to: Math.min(at, open.to) });
        open = undefined;
    };
    for (const event of events) {
        const at = Date.parse(event.at);
        const until = event.expiresDate ? Date.parse(event.expiresDate) : undefined;
        if (event.kind === 'gracePeriodStarted' || event.kind === 'billingRetryStarted') {
            close(at);
            open = { from: at, to: until && event.kind === 'gracePeriodStarted' && until > at ? until : Infinity, kind: event.kind === 'gracePeriodStarted' ? 'grace' : 'retry', name: event.kind };
        } else if (BEGINS.has(event.kind) && until) {
            close(at);
            open = { from: at, to: until, kind: event.offer?.paymentMode === 'freeTrial' ? 'trial' : 'paid', name: event.offer ? event.offer.paymentMode : event.kind };
        } else if (ENDS.has(event.kind)) close(at);
    }
    close(Math.max(now, Date.parse(subscription.expiresDate)));
    // What lies beyond now has not come to pass.
    return list.flatMap(one => one.from < now && one.to > now ? [{ ...one, to: now }, { ...one, from: now, kind: `${one.kind} ahead` }] : one.from >= now ? [{ ...one, kind: `${one.kind} ahead` }] : [one])
        .map(one => ({ ...one, title: `${words(one.name)}: ${dateTime(one.from, 'date')} – ${dateTime(one.to, 'date')}` }));
}

const thing = ({ originalTransactionIdentifier: id }) => ({ href: link('subscriptions', id), name: id });

export function actionsOf(subscription) {
    const id = subscription.transactionIdentifier;
    const add = (label, verb, words, more) => ({ label, method: 'POST', path: url('/admin/v1/transactions', id) + `/${verb}`, body: {}, cli: cli(['sub', ...words, id], null), said: text.did[verb], to: thing(subscription), ...more });
    const over = subscription.state === 'expired' || subscription.state === 'revoked';
    return [
        !over && subscription.willAutoRenew && add(text.cancelSub, 'disableAutoRenew', ['cancel']),
        !over && !subscription.willAutoRenew && add(text.resumeSub, 'enableAutoRenew', ['resume']),
        !over && add(text.renew, 'renew', ['renew']),
        !over && add(text.failNext, 'failNextRenewal', ['fail-next']),
        (subscription.state === 'inBillingRetryPeriod' || subscription.state === 'inGracePeriod') && add(text.resolveBilling, 'resolveBilling', ['resolve-billing']),
        !over && add(text.expire, 'expire', ['expire'], { danger: true, confirm: text.expireConfirm }),
    ].filter(Boolean);
}

export const extend = (subscription, days) => ({
    label: text.extend, method: 'POST', path: url('/admin/v1/transactions', subscription.transactionIdentifier) + '/extend', body: { days },
    cli: cli(['sub', 'extend', days, subscription.transactionIdentifier], null), said: text.did.extend(days), to: thing(subscription),
});
