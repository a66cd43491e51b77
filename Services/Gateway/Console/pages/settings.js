// Keys, what the app's server meets, how payloads are signed, and the app's own settings.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { appURL, get, url } from '../lib/api.js';
import { Action, cli, making } from '../lib/actions.js';
import { useData } from '../lib/data.js';
import { Time } from '../lib/format.js';
import { Card, Check, Choice, Code, Facts, Field, Head, Loaded, apps, chosenApp, values } from '../lib/ui.js';

const text = strings.settings;
const KINDS = ['api', 'sharedSecret', 'subscriptionOffer', 'inAppPurchase'];

function Keys({ app }) {
    const found = useData(() => get(`${appURL(app)}/keys`), [app]);
    const [made, setMade] = useState();
    const make = making(text.make, form => {
        const { kind } = values(form);
        return { method: 'POST', path: `${appURL(app)}/keys`, body: { kind }, cli: cli(['key', 'create', '--kind', kind]), said: key => text.created(key.keyIdentifier) };
    });
    const takeBack = key => ({ label: text.takeBack, danger: true, method: 'DELETE', path: url(`${appURL(app)}/keys`, key.keyIdentifier), cli: cli(['key', 'revoke', key.keyIdentifier, '--yes']), confirm: text.takeBackConfirm(key.keyIdentifier), said: text.tookBack(key.keyIdentifier) });
    return html`<${Card} title=${text.keys}><div class="stack"><p class="soft">${text.keysSay}</p>
        <form class="row end"><${Choice} label=${text.kind} name="kind" options=${KINDS.map(kind => [kind, text.kinds[kind]])} /><${Action} of=${make} done=${key => { setMade(key); found.reload(); }} /></form>
        ${made && html`<div><p class="note">${text.once}</p><h3>${text.secret}</h3><${Code} text=${made.secret} />
            <${Facts} of=${[[text.id, made.keyIdentifier], [text.issuer, made.issuerId], [text.publicKey, made.publicKey]]} /></div>`}
        <${Loaded} of=${found}>${({ keys }) => html`<ul class="plain list">${keys.map(key => html`<li class="row" key=${key.keyIdentifier}><span class="grow break"><code>${key.keyIdentifier}</code> ${key.kind}<div class="soft small">${text.made} <${Time} at=${key.createdAt} /></div></span><${Action} of=${takeBack(key)} done=${() => { setMade(undefined); found.reload(); }} /></li>`)}</ul>`}</${Loaded}>
    </div></${Card}>`;
}

function Server({ app }) {
    const found = useData(() => get(`${appURL(app)}/server-api`), [app]);
    const faults = useData(() => get(`${appURL(app)}/server-api/faults`), [app]);
    const save = ({ rateLimits }) => making(strings.save, form => {
        const said = values(form);
        // Limits of each endpoint have no field here, and stay.
        const limits = said.rateLimits || (typeof rateLimits === 'object' && rateLimits);
        const body = { environment: said.environment, ...said.appAppleId && { appAppleId: Number(said.appAppleId) }, ...limits && { rateLimits: limits } };
        return { method: 'PUT', path: `${appURL(app)}/server-api`, body, said: text.serverSaved };
    });
    const add = making(text.addFault, form => {
        const said = values(form);
        const body = { ...said.path && { path: said.path }, ...said.outcome ? { outcome: said.outcome } : { errorCode: Number(said.errorCode || 5000000) }, ...said.times && { times: Number(said.times) } };
        return { method: 'POST', path: `${appURL(app)}/server-api/faults`, body, said: text.faultAdded(said.path || text.anyPath) };
    });
    const clear = { label: text.clearFaults, danger: true, method: 'DELETE', path: `${appURL(app)}/server-api/faults`, said: text.faultsCleared };
    return html`<${Card} title=${text.server}><div class="stack">
        <${Loaded} of=${found}>${state => html`<form class="row end" key=${JSON.stringify(state)}>
            <${Choice} label=${text.environment} name="environment" value=${state.environment} options=${['Sandbox', 'Production', 'LocalTesting', 'Xcode']} />
            <${Field} label=${text.appAppleId} name="appAppleId" type="number" min="1" value=${state.appAppleId} />
            <${Choice} label=${text.limits} name="rateLimits" value=${typeof state.rateLimits === 'string' ? state.rateLimits : ''} options=${[['', state.rateLimits && typeof state.rateLimits === 'object' ? text.limitsOfEach : '–'], 'off', 'sandbox', 'production']} /><${Action} of=${save(state)} done=${found.reload} /></form>`}</${Loaded}>
        <h3>${text.faults}</h3><p class="soft">${text.faultsSay}</p>
        <${Loaded} of=${faults}>${state => state.faults.length === 0 ? html`<p class="soft">${text.noFaults}</p>` : html`<ul class="plain list">${state.faults.map(one => html`<li class="break"><code>${one.path || text.anyPath}</code> ${one.errorCode ?? one.outcome} × ${one.times ?? 1}</li>`)}</ul><div class="row"><${Action} of=${clear} done=${faults.reload} /></div>`}</${Loaded}>
        <form class="row end"><${Field} label=${text.path} name="path" placeholder="/inApps/v1/transactions/{transactionId}" /><${Field} label=${text.errorCode} name="errorCode" type="number" placeholder="5000000" /><${Choice} label=${text.outcome} name="outcome" options=${[['', '–'], 'timeout', 'close']} /><${Field} label=${text.times} name="times" type="number" min="1" max="10000" /><${Action} of=${add} done=${faults.reload} /></form>
    </div></${Card}>`;
}

function Signing() {
    const found = useData(() => get('/admin/v1/signing'), []);
    const ocsp = making(text.setOcsp, form => { const { mode } = values(form); return { method: 'PUT', path: '/admin/v1/signing/ocsp', body: { mode }, cli: cli(['ca', 'ocsp', mode], null), said: text.ocspSet(mode) }; });
    const rotate = making(text.rotate, form => { const { authority } = values(form); return { method: 'POST', path: '/admin/v1/signing/rotate', body: { authority }, cli: cli(['ca', 'rotate', authority], null), confirm: text.rotateConfirm, said: text.rotated(authority) }; });
    return html`<${Card} title=${text.signing}><div class="stack">
        <a class="button" href="/admin/v1/signing/root" download="storebus-root.pem">${text.root}</a>
        <${Loaded} of=${found}>${state => html`<form class="row end" key=${state.ocsp.mode}><${Choice} label=${text.ocsp} name="mode" value=${state.ocsp.mode} options=${['good', 'revoked', 'unknown', 'stale', 'wrongSigner', 'malformed', 'unavailable', 'slow']} /><${Action} of=${ocsp} done=${found.reload} /></form>`}</${Loaded}>
        <form class="row end"><${Choice} label=${text.rotate} name="authority" options=${[['leaf', text.leaf], ['intermediate', text.intermediate]]} /><${Action} of=${rotate} done=${found.reload} /></form>
    </div></${Card}>`;
}

function App({ app }) {
    const found = useData(() => get(appURL(app)), [app]);
    const save = state => making(strings.save, form => {
        const said = values(form);
        const body = {
            name: said.name, currentVersion: said.currentVersion, promotionsSupportedSince: said.since || null, released: said.released, agreementsActive: said.agreements, billingGracePeriod: said.grace,
            unfinishedLimit: said.limit ? Number(said.limit) : null, appPrice: said.price ? { amount: said.price, currency: said.currency.toUpperCase() } : null, subscriptionRenewalRate: state.subscriptionRenewalRate,
        };
        const flags = ['--name', said.name, '--price', said.price ? `${said.price}${said.currency.toUpperCase()}` : 'free', '--current-version', said.currentVersion, '--promotions-since', said.since || 'all', '--released', said.released, '--agreements-active', said.agreements, '--billing-grace-period', said.grace, '--unfinished-limit', said.limit || 'none'];
        return { method: 'PUT', path: appURL(app), body, cli: cli(['app', 'set', ...flags]), said: text.appSaved(app) };
    });
    const reset = { label: text.reset, danger: true, method: 'POST', path: `${appURL(app)}/reset`, body: {}, cli: cli(['reset', '--yes']), confirm: text.resetConfirm(app), said: text.wasReset(app) };
    return html`<${Card} title=${text.app} tools=${html`<${Action} of=${reset} />`}><div class="stack"><p class="soft">${text.resetSays}</p><${Loaded} of=${found}>${state => html`<form class="stack" key=${JSON.stringify(state)}><div class="fields">
        <${Field} label=${text.name} name="name" value=${state.name} maxlength="64" /><${Field} label=${text.version} name="currentVersion" value=${state.currentVersion} required /><${Field} label=${text.since} name="since" value=${state.promotionsSupportedSince} placeholder=${text.all} />
        <${Field} label=${text.price} name="price" value=${state.appPrice?.amount} pattern="[0-9]+([.][0-9]+)?" /><${Field} label=${text.currency} name="currency" value=${state.appPrice?.currency || 'USD'} maxlength="3" required /><${Field} label=${text.limit} name="limit" type="number" min="1" value=${state.unfinishedLimit} /></div>
        <div class="row"><${Check} label=${text.released} name="released" checked=${state.released} /><${Check} label=${text.agreements} name="agreements" checked=${state.agreementsActive} /><${Check} label=${text.grace} name="grace" checked=${state.billingGracePeriod} /></div>
        <div class="row"><${Action} of=${save(state)} done=${() => { apps.reload(); found.reload(); }} /></div></form>`}</${Loaded}></div></${Card}>`;
}

export default function Settings() {
    const app = chosenApp.use();
    return html`<${Head} title=${strings.nav.settings} />
        <div class="columns"><div class="stack"><${App} app=${app} /><${Server} app=${app} /></div><div class="stack"><${Keys} app=${app} /><${Signing} /></div></div>`;
}
