// What happens in the store, as it happens, from the worker all tabs share; without SharedWorker from this page itself.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { call } from './api.js';
import { store } from './router.js';

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
    if (message.events && message.kind !== 'kept') recent = joined(message.events.toReversed(), recent);
    for (const listener of [...listeners]) listener(message);
}

export async function connect() {
    if (!port) {
        if (typeof SharedWorker === 'function') {
            port = new SharedWorker('/console/events.worker.js', store).port;
        } else {
            await import('/console/events.worker.js');
            const channel = new MessageChannel();
            self.storebusEvents.take(channel.port2, store);
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

// What happened shortly before the page was opened.
async function before() {
    asked = true;
    try {
        const { events } = await call('GET', '/admin/v1/events/last?limit=200');
        heard({ kind: 'kept', events: events.toReversed() });
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
