// The store's clock between two answers of the gateway.
import { useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { appURL, get } from './api.js';
import { useLive } from './live.js';
import { chosenApp, clock } from './ui.js';

const MONTH = 30 * 86400;
const UNITS = { Second: 1, Seconds: 1, Minute: 60, Minutes: 60, Hour: 3600 };
const COUNTS = { Two: 2, Three: 3, Five: 5, Ten: 10, Fifteen: 15, Thirty: 30 };

// Seconds of the store in one of the wall; a name of StoreKit's says how long a month of 30 days takes.
export function factor(rate) {
    if (typeof rate === 'number') return rate;
    if (rate === 'oneSecondIsOneDay') return 86400;
    const [, count, unit] = /Every(Two|Three|Five|Ten|Fifteen|Thirty)?(Seconds?|Minutes?|Hour)$/.exec(rate) || [];
    return unit ? MONTH / ((COUNTS[count] || 1) * UNITS[unit]) : 1;
}

export function storeNow(shown = clock.get()) {
    if (!shown) return undefined;
    const elapsed = shown.frozen ? 0 : (performance.now() - shown.heard) * factor(shown.rate);
    return new Date(Date.parse(shown.now) + elapsed);
}

// The same, again each second.
export function useNow() {
    const shown = clock.use();
    const [, tick] = useState(0);
    useEffect(() => {
        const timer = setInterval(() => tick(count => count + 1), 1000);
        return () => clearInterval(timer);
    }, []);
    return storeNow(shown);
}

export const tookClock = answer => clock.set({ ...answer, heard: performance.now() });

export async function readClock() {
    const app = chosenApp.get();
    if (!app) return;
    const answer = await get(appURL(app, 'clock'));
    if (app === chosenApp.get()) tookClock(answer);
}

// Keeps the clock of the chosen app right: events may have come from a move of it.
export function useClock() {
    const app = chosenApp.use();
    const due = useRef();
    const read = () => {
        clearTimeout(due.current);
        due.current = undefined;
        readClock().catch(() => {});
    };
    useEffect(() => {
        clock.set(undefined);
        read();
        const again = setInterval(read, 15000);
        return () => { clearInterval(again); clearTimeout(due.current); due.current = undefined; };
    }, [app]);
    useLive(message => {
        if (message.kind === 'hello' || message.kind === 'resync' || message.kind === 'transactions') {
            due.current ||= setTimeout(read, 800);
        }
    });
}
