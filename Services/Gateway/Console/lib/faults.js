// The faults in force on the bus, which the chaos page sets and the banner of every page shows.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';
import { get } from './api.js';
import { Action, cli } from './actions.js';
import { useData, useEvery } from './data.js';
import { link } from './router.js';
import { box } from './ui.js';

const text = strings.faults;

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

export const heal = { label: text.heal, method: 'DELETE', path: '/admin/v1/faults', cli: cli(['chaos', 'fault', 'clear'], null), said: () => text.healed };

const inWords = ({ faults: named, rules }) => named.map(one => text.at(one.fault, one.service)).join(', ') || text.rules(rules.length);

// Asks once a minute while the console is in sight, and more often while faults are in force; it also shows what pages have read.
export function FaultsBanner() {
    const now = faults.use();
    const inForce = now?.rules.length > 0;
    useEvery(inForce ? 15000 : 60000, useData(readFaults, []));
    return inForce && html`<div class="away row" role="status">
        <span class="grow"><strong>${text.inForce}</strong> ${inWords(now)}</span>
        <a href=${link('chaos')}>${strings.nav.chaos}</a><${Action} of=${heal} done=${tookFaults} /></div>`;
}
