// Values as people read them. Instants are the store's, in the browser's language and zone; their titles are ISO 8601.
import { html } from '../vendor/preact-htm.js';

const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const brief = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const compact = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });
const near = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const dated = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' });
const precise = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' });
const numbers = new Intl.NumberFormat();

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const month = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short' });

const FORMS = { long, short, date, brief, compact, near, dated, precise, day, month };

export const number = value => numbers.format(value);
// A rate or another measure: one digit behind the point while it is small.
export const rounded = value => number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
export function bytes(count) {
    const power = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
    return `${rounded(count / 1024 ** power)} ${SIZES[power]}`;
}

const UNITS = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].map(([unit, seconds]) => [new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }), seconds]);
// Seconds in the two largest units that they fill.
export function elapsed(seconds) {
    const whole = Math.max(0, Math.floor(seconds));
    const first = UNITS.findIndex(([, length]) => whole >= length || length === 1);
    return UNITS.slice(first, first + 2).map(([format, length], index) => {
        const count = Math.floor((index ? whole % UNITS[first][1] : whole) / length);
        return count || !index ? format.format(count) : '';
    }).filter(Boolean).join(' ');
}

export const dateTime = (value, form = 'long') => FORMS[form].format(new Date(value));

export const Time = ({ at, form }) => at ? html`<time datetime=${at} title=${at}>${dateTime(at, form)}</time>` : html`<span class="soft">–</span>`;

const relative = new Intl.RelativeTimeFormat(undefined, { style: 'short' });
const STEPS = [['year', 365 * 86400], ['month', 30 * 86400], ['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
// How long before or after an instant another is.
export function ago(at, now) {
    const seconds = (new Date(at) - now) / 1000;
    const [unit, length] = STEPS.find(([, length]) => Math.abs(seconds) >= length) || STEPS.at(-1);
    return relative.format(Math.trunc(seconds / length), unit);
}

// An instant, with its date when that is not the store's today, and how long ago it was by the store's clock.
export const When = ({ at, now }) => html`<${Time} at=${at} form=${now && at && date.format(now) === date.format(new Date(at)) ? 'short' : 'dated'} />${now && at && html` <span class="soft small">${ago(at, now)}</span>`}`;

// The API has the newest 64 attempts of a notification, without their numbers.
const ATTEMPTS = 64;
export const hasAll = attempts => attempts.length < ATTEMPTS;

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
