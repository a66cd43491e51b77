// A page's snapshot: loaded when its dependencies change, again upon events, and again while what it asks is away.
import { useCallback, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { useLive } from './live.js';

const LEAST = 700;

// `load` makes the value; `live` says whether a message of the stream makes it out of date.
export function useData(load, dependencies, live = () => false) {
    const [state, set] = useState({ loading: true });
    const mine = useRef({ run: 0 }).current;

    const reload = useCallback(() => {
        clearTimeout(mine.timer);
        const run = ++mine.run;
        mine.began = Date.now();
        set(before => ({ ...before, loading: true }));
        return mine.load().then(
            data => {
                mine.tries = 0;
                if (run === mine.run) set({ data });
            },
            error => {
                if (run !== mine.run) return;
                set(before => ({ data: before.data, error }));
                if (!error.passes) return;
                mine.tries = (mine.tries || 0) + 1;
                mine.timer = setTimeout(reload, Math.min(1000 * mine.tries, 5000));
            });
    }, []);
    mine.load = load;

    useEffect(() => {
        set({ loading: true });
        reload();
        return () => { mine.run += 1; clearTimeout(mine.timer); };
    }, dependencies);

    useLive(message => {
        const stale = message.kind === 'hello' || message.kind === 'resync' || (message.events && message.kind !== 'kept' && live(message));
        if (!stale) return;
        clearTimeout(mine.timer);
        mine.timer = setTimeout(reload, Math.max(120, mine.began + LEAST - Date.now()));
    }, dependencies);

    return { ...state, reload };
}

export const anyEvent = () => true;
export const transactionEvents = message => message.kind === 'transactions';
export const intentEvents = message => message.kind === 'intents';
