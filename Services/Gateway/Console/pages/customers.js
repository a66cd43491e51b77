// Accounts, and devices with what is on them.
import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { url } from '../lib/api.js';
import { Action, cli, making } from '../lib/actions.js';
import { useData } from '../lib/data.js';
import { FilterBar } from '../lib/filter-bar.js';
import { parse } from '../lib/filter.js';
import { words } from '../lib/format.js';
import { go, link, setQuery } from '../lib/router.js';
import { accountsAndDevices } from '../lib/sessions.js';
import { Windowed } from '../lib/table.js';
import { Card, Choice, Field, Head, Id, Json, Loaded, chosenApp, values } from '../lib/ui.js';

const text = strings.customers;

// A device, with what is on it.
export function Device({ device, app, done }) {
    const path = url('/admin/v1/devices', device.deviceId);
    const remove = { label: strings.remove, danger: true, method: 'DELETE', path, cli: cli(['device', 'delete', [device.deviceId], '--yes']), confirm: text.deleteConfirm(device.deviceId), said: text.deviceDeleted(device.deviceId) };
    const put = making(text.setSystem, form => {
        const { platform, osVersion } = values(form);
        return { method: 'PUT', path, body: { platform, osVersion }, said: text.deviceSet(device.deviceId, platform, osVersion), cli: cli(['device', 'put', [device.deviceId], '--platform', platform, '--os-version', osVersion]) };
    });
    const install = making(text.install, form => {
        const { version, promotedPurchases } = values(form);
        return { method: 'PUT', path: `${path}/apps/${encodeURIComponent(app)}`, body: { version, ...promotedPurchases && { promotedPurchases } }, said: text.installed(app, version, device.deviceId), cli: cli(['device', 'install', [device.deviceId], '--app-version', version, ...promotedPurchases ? ['--promoted-purchases', promotedPurchases] : []]) };
    });
    const uninstall = bundleId => ({ label: text.uninstall, danger: true, method: 'DELETE', path: `${path}/apps/${encodeURIComponent(bundleId)}`, cli: cli(['device', 'uninstall', [device.deviceId]], bundleId), confirm: text.uninstallConfirm(bundleId, device.deviceId), said: text.uninstalled(bundleId, device.deviceId) });
    const mine = device.apps.find(one => one.bundleId === app);
    return html`<${Card} title=${device.deviceId} tools=${html`<${Json} of=${device} title=${device.deviceId} /><${Action} of=${remove} done=${done} />`}>
        <div class="stack">
            <ul class="plain list">${device.apps.map(one => html`<li class="row" key=${one.bundleId}><span class="grow">${one.bundleId} ${one.version} <span class="soft small">${one.isLaunched ? text.launched : text.notLaunched}${one.promotedPurchases ? ` · ${words(one.promotedPurchases)}` : ''}</span></span><${Action} of=${uninstall(one.bundleId)} done=${done} /></li>`)}</ul>
            <details><summary>${text.change}</summary><div class="stack">
            <form class="row end"><${Choice} label=${text.platform} name="platform" value=${device.platform} options=${['iOS', 'iPadOS', 'macOS', 'tvOS', 'watchOS', 'visionOS', 'iOSAppOnVisionOS', 'other']} />
                <${Field} label=${text.system} name="osVersion" value=${device.osVersion} required size="6" /><${Action} of=${put} done=${done} /></form>
            <form class="row end"><${Field} label=${text.version} name="version" value=${mine?.version || '1.0'} required size="6" />
                <${Choice} label=${text.promoted} name="promotedPurchases" value=${mine?.promotedPurchases || ''} options=${[['', text.notSet], 'delegate', 'purchaseIntent', 'none']} /><${Action} of=${install} done=${done} /></form></div></details>
        </div></${Card}>`;
}

const COLUMNS = [
    { key: 'account', title: strings.transactions.account, cell: tester => html`<${Id} of=${tester.account} href=${link('customers', tester.account)} />` },
    { key: 'storefront', title: strings.products.storefront, width: 90, cell: tester => tester.storefront },
    { key: 'set', title: text.isSet, isWide: true, cell: tester => { const set = Object.keys(tester.overrides).filter(name => name !== 'storefront').map(words).join(' · '); return html`<span class="soft" title=${set}>${set}</span>`; } },
];

const ACCOUNT = { account: tester => tester.account, storefront: tester => tester.storefront };
const DEVICE = { device: device => device.deviceId, account: device => device.deviceId.replace(/-\d+$/, ''), bundleId: device => device.apps.map(one => one.bundleId) };

function Everybody({ app, route }) {
    const [typed, setTyped] = useState(route.query.get('filter') || '');
    useEffect(() => setTyped(route.query.get('filter') || ''), [route]);
    const type = filter => {
        setTyped(filter);
        setQuery({ filter });
    };
    // A word that is no term is looked for in the names of accounts and devices. Terms of the one are none of the other.
    const filters = useMemo(() => [[ACCOUNT, 'account'], [DEVICE, 'device']].map(([fields, bare]) => parse(typed, fields, { bare })), [typed]);
    const unknown = filters[0].unknown.filter(word => filters[1].unknown.includes(word));
    const matching = (list, filter) => filter.unknown.length > unknown.length ? [] : list.filter(filter.matches);
    // A purchase of an account and a device that are in the list changes nothing of it.
    const known = useRef({ accounts: new Set(), devices: new Set() }).current;
    const isNew = ({ type, account, transaction }) => type === 'purchasing' && !(known.accounts.has(account) && known.devices.has(transaction?.originDeviceId));
    const found = useData(async () => {
        const { testers, devices } = await accountsAndDevices();
        Object.assign(known, { accounts: new Set(testers.map(one => one.account)), devices: new Set(devices.map(one => one.deviceId)) });
        return { testers, devices };
    }, [], message => message.events.some(isNew));
    const create = making(text.create, form => {
        const { account } = values(form);
        return { method: 'PUT', path: url('/admin/v1/testers', account || ''), body: {}, cli: cli(['account', 'create', [account]], null), said: () => { go('customers', account); return text.created; }, to: { href: link('customers', account), name: account } };
    });
    const addDevice = making(text.addDevice, form => {
        const { device } = values(form);
        return { method: 'PUT', path: url('/admin/v1/devices', device || ''), body: { platform: 'iOS', osVersion: '18.0' }, said: text.deviceCreated(device), cli: cli(['device', 'put', [device]]) };
    });
    return html`<${Head} title=${strings.nav.customers} />
        <div class="stack">
            <${FilterBar} page="customers" label=${strings.transactions.filter} hint=${text.filterHint} value=${typed} onInput=${type} unknown=${unknown} />
            <${Loaded} of=${found}>${({ testers, devices }) => {
                const accounts = matching(testers, filters[0]);
                const shown = matching(devices, filters[1]);
                return html`<div class="columns">
                    <${Card} title=${text.accounts}><div class="stack">
                        <form class="row end"><${Field} label=${text.newAccount} name="account" required maxlength="128" /><${Action} of=${create} /></form>
                        <${Windowed} caption=${text.accounts} least=${400} columns=${COLUMNS} rows=${accounts} rowKey=${tester => tester.account} open=${tester => go('customers', tester.account)} empty=${typed ? strings.table.noMatch : undefined} />
                    </div></${Card}>
                    <div class="stack">
                        <${Card} title=${text.devices} tools=${html`<span class="soft">${shown.length}</span>`}>
                            <form class="row end"><${Field} label=${text.newDevice} name="device" required maxlength="255" /><${Action} of=${addDevice} done=${found.reload} /></form></${Card}>
                        ${shown.slice(0, 50).map(device => html`<${Device} device=${device} app=${app} done=${found.reload} key=${device.deviceId} />`)}
                    </div>
                </div>`;
            }}</${Loaded}>
        </div>`;
}

export default function Customers({ route }) {
    const app = chosenApp.use();
    return html`<${Everybody} app=${app} route=${route} />`;
}
