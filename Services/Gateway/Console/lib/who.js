// Whose device something is asked on: an account and one of its devices.
import { html, useEffect, useMemo, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { useData } from './data.js';
import { accountsAndDevices } from './sessions.js';
import { Field, values } from './ui.js';

const first = account => `${account}-1`;

// From the page's query, when it names an account.
const whoOf = (route, client, bundleId) => {
    const account = route.query.get('account');
    return account ? { client, bundleId, account, deviceId: route.query.get('device') || first(account) } : undefined;
};

const Options = ({ id, of }) => html`<datalist id=${id}>${of?.map(one => html`<option value=${one} />`)}</datalist>`;

// Who it is, and the form that chooses. A session makes the account and the device it names, so a link to some that do not
// exist only fills the form.
export function useWho(route, client, bundleId, button) {
    const known = useData(accountsAndDevices, []);
    const linked = useMemo(() => whoOf(route, client, bundleId), [route, bundleId]);
    const [chosen, choose] = useState();
    useEffect(() => choose(undefined), [linked]);
    const accounts = known.data?.testers.map(tester => tester.account);
    const devices = known.data?.devices.map(device => device.deviceId);
    const submit = event => {
        event.preventDefault();
        const { account, device } = values(event.target);
        choose({ client, bundleId, account, deviceId: device || first(account) });
    };
    const form = html`<form class="row end" onSubmit=${submit} key=${JSON.stringify(linked)}>
        <${Field} label=${strings.transaction.account} name="account" list="accounts" required value=${linked?.account} autocomplete="off" />
        <${Field} label=${strings.transaction.device} name="device" list="devices" value=${linked?.deviceId} autocomplete="off" />
        <button class="primary">${button}</button>
        <${Options} id="accounts" of=${accounts} /><${Options} id="devices" of=${devices} />
    </form>`;
    const exists = linked && accounts?.includes(linked.account) && devices.includes(linked.deviceId);
    return { who: chosen || (exists ? linked : undefined), form };
}
