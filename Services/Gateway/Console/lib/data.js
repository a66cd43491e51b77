// A page's snapshot: loaded when its dependencies change, again upon events, and again while what it asks is away.
import { useCallback, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { useLive } from './live.js';

const LEAST = 700;

// `load` makes the value; `live` says whether a message of the stream makes it out of date.
export function useData(load, dependencies, live = () => false) {
    const [state, set] = useState({});
    const mine = useRef({ run: 0 }).current;
    mine.load = load;

    const clear = () => {
        clearTimeout(mine.due);
        clearTimeout(mine.retry);
        mine.due = mine.retry = undefined;
    };
    const start = () => {
        clear();
        const run = ++mine.run;
        mine.again = false;
        mine.began = Date.now();
        mine.busy = new Promise(done => done(mine.load())).then(
            data => {
                if (run !== mine.run) return;
                mine.tries = 0;
                set({ data });
            },
            error => {
                if (run !== mine.run) return;
                set(before => ({ data: before.data, error }));
                if (!error.passes) return;
                mine.tries = (mine.tries || 0) + 1;
                mine.retry = setTimeout(start, Math.min(1000 * mine.tries, 5000));
            }).then(() => {
            if (run !== mine.run) return;
            mine.busy = undefined;
            if (mine.again) soon();
        });
        return mine.busy;
    };
    // Under steady events the timer is not put off, and the answer under way is taken before the next is asked for.
    const soon = () => {
        if (mine.busy) mine.again = true;
        else mine.due ||= setTimeout(start, Math.max(120, mine.began + LEAST - Date.now()));
    };
    const reload = useCallback(() => {
        if (!mine.busy) return start();
        mine.again = true;
        return mine.busy;
    }, []);

    useEffect(() => {
        set({});
        start();
        return () => {
            clear();
            mine.run += 1;
            mine.busy = undefined;
        };
    }, dependencies);

    useLive(message => {
        const stale = message.kind === 'hello' || message.kind === 'resync' || (message.events && message.kind !== 'kept' && live(message));
        if (stale) soon();
    }, dependencies);

    return { ...state, reload };
}

// Loads again each `milliseconds` while the page is in sight; what was refused for good is not asked for again.
export function useEvery(milliseconds, ...loaded) {
    const latest = useRef();
    latest.current = loaded;
    useEffect(() => {
        if (!milliseconds) return undefined;
        const timer = setInterval(() => {
            if (document.hidden) return;
            for (const one of latest.current) if (!one.error || one.error.passes) one.reload();
        }, milliseconds);
        return () => clearInterval(timer);
    }, [milliseconds]);
}

export const anyEvent = () => true;
export const transactionEvents = message => message.kind === 'transactions';
