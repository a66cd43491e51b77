// Values as people read them. Instants are the store's, in the browser's language and zone; their titles are ISO 8601.
import { html } from '../vendor/preact-htm.js';

const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const brief = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const numbers = new Intl.NumberFormat();

const FORMS = { long, short, date, brief };

export const number = value => numbers.format(value);
export const dateTime = (value, form = 'long') => FORMS[form].format(new Date(value));

export const Time = ({ at, form }) => at ? html`<time datetime=${at} title=${at}>${dateTime(at, form)}</time>` : html`<span class="soft">–</span>`;

// A name of the API as words: inBillingRetryPeriod, INITIAL_BUY.
export function words(name) {
    if (!name) return '–';
    return name.replace(/_/g, ' ').replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}

export function money(price) {
    if (!price) return '–';
    try {
        return new Intl.NumberFormat(undefined, { style: 'currency', currency: price.currency }).format(price.amount);
    } catch {
        return `${price.amount} ${price.currency}`;
    }
}

const GOOD = new Set(['purchased', 'restored', 'subscribed', 'pass', 'answering', 'delivered', 'approved', 'eligible', 'granted', 'continued', 'finished', 'open', 'good', 'available']);
const BAD = new Set(['failed', 'fail', 'away', 'failing', 'revoked', 'refunded', 'rejected', 'ineligible', 'inBillingRetryPeriod', 'unavailable']);
const WARN = new Set(['deferred', 'purchasing', 'warn', 'slow', 'waiting', 'pending', 'retrying', 'inGracePeriod', 'unfinished']);

export const tone = state => GOOD.has(state) ? 'good' : BAD.has(state) ? 'bad' : WARN.has(state) ? 'warn' : '';
export const State = ({ of, says }) => html`<span class=${`pill ${tone(of)}`}>${says || words(of)}</span>`;

export function period(value) {
    return value ? `${value.numberOfUnits} ${value.unit}${value.numberOfUnits === 1 ? '' : 's'}` : '–';
}

// What a product costs, and for how long.
export const priced = ({ price, subscriptionPeriod }) => `${money(price)}${subscriptionPeriod ? ` / ${subscriptionPeriod.numberOfUnits === 1 ? subscriptionPeriod.unit : period(subscriptionPeriod)}` : ''}`;

// A word for a shell. At its beginning zsh takes = for a command.
export const quote = text => /^[\w.,:/@%+-][\w.,:/@%+=-]*$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`;
