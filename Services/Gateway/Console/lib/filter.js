// The filter language of the command line: terms name=value (exactly) and name~text (somewhere in it), all of which must hold, and
// since=10m of the app's clock. A value with spaces stands in double quotes. Tests/Filters/cases.json has what both understand.
import { storeNow } from './clock.js';

const WORD = /(?:[^\s"]|"[^"]*"?)+/g;
const LENGTHS = { s: 1000, m: 60000, min: 60000, h: 3600000, d: 86400000, w: 604800000 };

// A length of the store's time: calendar months, and milliseconds. A century at most.
export function lengthOf(text) {
    let [months, milliseconds, rest] = [0, 0, text];
    const take = (pattern, units) => {
        rest = rest.replace(pattern, (_, count, unit) => {
            if (unit === 'mo' || unit === 'y') months += count * (unit === 'y' ? 12 : 1);
            else milliseconds += count * units[unit];
            return '';
        });
    };
    const iso = /^P(?=.)((?:\d+[YMWD])*)(?:T((?:\d+[HMS])+))?$/.exec(text);
    if (iso) {
        rest = iso[1].replace(/Y/g, 'y').replace(/M/g, 'mo').replace(/W/g, 'w').replace(/D/g, 'd') + (iso[2] || '').toLowerCase();
    }
    take(/(\d{1,9})(mo|min|[smhdwy])/g, LENGTHS);
    const fits = rest === '' && (months > 0 || milliseconds > 0) && months <= 1200 && milliseconds <= 36525 * LENGTHS.d;
    return fits ? { months, milliseconds } : undefined;
}

// The instant that much later; the 31st of a shorter month is its last day.
function later(at, { months, milliseconds }) {
    const end = new Date(at);
    const day = end.getUTCDate();
    end.setUTCDate(1);
    end.setUTCMonth(end.getUTCMonth() + months);
    const last = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
    end.setUTCDate(Math.min(day, last));
    return +end + milliseconds;
}

// What the badge of a transaction says.
// How a purchase was taken back. A family takes back without a refund.
export const withdrawalOf = row => row.revocationType && row.revocationType !== 'FAMILY_REVOKE' ? 'refunded' : 'revoked';
export const stateOf = row => row.revocationDate ? withdrawalOf(row) : row.transactionState;

// The names of a transaction's filter, and the values that some of them have.
export const TRANSACTION = {
    account: row => row.account, bundleId: row => row.bundleId, device: row => row.originDeviceId, finished: row => row.isFinished ? 'yes' : 'no',
    id: row => [row.id, row.transactionIdentifier], product: row => row.payment.productIdentifier, state: stateOf, since: row => row.transactionDate, type: row => row.transactionState,
};
export const STATES = ['purchasing', 'purchased', 'failed', 'restored', 'deferred', 'refunded', 'revoked'];
// Kinds of events, as the command line's `type` has them. A transaction's type is its state as StoreKit has it.
const TYPES = ['purchasing', 'purchased', 'failed', 'deferred', 'restored', 'finished', 'finishedWithPendingDownloads', 'refunded', 'revoked', 'shared', 'expired', 'billingRetryStarted', 'gracePeriodStarted', 'gracePeriodExpired', 'recovered', 'autoRenewEnabled', 'autoRenewDisabled', 'renewalPreferenceChanged', 'upgraded', 'extended', 'priceIncreasePending', 'priceIncreaseAgreed', 'priceIncreaseDeclined'];
export const VALUES = { state: STATES, type: TYPES, finished: ['yes', 'no'] };

// `fields` gives a row's value by name, or several; `bare` is what a word without = and ~ is looked for in,
// in upper or lower case. Returns the terms, a test of a row, and what was not understood.
export function parse(text, fields, { values = {}, bare, now = storeNow() } = {}) {
    const terms = [];
    const unknown = [];
    for (const word of text.match(WORD) || []) {
        const [, name, sign, quoted] = /^([^=~]*)([=~])(.*)$/s.exec(word) || (bare ? [word, bare, '', word] : []);
        const value = quoted?.replaceAll('"', '');
        const of = row => [fields[name](row)].flat().map(one => String(one ?? ''));
        const length = name === 'since' ? lengthOf(value) : undefined;
        if (!name || !Object.hasOwn(fields, name) || (name === 'since' && !length) || (sign === '=' && values[name] && !values[name].includes(value))) unknown.push(word);
        else if (length) terms.push({ name, value, test: row => !fields.since(row) || later(fields.since(row), length) >= +(now ?? 0) });
        else if (sign === '') terms.push({ name, value, test: row => of(row).some(one => one.toLowerCase().includes(value.toLowerCase())) });
        else terms.push({ name, value, exact: sign === '=', test: sign === '=' ? row => of(row).includes(value) : row => of(row).some(one => one.includes(value)) });
    }
    return { terms, unknown, words: text.match(WORD) || [], matches: row => terms.every(term => term.test(row)), exact: name => terms.find(term => term.name === name && term.exact)?.value };
}

// A term as it is written.
export const term = (name, value) => `${name}=${/\s/.test(value) ? `"${value}"` : value}`;
