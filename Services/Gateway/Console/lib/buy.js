// Purchases as an account's app makes them on a device.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, get, newKey } from './api.js';
import { Action, cli, making } from './actions.js';
import { useData } from './data.js';
import { money, priced } from './format.js';
import { link } from './router.js';
import { asDevice } from './sessions.js';
import { productOf, rowOf, shortId } from './transactions.js';
import { Choice, Field, Loaded, values } from './ui.js';

const text = strings.buy;
const SEVERAL = new Set(['consumable', 'nonRenewable']);
const MONTHLY = 'MONTHLY';
const isOver = subscription => subscription.state === 'expired' || subscription.state === 'revoked';

// Each subscription's place in its group, the first being the highest.
export const levelsOf = catalogue => new Map((catalogue.subscriptionGroups || []).flatMap(group => group.subscriptions || []).map(one => [one.productID, one.groupNumber]));

// What can be bought in an app, each subscription's level, and the products that are used up.
export async function goodsOf(app) {
    const [products, catalogue] = await Promise.all([all(appURL(app, 'products'), { limit: 500 }, 'products'), get(appURL(app, 'catalog'))]);
    return { products, levels: levelsOf(catalogue), consumables: new Set((catalogue.products || []).filter(one => one.type === 'Consumable').map(one => one.productID)) };
}

// An account's subscriptions in an app, and those that go on.
export async function subscriptionsOf(app, account) {
    const { subscriptions } = await get('/admin/v1/subscriptions', { bundleId: app, account, limit: 100 });
    return { subscriptions, current: subscriptions.filter(one => !isOver(one)) };
}

// What an account has of an app: its transactions, the oldest first and cut where there are too many, and its subscriptions.
export async function holdingsOf(app, account) {
    const [transactions, subscriptions] = await Promise.all([rowsOf(app, account), subscriptionsOf(app, account)]);
    return { ...transactions, ...subscriptions };
}

const ROWS = 1000;
async function rowsOf(app, account) {
    const rows = [];
    let after;
    do {
        const page = await get('/admin/v1/transactions', { bundleId: app, account, limit: 100, after });
        rows.push(...page.transactions.map((transaction, index) => rowOf(transaction, page.records[index])));
        after = page.after;
    } while (after && rows.length < ROWS);
    return { rows, isCut: Boolean(after) };
}

const isOwned = row => row.transactionState === 'purchased' && !row.revocationDate;

// What a purchase of the product is to who has these: buy, owned, the change of a subscription, or unknown where not all was read.
export function kindOf(product, { rows = [], isCut, current, levels }) {
    if (product.type === 'nonConsumable') return rows.some(row => isOwned(row) && productOf(row) === product.productIdentifier) ? 'owned' : isCut ? 'unknown' : 'buy';
    const running = product.subscriptionGroupIdentifier && current.find(one => one.subscriptionGroupIdentifier === product.subscriptionGroupIdentifier);
    if (!running) return 'buy';
    if (running.productIdentifier === product.productIdentifier) return 'owned';
    const by = levels.get(product.productIdentifier) - levels.get(running.productIdentifier);
    return by < 0 ? 'upgrade' : by > 0 ? 'downgrade' : 'crossgrade';
}

// A toast about a transaction as it was answered.
export const bought = {
    said: one => one.transactionState === 'failed' ? text.failed(productOf(one), one.error?.localizedDescription || '') : (text.said[one.transactionState] || text.said.purchased)(productOf(one)),
    to: one => ({ href: link('transactions', one.id), name: shortId(one) }),
};

function buy(who, product, { quantity, plan }, label) {
    const body = { productIdentifier: product, ...quantity > 1 && { quantity: Number(quantity) }, ...plan && { billingPlanType: plan } };
    return {
        label, method: 'POST', path: '/v1/payments', body, session: true, key: true, ...bought,
        cli: cli(['buy', [product], '--as', who.account, '--device', who.deviceId, ...quantity > 1 ? ['--quantity', quantity] : [], ...plan ? ['--plan', plan.toLowerCase()] : []], who.bundleId),
        run: () => asDevice(who, 'POST', '/v1/payments', { body, key: newKey() }),
    };
}

// Buys any product, or the one that is named, for the account or one that is typed. `goods` and `holdings`: what can be bought, and
// what the account has; `devices`: those of the account.
export function Buy({ app, account, product, devices = [], goods: { products, levels }, holdings, onAccount, done }) {
    const [chosen, choose] = useState(product || '');
    const kind = other => holdings ? kindOf(other, { ...holdings, levels }) : 'buy';
    const canBuy = other => !['owned', 'unknown'].includes(kind(other));
    const one = chosen ? products.find(other => other.productIdentifier === chosen) : products.find(canBuy) || products[0];
    if (!one) return html`<p class="empty">${product ? text.notForSale : text.nothing}</p>`;
    const id = one.productIdentifier;
    const label = text.kinds[kind(one)];
    const monthly = one.pricingTerms?.find(terms => terms.billingPlanType === MONTHLY);
    const make = making(label, form => {
        const said = values(form);
        const buyer = account || said.account;
        return buy({ client: 'app', bundleId: app, account: buyer, deviceId: said.device || `${buyer}-1` }, id, said, label);
    });
    return html`<form class="row end">
        ${!product && html`<${Choice} label=${strings.transactions.product} name="product" value=${id} options=${products.map(other => [other.productIdentifier, `${other.localizedTitle} · ${priced(other)}${kind(other) === 'buy' ? '' : ` · ${text.kinds[kind(other)].toLowerCase()}`}`])} onChange=${choose} />`}
        ${!account && html`<${Field} label=${strings.transactions.account} name="account" required autocomplete="off" onChange=${event => onAccount(event.target.value)} />`}
        ${devices.length > 1 && html`<${Choice} label=${strings.transaction.device} name="device" options=${devices} />`}
        ${SEVERAL.has(one.type) && html`<${Field} label=${strings.transactions.quantity} name="quantity" type="number" min="1" max="10" value="1" />`}
        ${monthly && html`<${Choice} label=${text.plan} name="plan" options=${[['', text.upFront(priced(one))], [MONTHLY, text.monthly(money(monthly.price), money(monthly.commitmentPrice))]]} />`}
        ${canBuy(one) ? html`<${Action} of=${make} done=${done} primary key=${label} />` : html`<span class=${kind(one) === 'owned' ? 'pill good' : 'pill'}>${label}</span>`}
    </form>${text.says[kind(one)] && html`<p class="soft small">${text.says[kind(one)]}</p>`}`;
}

// Buys one product for an account that is typed.
export function BuyProduct({ app, product }) {
    const [account, setAccount] = useState('');
    const goods = useData(() => goodsOf(app), [app]);
    const holdings = useData(() => account ? holdingsOf(app, account) : undefined, [app, account], message => message.events.some(event => event.account === account));
    return html`<${Loaded} of=${goods}>${of => html`<${Buy} app=${app} product=${product} goods=${of} holdings=${holdings.data} onAccount=${setAccount} done=${holdings.reload} />`}</${Loaded}>`;
}
