// The filter language of the CLI: terms name=value (exactly) and name~text (somewhere in it), and since=10m.
import { storeNow } from './clock.js';

const LENGTHS = { s: 1, m: 60, h: 3600, d: 86400, w: 604800, mo: 30 * 86400, y: 365 * 86400 };
const TERM = /([a-zA-Z]+)([=~])(?:"([^"]*)"|(\S*))|(\S+)/g;

export function lengthOf(text) {
    let seconds = 0;
    const rest = text.replace(/(\d+)(mo|s|m|h|d|w|y)/g, (_, count, unit) => {
        seconds += count * LENGTHS[unit];
        return '';
    });
    return rest === '' && seconds > 0 ? seconds * 1000 : undefined;
}

// `fields` gives a row's value by name. Returns the terms, a test of a row, and what was not understood.
export function parse(text, fields) {
    const terms = [];
    const unknown = [];
    for (const [whole, name, sign, quoted, plain] of text.matchAll(TERM)) {
        const value = quoted ?? plain;
        if (name === 'since' && sign === '=' && lengthOf(value)) terms.push({ name, value, test: row => !fields.at(row) || Date.parse(fields.at(row)) >= storeNow() - lengthOf(value) });
        else if (name && name !== 'at' && fields[name] && value !== '') {
            const of = row => String(fields[name](row) ?? '');
            const low = value.toLowerCase();
            terms.push({ name, value, exact: sign === '=', test: sign === '=' ? row => of(row) === value : row => of(row).toLowerCase().includes(low) });
        } else if (!name) {
            // A bare word, somewhere in any of them.
            const low = whole.toLowerCase();
            terms.push({ name: '', value: whole, test: row => Object.entries(fields).some(([key, of]) => key !== 'at' && String(of(row) ?? '').toLowerCase().includes(low)) });
        } else unknown.push(whole);
    }
    return { terms, unknown, matches: row => terms.every(term => term.test(row)), exact: name => terms.find(term => term.name === name && term.exact)?.value };
}
