// Whose device something is asked on: an account and one of its devices.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { useData } from './data.js';
import { accountsAndDevices } from './sessions.js';
import { Field, values } from './ui.js';

const first = account => `${account}-1`;

// From the page's query, when it names an account.
export const whoOf = (route, client, bundleId) => {
    const account = route.query.get('account');
    return account ? { client, bundleId, account, deviceId: route.query.get('device') || first(account) } : undefined;
};

const Options = ({ id, of }) => html`<datalist id=${id}>${of?.map(one => html`<option value=${one} />`)}</datalist>`;

export function Who({ who, button, choose }) {
    const known = useData(accountsAndDevices, []);
    const chosen = event => {
        event.preventDefault();
        const { account, device } = values(event.target);
        choose({ account, deviceId: device || first(account) });
    };
    return html`<form class="row end" onSubmit=${chosen}>
        <${Field} label=${strings.transaction.account} name="account" list="accounts" required value=${who?.account} autocomplete="off" />
        <${Field} label=${strings.transaction.device} name="device" list="devices" value=${who?.deviceId} autocomplete="off" />
        <button class="primary">${button}</button>
        <${Options} id="accounts" of=${known.data?.accounts} /><${Options} id="devices" of=${known.data?.devices} />
    </form>`;
}
