// What is known of a transaction, and what can be done with it.
import { strings } from '../strings.pages.js';
import { get, url } from './api.js';
import { cli } from './actions.js';
import { words, period } from './format.js';
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

// The id of a row that was found by its transactionIdentifier, so that it is looked for once.
const idOf = new Map();

// The list is in the order of the ids, so a position just before an id leads to it.
export async function findTransaction(asked, app) {
    const id = idOf.get(asked) || asked;
    const matches = row => row.id === id || row.transactionIdentifier === id;
    let after = id.startsWith('t_') ? id.slice(0, -1) : undefined;
    const once = after !== undefined;
    for (let pages = 0; pages < (once ? 1 : 1000); pages += 1) {
        const page = await get('/admin/v1/transactions', { after, limit: 100, ...once ? {} : { bundleId: app } });
        const index = page.transactions.findIndex(matches);
        if (index >= 0) {
            idOf.set(asked, page.transactions[index].id);
            return rowOf(page.transactions[index], page.records?.[index] || {});
        }
        after = page.after;
        if (!after) break;
    }
    return null;
}

export function actionsOf(row) {
    const id = shortId(row);
    const at = row.id;
    const list = [];
    const add = (label, verb, words, more) => list.push({ label, method: 'POST', path: place(at, verb), body: {}, cli: cli(words, null), ...more });
    const state = row.transactionState;
    if (state === 'deferred' || state === 'purchasing') {
        add(text.approve, 'approve', ['approve', id]);
        add(text.decline, 'decline', ['decline', id]);
    }
    if (state === 'failed') add(text.resolve, 'resolve', ['resolve', id]);
    if (!row.isFinished && (state === 'purchased' || state === 'failed' || state === 'restored')) list.push(finish(row));
    if (state === 'purchased' && !row.revocationDate) {
        add(text.refund, 'refund', ['refund', id], { confirm: text.refundConfirm });
        add(text.revoke, 'revoke', ['revoke', id], { confirm: text.revokeConfirm });
        add(text.ask, 'refundRequest', [], { cli: undefined, body: { reason: 'OTHER' }, said: answer => { location.hash = `#/inbox?refund=${answer.refundRequestIdentifier}`; return text.asked; } });
    }
    if (row.revocationDate && row.revocationType) add(text.reverse, 'reverseRefund', [], { cli: undefined, body: undefined });
    list.push({ label: text.remove, danger: true, method: 'DELETE', path: place(at), cli: cli(['tx', 'delete', id, '--yes'], null), confirm: text.removeConfirm(id) });
    return list;
}

// Only a device takes a transaction out of its queue, so this is done with a session of the one it was bought on.
function finish(row) {
    const path = url('/v1/transactions', row.id) + '/finish';
    return {
        label: text.finish, method: 'POST', path, body: {}, session: true, cli: cli(['finish', shortId(row), '--as', row.account, '--device', row.originDeviceId], row.bundleId),
        run: () => asDevice({ client: 'app', bundleId: row.bundleId, account: row.account, deviceId: row.originDeviceId }, 'POST', path, { body: {} }),
    };
}
