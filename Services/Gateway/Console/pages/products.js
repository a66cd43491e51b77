// The catalogue: products as a storefront has them, prices elsewhere, offers, and why one cannot be bought.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, call, get, url } from '../lib/api.js';
import { Action, cli } from '../lib/actions.js';
import { BuyProduct } from '../lib/buy.js';
import { useData } from '../lib/data.js';
import { State, money, period, priced, words } from '../lib/format.js';
import { link } from '../lib/router.js';
import { Plain } from '../lib/table.js';
import { Card, Choice, Facts, Failure, Field, Head, Json, Loaded, apps, chosenApp, values } from '../lib/ui.js';

const text = strings.products;
const product = (app, id) => url(`${appURL(app)}/products`, id);

export function offer(one) {
    if (!one) return '–';
    const free = one.paymentMode === 'freeTrial';
    return `${free ? words(one.paymentMode) : money(one.price)}, ${one.numberOfPeriods > 1 ? `${one.numberOfPeriods} × ` : ''}${period(one.subscriptionPeriod)}`;
}

function Import({ app, done }) {
    const [report, setReport] = useState();
    const [error, setError] = useState();
    const [file, setFile] = useState();
    const path = dry => `${appURL(app)}/catalog?fileName=${encodeURIComponent(file?.name || '')}${dry ? '&dryRun=true' : ''}`;
    const body = () => new File([file], file.name, { type: 'application/json' });
    const look = async event => {
        const [chosen] = event.target.files;
        setFile(chosen);
        setReport(undefined);
        setError(undefined);
        if (!chosen) return;
        const target = `${appURL(app)}/catalog?fileName=${encodeURIComponent(chosen.name)}&dryRun=true`;
        await call('PUT', target, { body: new File([chosen], chosen.name, { type: 'application/json' }) }).then(setReport, setError);
    };
    const action = file && { label: text.import, method: 'PUT', path: path(), body: body(), cli: cli(['import', [file.name]]), confirm: text.importConfirm(file.name, app), said: text.imported(file.name), to: { href: link('products'), name: strings.nav.products } };
    return html`<${Card} title=${text.importTitle}><div class="stack">
        <p class="soft">${text.importSays}</p>
        <${Field} label=${text.file} type="file" accept=".storekit,.json,application/json" onChange=${look} />
        <${Failure} error=${error} />
        ${report && html`<${Facts} of=${[[text.count, report.productCount], [text.groups, report.subscriptionGroupCount], [text.intro, report.introductoryOfferCount], [text.applied, report.settingsApplied.join(', ')], [text.ignored, report.settingsIgnored.join(', ')]]} />
            ${report.notes.map(note => html`<p class="note">${note}</p>`)}
            <div class="row"><${Action} of=${action} done=${() => { setFile(undefined); setReport(undefined); apps.reload(); done(); }} primary /></div>`}
    </div></${Card}>`;
}

function Explain({ app }) {
    const [found, set] = useState();
    const [error, setError] = useState();
    const look = async event => {
        event.preventDefault();
        const said = values(event.target);
        set(undefined);
        setError(undefined);
        await get(`${product(app, said.id)}/explain`, { storefront: said.storefront?.toUpperCase() }).then(set, setError);
    };
    return html`<${Card} title=${text.explain}><div class="stack">
        <p class="soft">${text.explainSays}</p>
        <form class="row end" onSubmit=${look}><${Field} label=${text.identifier} name="id" required /><${Field} label=${text.storefront} name="storefront" size="5" maxlength="3" placeholder="USA" /><button>${text.why}</button></form>
        <${Failure} error=${error} />
        ${found && html`<${Explanation} of=${found} />`}
    </div></${Card}>`;
}

const Explanation = ({ of }) => html`<${Facts} of=${[
    [text.identifier, of.productIdentifier], [text.storefront, of.storefront], [text.available, html`<${State} of=${of.available ? 'available' : 'unavailable'} />`],
    [text.reasons, of.reasons.map(words).join(', ')], [text.details, of.details.join(' ')],
    [text.promotion, of.promotion && (of.promotion.reasons.length ? `${of.promotion.reasons.map(words).join(', ')}. ${of.promotion.details.join(' ')}` : text.promoted)],
]} />`;

function One({ app, id }) {
    const found = useData(async () => {
        const [catalogue, prices, offers, explained] = await Promise.all([
            get(`${appURL(app)}/catalog`), get(`${product(app, id)}/prices`), get(`${product(app, id)}/offers`).catch(() => null), get(`${product(app, id)}/explain`),
        ]);
        const entries = [...catalogue.products || [], ...catalogue.nonRenewingSubscriptions || [], ...(catalogue.subscriptionGroups || []).flatMap(group => group.subscriptions || [])];
        return { entry: entries.find(one => one.productID === id) || {}, prices: prices.prices, offers, explained };
    }, [app, id]);
    const [search, setSearch] = useState('');
    return html`<${Head} title=${id}>${found.data && html`<${Json} title=${id} of=${found.data.entry} />`}<a class="button" href=${link('products')}>${text.back}</a></${Head}>
        <${Loaded} of=${found}>${({ entry, prices, offers, explained }) => {
            const all = [offers?.introductoryPrice && ['introductory', offers.introductoryPrice], ...(offers?.discounts || []).map(one => ['promotional', one]), ...(offers?.redeemableOffers || []).map(one => [one.type, one.offer])].filter(Boolean);
            const shown = prices.filter(one => one.storefront.includes(search.toUpperCase()));
            return html`<div class="columns"><div class="stack">
                <${Card} title=${text.about}><${Facts} of=${[[text.reference, entry.referenceName], [text.type, words(entry.type)], [text.family, entry.familyShareable ? strings.yes : strings.no], [text.state, entry.state && words(entry.state)], [text.period, entry.recurringSubscriptionPeriod], [text.group, entry.subscriptionGroupID], [text.level, entry.groupNumber]]} /></${Card}>
                <${Card} title=${text.localizations} flush><${Plain} titled caption=${text.localizations} rows=${entry.localizations || []} rowKey=${one => one.locale} columns=${[
                    { title: text.locale, cell: one => one.locale }, { title: text.name, className: 'wrap', cell: one => one.displayName }, { title: text.description, className: 'wrap', cell: one => one.description }]} /></${Card}>
                <${Card} title=${text.offers} flush><${Plain} titled caption=${text.offers} rows=${all} columns=${[
                    { title: text.kind, cell: ([kind]) => words(kind) }, { title: text.offerId, cell: ([, one]) => one.identifier || '–' }, { title: text.offer, cell: ([, one]) => offer(one) }]} /></${Card}>
            </div><div class="stack">
                <${Card} title=${strings.buy.title}><div class="stack"><${BuyProduct} app=${app} product=${id} /></div></${Card}>
                <${Card} title=${text.explain}><${Explanation} of=${explained} /></${Card}>
                <${Card} title=${text.prices} flush><div class="filter pad"><label for="prices">${strings.search}</label><input id="prices" type="search" value=${search} onInput=${event => setSearch(event.target.value)} /></div>
                    <${Plain} caption=${text.pricesOf(shown.length)} rows=${shown.slice(0, 30)} rowKey=${one => one.storefront} columns=${[
                        { title: text.storefront, cell: one => one.storefront }, { title: text.price, className: 'number', cell: one => one.available ? money(one.price) : words(one.reasons?.[0]) }]} /></${Card}>
            </div></div>`;
        }}</${Loaded}>`;
}

function List({ app }) {
    const [front, setFront] = useState('');
    const found = useData(async () => {
        const [products, fronts] = await Promise.all([app ? all(`${appURL(app)}/products`, { storefront: front, limit: 500 }, 'products') : [], get('/admin/v1/storefronts')]);
        return { products, storefronts: fronts.storefronts };
    }, [app, front]);
    return html`<${Head} title=${strings.nav.products}>
            <${Choice} label=${text.storefront} value=${front} options=${[['', text.appsOwn], ...(found.data?.storefronts || []).map(one => [one.countryCode, `${one.name} (${one.countryCode})`])]} onChange=${setFront} /></${Head}>
        <div class="stack">
            <${Loaded} of=${found}>${({ products }) => html`<div class="card flush"><${Plain} caption=${text.caption(products.length)} rows=${products.slice(0, 500)} rowKey=${one => one.productIdentifier} columns=${[
                { title: text.identifier, cell: one => html`<a href=${link('products', one.productIdentifier)}>${one.productIdentifier}</a>` },
                { title: text.name, className: 'wrap', cell: one => one.localizedTitle }, { title: text.type, cell: one => words(one.type) },
                { title: text.price, className: 'number', cell: priced }, { title: text.intro, cell: one => one.introductoryPrice ? offer(one.introductoryPrice) : '–' },
            ]} /></div>`}</${Loaded}>
            <div class="columns"><${Import} app=${app} done=${found.reload} /><${Explain} app=${app} /></div>
        </div>`;
}

export default function Products({ route }) {
    const app = chosenApp.use();
    return route.parts[1] ? html`<${One} app=${app} id=${route.parts[1]} key=${route.parts[1]} />` : html`<${List} app=${app} />`;
}
