// Pages are named by the fragment: #/transactions/2000000000000001?filter=state%3Ddeferred&app=com.example.app&store=t-1
// Each address has the app, and the isolated store unless it is the main one, so that it opens the same for everyone.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { chosenApp } from './ui.js';

// A part that is not encoded is taken as it is.
function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

export function route() {
    // A link may have its query and the place's.
    const [path, ...queries] = location.hash.replace(/^#\/?/, '').split('?');
    return { parts: path.split('/').map(decoded), query: new URLSearchParams(queries.join('&')) };
}

// The isolated store that the page is about, of the address it was opened with; empty for the main one.
export let store = '';
export function arrive() {
    store = route().query.get('store') || '';
}
arrive();

const address = (parts, query) => {
    const said = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
    return `#/${parts.map(encodeURIComponent).join('/')}${said.size ? `?${said}` : ''}`;
};

// The address of a page in this app and store; an object behind the parts is its query.
export function link(...parts) {
    const query = typeof parts.at(-1) === 'object' ? parts.pop() : {};
    return address(parts, { ...query, app: chosenApp.get(), store });
}

export const linkElsewhere = (page, app, other) => address([page], { app, store: other });

export const go = (...parts) => { location.hash = link(...parts); };

// Writes the query of the page without leaving a step in the history.
export function setQuery(values) {
    history.replaceState(null, '', link(...route().parts, values));
}

// An address that names no place is one of this place.
export const keepPlace = () => setQuery(Object.fromEntries(route().query));

export function useRoute() {
    const [now, set] = useState(route);
    useEffect(() => {
        const changed = () => {
            if (!/^#(\/|$)/.test(location.hash)) return;
            const next = route();
            const named = next.query.has('app') || next.query.has('store');
            if (named && (next.query.get('store') || '') !== store) location.reload();
            else set(next);
        };
        addEventListener('hashchange', changed);
        return () => removeEventListener('hashchange', changed);
    }, []);
    return now;
}
