// Which introductory offers an account would get, what decides it, and what it would be after one more purchase.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { appURL } from '../lib/api.js';
import { Action, cli, making, showCommands } from '../lib/actions.js';
import { bought } from '../lib/buy.js';
import { transactionEvents, useData } from '../lib/data.js';
import { State, words } from '../lib/format.js';
import { link } from '../lib/router.js';
import { asDevice } from '../lib/sessions.js';
import { Plain } from '../lib/table.js';
import { Card, Field, Head, Loaded, chosenApp, values } from '../lib/ui.js';
import { useWho } from '../lib/who.js';

const text = strings.eligibility;

function Answers({ who }) {
    const found = useData(() => asDevice(who, 'GET', '/v1/eligibility'), [who.account, who.deviceId], transactionEvents);
    const add = making(text.add, form => {
        const { product } = values(form);
        return { method: 'POST', path: appURL(who.bundleId, 'purchases'), body: { account: who.account, productIdentifier: product }, ...bought };
    });
    return html`<${Loaded} of=${found}>${({ eligibility }) => html`<div class="stack">
        ${eligibility.length === 0 ? html`<p class="empty">${text.empty}</p>` : html`<div class="card flush"><${Plain} caption=${text.caption(who.account)} rows=${eligibility} rowKey=${one => one.productIdentifier} columns=${[
            { title: strings.transactions.product, cell: one => html`<a href=${link('products', one.productIdentifier)}>${one.productIdentifier}</a>` },
            { title: text.answer, cell: one => html`<${State} of=${one.eligibility} />` },
            { title: text.rule, className: 'wrap', cell: one => html`${text.rules[one.rule] || words(one.rule)} <code class="soft">${one.rule}</code>` },
            { title: text.decided, cell: one => one.transactionIdentifier ? html`<a class="mono" href=${link('transactions', one.transactionIdentifier)}>${one.transactionIdentifier}</a>` : '–' },
            { title: text.used, cell: one => one.usedProductIdentifier || '–' },
        ]} /></div>`}
        <${Card} title=${text.whatIf}><div class="stack"><p class="soft">${text.whatIfSays}</p><form class="row end">
            <${Field} label=${strings.transactions.product} name="product" list="offered" required autocomplete="off" /><datalist id="offered">${eligibility.map(one => html`<option value=${one.productIdentifier} />`)}</datalist>
            <${Action} of=${add} done=${found.reload} /></form></div></${Card}>
    </div>`}</${Loaded}>`;
}

export default function Eligibility({ route }) {
    const app = chosenApp.use();
    const { who, form } = useWho(route, 'app', app, text.ask);
    const asked = who && { label: strings.nav.eligibility, method: 'GET', path: '/v1/eligibility', session: true, cli: cli(['eligibility', '--as', who.account, '--device', who.deviceId]) };
    return html`<${Head} title=${strings.nav.eligibility} says=${text.says}>${who && html`<button onClick=${() => showCommands(asked)}>${'>_'} ${strings.asCLI}</button>`}</${Head}>
        <div class="stack">
            ${form}
            ${who && html`<${Answers} who=${who} key=${JSON.stringify(who)} />`}
        </div>`;
}
