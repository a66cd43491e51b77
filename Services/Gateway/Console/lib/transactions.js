// What is known of a transaction, and what can be done with it.
import { strings } from '../strings.pages.js';
import { get, url } from './api.js';
import { cli } from './actions.js';
import { words, period } from './format.js';
import { withdrawalOf } from './filter.js';
import { link } from './router.js';
import { asDevice } from './sessions.js';

const text = strings.act;
const place = (id, verb) => url('/admin/v1/transactions', id) + (verb ? `/${verb}` : '');

export const rowOf = (transaction, record) => ({
    ...transaction, account: record.account, bundleId: record.bundleId, customer: record.customerIdentifier, order: record.orderId, isFinished: record.isFinished,
});

export const productOf = row => row.payment.productIdentifier;
export const shortId = row => row.transactionIdentifier || row.id;

// Why it is as it is, in few words.
export function why(row) {
    if (row.error) return row.error.localizedDescription || words(row.error.name);
    if (row.offer) return `${words(row.offer.paymentMode)}${row.offer.period ? `, ${period(row.offer.period)}` : ''}`;
    if (row.isUpgraded) return words('upgraded');
    return '';
}

// By its id or its transactionIdentifier; null when there is none of it.
export async function findTransaction(id) {
    try {
        const { record, ...transaction } = await get(url('/admin/v1/transactions', id));
        return rowOf(transaction, record);
    } catch (problem) {
        if (problem.status === 404) return null;
        throw problem;
    }
}

export function actionsOf(row) {
    const id = shortId(row);
    const at = row.id;
    const list = [];
    const to = { href: link('transactions', at), name: id };
    const add = (label, verb, words, more) => list.push({ label, method: 'POST', path: place(at, verb), body: {}, cli: cli(words, null), said: text.did[verb], to, ...more });
    const state = row.transactionState;
    if (state === 'deferred' || state === 'purchasing') {
        add(text.approve, 'approve', ['approve', id]);
        add(text.decline, 'decline', ['decline', id]);
    }
    if (state === 'failed') add(text.resolve, 'resolve', ['resolve', id]);
    if (!row.isFinished && (state === 'purchased' || state === 'failed' || state === 'restored')) list.push(finish(row));
    if (!row.isFinished && state !== 'purchasing') add(text.redeliver, 'redeliver', ['redeliver', id]);
    if (state === 'purchased' && !row.revocationDate) {
        add(text.refund, 'refund', ['refund', id], { confirm: text.refundConfirm });
        add(text.revoke, 'revoke', ['revoke', id], { confirm: text.revokeConfirm });
        add(text.ask, 'refundRequest', [], { cli: undefined, body: { reason: 'OTHER' }, to: answer => ({ href: link('inbox', { refund: answer.refundRequestIdentifier }), name: answer.refundRequestIdentifier }) });
    }
    if (row.revocationDate && withdrawalOf(row) === 'refunded') add(text.reverse, 'reverseRefund', [], { cli: undefined, body: undefined });
    list.push({ label: text.remove, danger: true, method: 'DELETE', path: place(at), cli: cli(['tx', 'delete', id, '--yes'], null), confirm: text.removeConfirm(id), said: text.did.remove(id) });
    return list;
}

// Only a device takes a transaction out of its queue, so this is done with a session of the one it was bought on.
function finish(row) {
    const path = url('/v1/transactions', row.id) + '/finish';
    return {
        label: text.finish, said: text.did.finish, to: { href: link('transactions', row.id), name: shortId(row) }, method: 'POST', path, body: {}, session: true, cli: cli(['finish', shortId(row), '--as', row.account, '--device', row.originDeviceId], row.bundleId),
        run: () => asDevice({ client: 'app', bundleId: row.bundleId, account: row.account, deviceId: row.originDeviceId }, 'POST', path, { body: {} }),
    };
}
