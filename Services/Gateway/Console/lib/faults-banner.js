// What every page says while faults are in force, with the button that heals all of them.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';
import { Action, cli } from './actions.js';
import { tookFaults } from './faults.js';
import { link } from './router.js';

const text = strings.faults;

export const heal = { label: text.heal, method: 'DELETE', path: '/admin/v1/faults', cli: cli(['chaos', 'fault', 'clear'], null), said: () => text.healed };

const inWords = ({ faults: named, rules }) => named.map(one => text.at(one.fault, one.service)).join(', ') || text.rules(rules.length);

export const Banner = ({ of }) => html`<div class="away row" role="status">
    <span class="grow"><strong>${text.inForce}</strong> ${inWords(of)}</span>
    <a href=${link('chaos')}>${strings.nav.chaos}</a><${Action} of=${heal} done=${tookFaults} /></div>`;
