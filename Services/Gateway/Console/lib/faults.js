// The faults in force on the bus, which the chaos page sets and the banner of every page shows.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { get } from './api.js';
import { useData, useEvery } from './data.js';
import { box } from './ui.js';

export const faults = box(undefined);

// What was asked for before a change is out of date when it comes.
let turn = 0;
export function tookFaults(answer) {
    turn += 1;
    faults.set(answer);
}

export async function readFaults() {
    const mine = turn += 1;
    const answer = await get('/admin/v1/faults').catch(problem => {
        if (!problem.passes && mine === turn) faults.set(undefined);
        throw problem;
    });
    if (mine === turn) faults.set(answer);
    return answer;
}

// Asks once a minute while the console is in sight, and more often while faults are in force; it also shows what pages have read.
// The banner is loaded when there is something to say.
export function Faults() {
    const now = faults.use();
    const inForce = now?.rules.length > 0;
    const [loaded, set] = useState();
    useEvery(inForce ? 15000 : 60000, useData(readFaults, []));
    useEffect(() => { if (inForce) import('./faults-banner.js').then(set, () => {}); }, [inForce]);
    return inForce && loaded ? html`<${loaded.Banner} of=${now} />` : null;
}
