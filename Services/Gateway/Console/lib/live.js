// What happens in the store, as it happens, from the worker all tabs share; without SharedWorker from this page itself.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { call } from './api.js';

const listeners = new Set();
let port;
let isConnected = false;
let recent = [];

export const recentEvents = () => recent;

function heard(message) {
    if (message.kind === 'state') isConnected = message.connected;
    if (message.kind === 'kept' && recent.length === 0) recent = message.events;
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
    if (recent.length === 0) await before();
}

export function disconnect() {
    recent = [];
    port?.postMessage('close');
}

// What happened shortly before the page was opened. A position is a count in 26 digits of base 32.
async function before() {
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
        if (recent.length === 0) heard({ kind: 'kept', events: found.toReversed().slice(0, 200) });
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
