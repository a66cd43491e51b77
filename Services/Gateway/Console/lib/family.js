// The family of an account: who is in it, and what they share.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { all, appURL, call } from './api.js';
import { Action, Actions, cli, making } from './actions.js';
import { useData, useEvery } from './data.js';
import { link } from './router.js';
import { forgetSessions, sessionOf } from './sessions.js';
import { Card, Choice, Field, Loaded, values } from './ui.js';

const text = strings.family;
const CHOICES = [['sharesPurchases', '--shares', text.shares], ['receivesPurchases', '--receives', text.receives]];

const path = (app, family, ...member) => appURL(app, 'families', family, ...member.length ? ['members', ...member] : []);

// Only customers can be in a family. An account's first session makes it one. The app of another session on the device goes on.
const met = (app, account, action) => ({ ...action, run: async () => {
    forgetSessions();
    await sessionOf({ client: 'store', bundleId: app, account, deviceId: `${account}-1` });
    return call(action.method, action.path, action);
} });

const add = (app, family, account, label) => account && met(app, account, { label, method: 'PUT', path: path(app, family, account), body: {}, cli: cli(['family', 'add', [family, account]], app), said: text.added(account, family) });

function Person({ app, family, person, done }) {
    const { account } = person;
    const choices = CHOICES.map(([name, flag, label]) => ({
        label, pressed: person[name], method: 'PUT', path: path(app, family, account), body: { [name]: !person[name] },
        cli: cli(['family', 'add', flag, person[name] ? 'no' : 'yes', [family, account]], app), said: text.changed(account) }));
    const remove = { label: text.remove, danger: true, method: 'DELETE', path: path(app, family, account), cli: cli(['family', 'remove', [family, account]], app), confirm: text.removeConfirm(account), said: text.removed(account) };
    return html`<li class="row"><span class="grow break"><a href=${link('customers', account)}>${account}</a>${person.isOrganiser && html` <span class="pill">${text.organiser}</span>`}</span>
        <${Actions} of=${person.isOrganiser ? choices : [...choices, remove]} done=${done} /></li>`;
}

function Members({ app, of: { family, persons }, done }) {
    const end = { label: text.end, danger: true, method: 'DELETE', path: path(app, family), cli: cli(['family', 'end', [family]], app), confirm: text.endConfirm(family), said: text.ended(family) };
    return html`<ul class="plain list">${persons.map(person => html`<${Person} app=${app} family=${family} person=${person} done=${done} key=${person.account} />`)}</ul>
        <form class="row end"><${Field} label=${strings.transactions.account} name="account" required autocomplete="off" />
            <${Action} of=${making(text.add, form => add(app, family, values(form).account, text.add))} done=${done} /><${Action} of=${end} done=${done} /></form>`;
}

function None({ app, account, families, done }) {
    const create = making(text.create, form => {
        const { family } = values(form);
        return family && met(app, account, { label: text.create, method: 'PUT', path: path(app, family), body: { organiser: account }, cli: cli(['family', 'create', [family, account]], app), said: text.created(family) });
    });
    return html`<p class="soft small">${text.none}</p>
        <form class="row end"><${Field} label=${text.name} name="family" required maxlength="64" autocomplete="off" /><${Action} of=${create} done=${done} /></form>
        ${families.length > 0 && html`<form class="row end"><${Choice} label=${text.title} name="family" options=${families.map(one => one.family)} /><${Action} of=${making(text.join, form => add(app, values(form).family, account, text.join))} done=${done} /></form>`}`;
}

export function Family({ app, account, done }) {
    const found = useData(() => all(appURL(app, 'families'), { limit: 500 }, 'families'), [app, account]);
    // Nothing tells of a change.
    useEvery(10000, found);
    const changed = () => { found.reload(); done(); };
    return html`<${Loaded} of=${found}>${families => {
        const own = families.find(one => one.persons.some(person => person.account === account));
        return html`<${Card} title=${own ? text.of(own.family) : text.title}><div class="stack">${own ? html`<${Members} app=${app} of=${own} done=${changed} />` : html`<${None} app=${app} account=${account} families=${families} done=${changed} />`}</div></${Card}>`;
    }}</${Loaded}>`;
}
