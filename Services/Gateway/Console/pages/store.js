// The App Store on a device: what is promoted there, what a tap on Buy leads to, and test links.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { appURL, get, newKey, url } from '../lib/api.js';
import { Action, cli } from '../lib/actions.js';
import { anyEvent, useData } from '../lib/data.js';
import { State, Time, priced, words } from '../lib/format.js';
import { kindOf, levelsOf, subscriptionsOf } from '../lib/buy.js';
import { usePicture } from '../lib/picture.js';
import { link } from '../lib/router.js';
import { asDevice } from '../lib/sessions.js';
import { Card, Choice, Code, Head, Loaded, chosenApp, toastProblem } from '../lib/ui.js';
import { useWho } from '../lib/who.js';

const text = strings.store;

// A product's promotional image; without one its first letter, in a colour of its own.
function Face({ name, picture }) {
    if (picture) return html`<img class="face" src=${picture} alt="" />`;
    const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
    return html`<svg viewBox="0 0 56 56" aria-hidden="true"><rect width="56" height="56" rx="13" fill=${`hsl(${hue} 45% 42%)`} /><text x="28" y="38" text-anchor="middle" font-size="28" font-weight="600" fill="#fff">${[...name][0] || '?'}</text></svg>`;
}

function buy(who, product, source, label) {
    const body = { productIdentifier: product.productIdentifier, source };
    const path = '/v1/store-page/purchase';
    return {
        label, method: 'POST', path, body, session: true, key: true,
        cli: cli(['intent', 'start', [product.productIdentifier], '--as', who.account, '--device', who.deviceId, '--source', source], who.bundleId),
        run: () => asDevice(who, 'POST', path, { body, key: newKey() }), said: answer => text.outcome[answer.outcome] || words(answer.outcome), to: () => ({ href: link('customers', who.account), name: who.account }),
    };
}

function Offer({ who, of: { product, owned }, source, image, setup, done }) {
    const picture = usePicture(who.bundleId, product.productIdentifier, image);
    const kind = owned ? 'owned' : kindOf(product, setup);
    const label = strings.buy.kinds[kind];
    return html`<div class="offer">
        <${Face} name=${product.localizedTitle} picture=${picture} />
        <div class="break"><a href=${link('products', product.productIdentifier)}><strong>${product.localizedTitle}</strong></a><div class="soft small">${product.localizedDescription}</div>
            <div class="small">${priced(product)}</div></div>
        ${kind === 'owned' ? html`<span class="pill good">${label}</span>` : html`<${Action} of=${buy(who, product, source, label)} done=${done} primary />`}
    </div>`;
}

// What a tap on a product would be, and the images that are approved.
async function setupOf({ bundleId, account }) {
    const [{ promotions }, catalogue, { current }] = await Promise.all([get(appURL(bundleId, 'promotions')), get(appURL(bundleId, 'catalog')), subscriptionsOf(bundleId, account)]);
    return { current, levels: levelsOf(catalogue), images: new Map(promotions.filter(one => one.image?.state === 'approved').map(one => [one.productIdentifier, one.image.sha256])) };
}

function Shelf({ who, tab, search, done }) {
    const [path, source] = search ? [`/v1/search?q=${encodeURIComponent(search)}`, 'search'] : tab === 'featured' ? ['/v1/featured', 'featured'] : ['/v1/store-page', 'storePage'];
    const found = useData(async () => {
        // The session makes the account, when it is new.
        const shelf = await asDevice(who, 'GET', path);
        return { ...shelf, setup: await setupOf(who) };
    }, [who.account, who.deviceId, path], anyEvent);
    return html`<${Loaded} of=${found}>${({ promotions, degraded, setup }) => html`
        ${degraded.length > 0 && html`<p class="note">${text.degraded(degraded.join(', '))}</p>`}
        ${promotions.length === 0 && html`<p class="empty">${search ? text.noMatch : text.empty}</p>`}
        ${promotions.map(one => html`<${Offer} who=${who} of=${one} source=${source} setup=${setup} image=${setup.images.get(one.product.productIdentifier)} done=${answer => { done(answer); found.reload(); }} key=${one.product.productIdentifier} />`)}`}</${Loaded}>`;
}

function decide(who, intent, decision) {
    const path = url('/v1/intents', intent.intentIdentifier) + '/decision';
    return {
        label: text.decide[decision], method: 'POST', path, body: { decision }, session: true, cli: cli(['intent', decision, intent.intentIdentifier], null),
        run: () => asDevice({ ...who, client: 'app' }, 'POST', path, { body: { decision } }), said: text.decided[decision](intent.payment.productIdentifier),
    };
}

function Intents({ who, reloadWhen }) {
    const found = useData(() => get('/admin/v1/intents', { bundleId: who.bundleId, account: who.account, deviceId: who.deviceId, limit: 100 }), [who.account, who.deviceId, reloadWhen], anyEvent);
    return html`<${Card} title=${text.intents}><p class="soft small">${text.decideSays}</p><${Loaded} of=${found}>${({ intents }) => intents.length === 0 ? html`<p class="empty">${text.noIntents}</p>`
        : html`<ul class="plain list">${intents.toReversed().slice(0, 50).map(intent => html`<li key=${intent.intentIdentifier}><div class="row">
            <span class="grow break">${intent.transactionId ? html`<a href=${link('transactions', intent.transactionId)}>${intent.payment.productIdentifier}</a>` : intent.payment.productIdentifier}
                <div class="soft small">${text.source(words(intent.source))}${intent.feedback ? ` · ${intent.feedback}` : ''}${intent.state === 'pending' ? html` · ${text.until} <${Time} at=${intent.expiresAt} />` : ''}</div></span><${State} of=${intent.state} /></div>
            ${(intent.state === 'pending' || intent.state === 'deferred') && html`<div class="row">${['continue', ...intent.state === 'pending' ? ['defer'] : [], 'cancel'].map(one => html`<${Action} of=${decide(who, intent, one)} done=${found.reload} key=${one} />`)}</div>`}
        </li>`)}</ul>`}</${Loaded}></${Card}>`;
}

function TestLink({ who, done }) {
    const products = useData(() => get(appURL(who.bundleId, 'products'), { limit: 500 }), [who.bundleId]);
    const [id, setId] = useState('');
    const [made, set] = useState();
    useEffect(() => {
        set(undefined);
        if (!id) return;
        const path = `${appURL(who.bundleId)}/products/${encodeURIComponent(id)}/test-url`;
        Promise.all([get(path, { format: 'text' }, { as: 'text' }), get(path, { format: 'svg' }, { as: 'svg' })]).then(([address, svg]) => set({ address, picture: `data:image/svg+xml,${encodeURIComponent(svg)}` }), toastProblem);
    }, [id]);
    const tap = made && {
        label: text.tap, method: 'POST', path: '/v1/open-url', body: { url: made.address }, session: true, key: true, cli: cli(['intent', made.address, '--as', who.account, '--device', who.deviceId], null),
        run: () => asDevice(who, 'POST', '/v1/open-url', { body: { url: made.address }, key: newKey() }), said: answer => text.outcome[answer.outcome] || words(answer.outcome),
    };
    return html`<${Card} title=${text.testLink}><div class="stack"><p class="soft">${text.testSays}</p>
        <${Choice} label=${strings.transactions.product} value=${id} options=${[['', '–'], ...(products.data?.products || []).map(one => one.productIdentifier)]} onChange=${setId} />
        ${made && html`<img class="qr" src=${made.picture} alt=${text.qr(id)} /><${Code} text=${made.address} /><${Action} of=${tap} done=${done} />`}
    </div></${Card}>`;
}

export default function Store({ route }) {
    const app = chosenApp.use();
    const { who, form } = useWho(route, 'store', app, text.open);
    const [tab, setTab] = useState(route.query.get('tab') === 'featured' ? 'featured' : 'page');
    const [search, setSearch] = useState('');
    const [count, setCount] = useState(0);
    const done = () => setCount(count + 1);
    return html`<${Head} title=${strings.nav.store} says=${text.says} />
        <div class="stack">
            <${Card} title=${text.who}>${form}</${Card}>
            ${who && html`<div class="columns" key=${JSON.stringify(who)}>
                <div class="phone"><div class="stack">
                    <div class="tabs" role="group" aria-label=${text.tabs}>${['page', 'featured'].map(name => html`<button aria-pressed=${tab === name && !search} onClick=${() => { setTab(name); setSearch(''); }}>${text[name]}</button>`)}</div>
                    <input type="search" aria-label=${text.searchLabel} placeholder=${strings.search} value=${search} onInput=${event => setSearch(event.target.value)} />
                    <div><${Shelf} who=${who} tab=${tab} search=${search} done=${done} key=${`${tab}${search}`} /></div>
                </div></div>
                <div class="stack"><${Intents} who=${who} reloadWhen=${count} /><${TestLink} who=${who} done=${done} /></div>
            </div>`}
        </div>`;
}
