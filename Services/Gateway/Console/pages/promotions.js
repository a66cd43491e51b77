// Promoted products: their order, whether they are shown, their images, and what a device has set for itself.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, call, get, url } from '../lib/api.js';
import { Action, More, cli, making, perform } from '../lib/actions.js';
import { useData } from '../lib/data.js';
import { State, words } from '../lib/format.js';
import { picturePath, usePicture } from '../lib/picture.js';
import { link } from '../lib/router.js';
import { Reorder } from '../lib/reorder.js';
import { Card, Choice, Field, Head, Loaded, chosenApp, values } from '../lib/ui.js';

const text = strings.promotions;

// The tab is one of all apps: others' products keep their places, and the app's come where its first was.
function featuring(app, products, ids, label) {
    const first = products.findIndex(one => one.bundleId === app);
    const place = first < 0 ? products.length : first;
    const others = list => list.filter(one => one.bundleId !== app);
    return {
        label, method: 'PUT', path: '/admin/v1/featured', said: () => text.saved, cli: cli(['promo', 'featured', ids, ...ids.length ? [] : ['--none']]),
        body: [...others(products.slice(0, place)), ...ids.map(id => ({ bundleId: app, productIdentifier: id })), ...others(products.slice(place))],
    };
}

// What keeps a product off the page of a device that has set nothing itself; nothing when it is on it.
const offThePage = one => !one ? [text.notInOrder] : [one.visible ? undefined : text.hidden, ...one.reasons.map(words), ...one.details].filter(Boolean);

function Featured({ app, setup, products, reload }) {
    const saved = products.filter(one => one.bundleId === app).map(one => one.productIdentifier);
    const [ids, setIds] = useState(saved);
    useEffect(() => setIds(saved), [saved.join('\n')]);
    const reasons = id => offThePage(setup.promotions.find(one => one.productIdentifier === id));
    const save = async list => {
        setIds(list);
        if (await perform(featuring(app, products, list, text.featured)) === undefined) setIds(saved);
        reload();
    };
    const add = making(strings.add, form => featuring(app, products, [...ids, values(form).featured], strings.add));
    const shown = ids.filter(id => !reasons(id).length);
    return html`<${Card} title=${text.featured} tools=${html`<${More} of=${featuring(app, products, ids, text.featured)} />`}><div class="stack">
        <p class="soft">${text.featuredSays}</p>
        ${ids.length === 0 ? html`<p class="empty">${text.noneFeatured}</p>` : html`<${Reorder} items=${ids} save=${save} label=${text.featured}>${id => html`
            <span class="grow break"><a href=${link('products', id)}>${id}</a><div class="soft small">${reasons(id).join(' · ') || text.isShown}</div></span>
            <${Action} of=${featuring(app, products, ids.filter(one => one !== id), text.unfeature)} done=${reload} />`}</${Reorder}>`}
        <p>${shown.length ? text.tabShows(shown.join(', ')) : text.tabIsEmpty} <a href=${link('store', { tab: 'featured' })}>${strings.nav.store}</a></p>
        <form class="row end"><${Field} label=${strings.transactions.product} name="featured" required /><${Action} of=${add} done=${reload} /></form>
    </div></${Card}>`;
}

function Default({ app, setup, products, reload }) {
    const visible = Object.fromEntries(setup.promotions.map(one => [one.productIdentifier, one]));
    const order = setup.promotions.map(one => one.productIdentifier);
    const put = (list, change = {}) => ({
        label: text.save, method: 'PUT', path: `${appURL(app)}/promotions`, cli: cli(['promo', 'order', list]),
        body: list.map(id => ({ productIdentifier: id, visible: change[id] ?? visible[id]?.visible ?? true })), said: () => text.saved,
    });
    const toggle = one => ({ ...put(order, { [one.productIdentifier]: !one.visible }), label: one.visible ? text.hide : text.show, cli: cli(['promo', one.visible ? 'hide' : 'show', [one.productIdentifier]]) });
    const [now, setNow] = useState(order);
    useEffect(() => setNow(order), [order.join('\n')]);
    const save = async list => {
        setNow(list);
        if (await perform(put(list)) === undefined) setNow(order);
        reload();
    };
    const add = making(strings.add, form => put([...now, values(form).product]));
    const featured = products.filter(one => one.bundleId === app).map(one => one.productIdentifier);
    const feature = id => featured.includes(id) ? featuring(app, products, featured.filter(one => one !== id), text.unfeature) : featuring(app, products, [...featured, id], text.feature);
    return html`<${Card} title=${text.default} tools=${html`<${More} of=${put(now)} />`}>
        <div class="stack">
            <p class="soft small">${text.gripHint}</p>
            ${setup.isPreview && html`<p class="note">${text.preview}</p>`}
            <${Reorder} items=${now} save=${save} label=${text.default}>${id => {
                const one = visible[id] || { productIdentifier: id, visible: true, reasons: [], details: [] };
                return html`<span class="grow break"><a href=${link('products', id)}>${id}</a>
                        <div class="soft small">${[...offThePage(one), featured.includes(id) ? text.isFeatured : undefined].filter(Boolean).join(' · ') || text.isPromoted}</div></span>
                    <${Action} of=${toggle(one)} done=${reload} /><${Action} of=${feature(id)} done=${reload} />
                    <button class="square" aria-label=${text.takeOut(id)} onClick=${() => save(now.filter(other => other !== id))}>✕</button>
                    <${More} of=${{ ...put(now.filter(other => other !== id)), label: text.takeOut(id) }} />`;
            }}</${Reorder}>
            <form class="row end"><${Field} label=${strings.transactions.product} name="product" required /><${Action} of=${add} done=${reload} /></form>
        </div>
    </${Card}>`;
}

function Device({ app, setup }) {
    const devices = useData(() => all('/admin/v1/devices', { limit: 500 }, 'devices'), []);
    const [chosen, setChosen] = useState('');
    const device = devices.data?.find(one => one.deviceId === chosen);
    const overrides = device?.apps.find(one => one.bundleId === app)?.overrides;
    const path = url('/admin/v1/devices', chosen) + `/apps/${encodeURIComponent(app)}/promotions`;
    const reset = { label: text.reset, cli: cli(['promo', 'default', '--device', chosen]), method: 'PUT', path: `${path}/order`, body: { productIdentifiers: [] }, said: text.wasReset(chosen) };
    reset.run = async () => {
        await call('PUT', reset.path, reset);
        for (const id of Object.keys(overrides?.visibility || {})) await call('PUT', `${path}/visibility/${encodeURIComponent(id)}`, { body: { visibility: 'default' } });
        return true;
    };
    const put = list => ({ label: text.save, method: 'PUT', path: `${path}/order`, body: { productIdentifiers: list }, cli: cli(['promo', 'order', list, '--device', chosen]), said: () => text.saved });
    const saveOrder = async list => {
        await perform(put(list));
        devices.reload();
    };
    const setting = (id, visibility) => ({ label: text.visibilityOf(id), method: 'PUT', path: `${path}/visibility/${encodeURIComponent(id)}`, body: { visibility }, cli: cli(['promo', visibility, [id], '--device', chosen]), said: () => text.saved });
    const see = async (id, visibility) => {
        await perform(setting(id, visibility));
        devices.reload();
    };
    const ids = setup.promotions.map(one => one.productIdentifier);
    const order = overrides && [...overrides.order, ...ids.filter(id => !overrides.order.includes(id))];
    return html`<${Card} title=${text.device} tools=${overrides && html`<${More} of=${put(order)} /><${Action} of=${reset} done=${devices.reload} />`}>
        <div class="stack"><p class="soft">${text.deviceSays}</p>
        <${Loaded} of=${devices}>${list => html`<${Choice} label=${strings.transaction.device} value=${chosen} options=${[['', text.choose], ...list.filter(one => one.apps.some(installed => installed.bundleId === app)).map(one => one.deviceId)]} onChange=${setChosen} />`}</${Loaded}>
        ${order && html`<${Reorder} items=${order} save=${saveOrder} label=${text.device}>${id => html`<span class="grow break">${id}</span>
            <${Choice} label=${text.visibility} value=${overrides.visibility[id] || 'default'} options=${['default', 'show', 'hide'].map(one => [one, words(one)])} onChange=${value => see(id, value)} />
            <${More} of=${setting(id, overrides.visibility[id] || 'default')} />`}</${Reorder}>`}
        </div></${Card}>`;
}

function Picture({ app, one, reload }) {
    const path = picturePath(app, one.productIdentifier);
    const shown = usePicture(app, one.productIdentifier, one.image?.sha256);
    const upload = making(text.upload, form => {
        const { file } = values(form);
        return file && { method: 'PUT', path, body: file, said: text.uploaded(one.productIdentifier), cli: cli(['promo', 'image', 'put', [one.productIdentifier, file.name]]) };
    });
    const review = (verb, label) => making(label, form => {
        const { reason } = values(form);
        return { method: 'POST', path: `${path}/${verb}`, body: reason ? { reason } : {}, said: text.reviewed[verb](one.productIdentifier), to: { href: link('store'), name: strings.nav.store }, cli: cli(['promo', 'image', verb, [one.productIdentifier], ...verb === 'reject' && reason ? ['--reason', reason] : []]) };
    });
    return html`<li><div class="row"><strong class="grow break">${one.productIdentifier}</strong>${one.image ? html`<${State} of=${one.image.state} />` : html`<span class="soft small">${text.noImage}</span>`}</div>
        ${shown && html`<img class="picture" src=${shown} alt=${text.imageOf(one.productIdentifier)} />`}
        ${one.image?.reason && html`<p class="note">${one.image.reason}</p>`}
        <form class="row end"><${Field} label=${text.file} type="file" name="file" accept="image/png,image/jpeg" required aria-label=${`${text.file}: ${one.productIdentifier}`} /><${Action} of=${upload} done=${reload} /></form>
        ${one.image && html`<form class="row end"><${Field} label=${text.reason} name="reason" /><${Action} of=${review('approve', text.approve)} done=${reload} /><${Action} of=${review('reject', text.reject)} done=${reload} /></form>`}
    </li>`;
}

export default function Promotions() {
    const app = chosenApp.use();
    const setup = useData(async () => {
        const [promotions, featured] = await Promise.all([get(appURL(app, 'promotions')), get('/admin/v1/featured')]);
        return { ...promotions, featured: featured.products };
    }, [app]);
    return html`<${Head} title=${strings.nav.promotions} says=${text.says}><a class="button" href=${link('store')}>${strings.nav.store}</a></${Head}>
        <${Loaded} of=${setup}>${data => html`<div class="columns">
            <${Default} app=${app} setup=${data} products=${data.featured} reload=${setup.reload} />
            <div class="stack"><${Featured} app=${app} setup=${data} products=${data.featured} reload=${setup.reload} /><${Device} app=${app} setup=${data} />
                <${Card} title=${text.images}><p class="soft">${text.imagesSay}</p><ul class="plain list">${data.promotions.map(one => html`<${Picture} app=${app} one=${one} reload=${setup.reload} key=${one.productIdentifier} />`)}</ul></${Card}></div>
        </div>`}</${Loaded}>`;
}
