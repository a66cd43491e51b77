// What happens in the store, as it happens, from the worker all tabs share; without SharedWorker from this page itself.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { call } from './api.js';

const listeners = new Set();
let port;
let isConnected = false;
let recent = [];
let asked = false;

export const recentEvents = () => recent;

// The server's version when this page was loaded; of another one the page may know too little.
let version;

// The newest first; what is in both is there once.
function joined(newer, older) {
    const ids = new Set(newer.map(event => event.id));
    return [...newer, ...older.filter(event => !ids.has(event.id))].slice(0, 200);
}

function heard(message) {
    if (message.kind === 'hello') {
        if (version && message.version !== version) location.reload();
        version = message.version;
    }
    if (message.kind === 'state') {
        isConnected = message.connected;
        version ||= message.version;
    }
    if (message.kind === 'kept') recent = joined(recent, message.events);
    if (message.events && message.kind !== 'kept') recent = [...message.events.toReversed(), ...recent].slice(0, 200);
    for (const listener of [...listeners]) listener(message);
}

export async function connect() {
    if (!port) {
        if (typeof SharedWorker === 'function') {
            port = new SharedWorker('/console/events.worker.js').port;
        } else {
            await import('/console/events.worker.js');
            const channel = new MessageChannel();
            self.storebusEvents.take(channel.port2);
            port = channel.port1;
        }
        port.onmessage = ({ data }) => heard(data);
        addEventListener('pagehide', () => port.postMessage('leave'));
        addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
    }
    port.postMessage('open');
    if (!asked) await before();
}

export function disconnect() {
    recent = [];
    asked = false;
    port?.postMessage('close');
}

// What happened shortly before the page was opened. The API has no request for the last events: a position, which is a count in
// 26 digits of base 32, is taken back by 200. Should positions be made otherwise, there is no history.
async function before() {
    asked = true;
    const digits = '0123456789abcdefghjkmnpqrstvwxyz';
    try {
        const { after } = await call('GET', '/admin/v1/events/wait?timeout=0');
        const [, prefix, place] = /^(e_)([0-9a-z]{26})$/.exec(after) || [];
        if (!place) return;
        let count = [...place].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n) - 200n;
        let from = '';
        for (count = count < 0n ? 0n : count; from.length < 26; count /= 32n) from = digits[Number(count % 32n)] + from;
        const found = [];
        for (let at = prefix + from; at < after;) {
            const page = await call('GET', `/admin/v1/events/wait?timeout=0&after=${at}`);
            if (!page.events.length) break;
            found.push(...page.events);
            at = page.after;
        }
        heard({ kind: 'kept', events: found.toReversed().slice(0, 200) });
    } catch {
        // The list begins with what happens from now on.
    }
}

export function useLive(handler, dependencies = []) {
    useEffect(() => {
        listeners.add(handler);
        return () => listeners.delete(handler);
    }, dependencies);
}

export function useConnected() {
    const [connected, set] = useState(isConnected);
    useLive(message => { if (message.kind === 'state') set(message.connected); });
    return connected;
}
