// One event stream for all tabs of a store: browsers allow six HTTP/1.1 connections to a host, and each stream holds one.
const KEPT = 200;
const ports = new Set();
let source;
let timer;
let steady;
let pause = 1000;
let state = { kind: 'state', connected: false };
let kept = [];
let version;
let address;

function tell(message) {
    for (const port of ports) port.postMessage(message);
}

function connected(now) {
    if (state.connected === now) return;
    state = { kind: 'state', connected: now };
    tell(state);
}

function open() {
    clearTimeout(timer);
    source?.close();
    source = new EventSource(address);
    source.addEventListener('hello', event => {
        // A stream that ends at once is not asked for again and again.
        clearTimeout(steady);
        steady = setTimeout(() => { pause = 1000; }, 15000);
        connected(true);
        const said = JSON.parse(event.data);
        version = said.version;
        tell({ kind: 'hello', id: event.lastEventId, ...said });
    });
    source.addEventListener('resync', () => tell({ kind: 'resync' }));
    for (const kind of ['transactions', 'intents']) {
        source.addEventListener(kind, event => {
            const { events } = JSON.parse(event.data);
            kept = [...events.toReversed(), ...kept].slice(0, KEPT);
            tell({ kind, events });
        });
    }
    const mine = source;
    source.addEventListener('error', async () => {
        clearTimeout(steady);
        connected(false);
        // The browser itself tries again only while the answer was a stream.
        if (mine.readyState !== EventSource.CLOSED) return;
        const answer = await fetch('/console/session').catch(() => undefined);
        if (mine !== source) return;
        if (answer?.status === 401) {
            // The session is over; a tab that signs in opens the stream anew.
            close();
            return;
        }
        clearTimeout(timer);
        timer = setTimeout(open, pause);
        pause = Math.min(pause * 2, 10000);
    });
}

function close() {
    clearTimeout(timer);
    clearTimeout(steady);
    pause = 1000;
    source?.close();
    source = undefined;
    connected(false);
}

// `store`: the isolated store whose events they are; empty for the main one.
function take(port, store) {
    address = `${store && `/s/${encodeURIComponent(store)}`}/admin/v1/events/stream`;
    ports.add(port);
    port.onmessage = ({ data }) => {
        if (data === 'open') {
            if (source && source.readyState !== EventSource.CLOSED) port.postMessage({ ...state, version });
            else open();
            port.postMessage({ kind: 'kept', events: kept });
        } else if (data === 'leave') {
            ports.delete(port);
            if (!ports.size) close();
        } else if (data === 'close') {
            kept = [];
            close();
        }
    };
    port.start?.();
}

if (typeof SharedWorkerGlobalScope === 'undefined') self.storebusEvents = { take };
else self.onconnect = ({ ports: [port] }) => take(port, self.name);
