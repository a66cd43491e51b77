// Pages are named by the fragment: #/transactions/2000000000000001?filter=state%3Ddeferred
import { useEffect, useState } from '../vendor/preact-htm.js';

// A part that is not encoded is taken as it is.
function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

export function route() {
    const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
    return { parts: path.split('/').map(decoded), query: new URLSearchParams(query) };
}

export const link = (...parts) => '#/' + parts.map(encodeURIComponent).join('/');

export const go = (...parts) => { location.hash = link(...parts); };

export function useRoute() {
    const [now, set] = useState(route);
    useEffect(() => {
        const changed = () => set(route());
        addEventListener('hashchange', changed);
        return () => removeEventListener('hashchange', changed);
    }, []);
    return now;
}

// Writes the query of the page without leaving a step in the history.
export function setQuery(values) {
    const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
    const path = location.hash.split('?')[0] || '#/';
    history.replaceState(null, '', query.size ? `${path}?${query}` : path);
}
