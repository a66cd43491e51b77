// The clock of the app: where it is, what lies ahead, and moving it there.
import { html, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';
import { appURL, call, get, newKey, url } from '../lib/api.js';
import { Action, cli, making } from '../lib/actions.js';
import { factor, readClock, storeNow, tookClock, useNow } from '../lib/clock.js';
import { transactionEvents, useData } from '../lib/data.js';
import { Time, dateTime, money, number, words } from '../lib/format.js';
import { RATES } from '../lib/names.js';
import { link } from '../lib/router.js';
import { Card, Choice, Facts, Field, Head, chosenApp, clock, values } from '../lib/ui.js';

const text = strings.time;
const LENGTHS = [['day', '1d'], ['week', '1w'], ['month', '1mo'], ['year', '1y']];

// Moves the clock and waits until all that was due has happened; a long move is asked after.
async function move(path, body) {
    let answer = await call('POST', `${path}/advance`, { body, key: newKey() });
    while (!answer.isFinished) {
        await new Promise(done => setTimeout(done, 300));
        answer = await get(url(`${path}/advances`, answer.advanceIdentifier));
    }
    await readClock();
    return answer;
}

// The next event of a subscription: a try of its charge, the end of its grace period, a renewal or its end.
function comes(one) {
    const [at, grace] = [one.nextRetryDate, one.gracePeriodExpiresDate];
    if (at && !(grace < at)) return { at, says: text.retries };
    return grace ? { at: grace, says: text.graceEnds } : { at: one.expiresDate, says: one.willAutoRenew ? text.renews : text.ends };
}

function Ahead({ app }) {
    const found = useData(() => get('/admin/v1/subscriptions', { bundleId: app, limit: 100 }), [app], transactionEvents);
    const list = (found.data?.subscriptions || []).filter(one => one.state !== 'expired' && one.state !== 'revoked')
        .map(one => ({ one, ...comes(one) }))
        .sort((a, b) => a.at < b.at ? -1 : 1).slice(0, 12);
    return html`<${Card} title=${text.ahead}><p class="soft small">${text.aheadSays}</p>${list.length === 0 ? html`<p class="empty">${text.nothing}</p>`
        : html`<ul class="plain list">${list.map(({ one, at, says }) => html`<li class="row" key=${one.originalTransactionIdentifier}>
            <span class="grow break"><a href=${link('subscriptions', one.originalTransactionIdentifier)}>${one.account}</a> <span class="soft">${one.productIdentifier}</span><div class="soft small">${says}</div></span><${Time} at=${at} form="brief" /></li>`)}</ul>`}</${Card}>`;
}

function Happened({ of }) {
    if (!of) return null;
    return html`<${Card} title=${text.happened}><p>${text.moved(dateTime(of.from), dateTime(of.to), of.eventCount)}</p>
        ${of.events.length === 0 ? html`<p class="soft">${text.quiet}</p>` : html`<ol class="plain timeline">${of.events.map(event => html`<li><strong>${words(event.kind)}</strong> <span class="soft">${event.account} · ${event.productIdentifier}${event.amount ? ` · ${money(event.amount)}` : ''}</span><div class="soft small"><${Time} at=${event.at} /></div></li>`)}</ol>`}
        ${of.truncated && html`<p class="soft">${text.cut}</p>`}</${Card}>`;
}

export default function TimePage() {
    const app = chosenApp.use();
    const shown = clock.use();
    const now = useNow();
    const [happened, setHappened] = useState();
    const path = appURL(app, 'clock');
    const moving = (label, body, words, more) => ({ label, method: 'POST', path: `${path}/advance`, body, key: true, cli: cli(['time', ...words]), run: () => move(path, body), said: answer => text.moved(dateTime(answer.from, 'date'), dateTime(answer.to, 'date'), answer.eventCount), ...more });
    const setting = (label, body, words) => ({ label, method: 'PUT', path, body, said: answer => text.set_(dateTime(answer.now), answer.frozen), cli: cli(['time', ...words]), run: async () => { const answer = await call('PUT', path, { body }); tookClock(answer); return answer; } });
    const by = making(text.advance, form => { const { length } = values(form); return moving(text.advance, { by: length }, ['advance', length]); });
    const to = making(text.go, form => {
        const { at } = values(form);
        if (!at) return undefined;
        const instant = new Date(at).toISOString();
        if (new Date(at) < storeNow(shown)) return { ...setting(text.go, { now: instant }, ['to', instant, '--back']), confirm: text.back(dateTime(instant)) };
        return moving(text.go, { to: instant }, ['to', instant], { confirm: text.confirm(dateTime(instant)) });
    });
    const rate = making(text.set, form => {
        const { factor: exact, named } = values(form);
        const chosen = exact ? Number(exact) : named;
        return setting(text.set, { rate: chosen, frozen: false }, ['rate', String(chosen)]);
    });
    if (!now) return html`<${Head} title=${strings.nav.time} /><p class="empty" role="status">${strings.loading}</p>`;
    return html`<${Head} title=${strings.nav.time} />
        <div class="columns"><div class="stack">
            <${Card} title=${text.now}><div class="stack">
                <p class="big"><${Time} at=${now.toISOString()} /></p>
                <${Facts} of=${[[text.rate, typeof shown.rate === 'number' ? strings.times(number(shown.rate)) : `${words(shown.rate)}${factor(shown.rate) === 1 ? '' : ` (${strings.times(number(factor(shown.rate)))})`}`], [text.frozen, shown.frozen ? strings.yes : strings.no], [text.next, shown.nextEvent ? html`<${Time} at=${shown.nextEvent} />` : text.nothing], [text.since, shown.since && html`<${Time} at=${shown.since} />`]]} />
                <div class="row">${LENGTHS.map(([name, length]) => html`<${Action} of=${moving(text[name], { by: length }, ['advance', length])} done=${setHappened} key=${name} />`)}
                    <${Action} of=${moving(text.toNext, { next: 1 }, ['next'])} done=${setHappened} disabled=${!shown.nextEvent} primary /></div>
                <form class="row end"><${Field} label=${text.length} name="length" required placeholder="3mo" pattern="([0-9]+(y|mo|d|h|min|m|s|w))+|P.*" /><${Action} of=${by} done=${setHappened} /></form>
                <form class="row end"><${Field} label=${text.toLabel} name="at" type="datetime-local" step="1" required /><${Action} of=${to} done=${setHappened} /></form>
            </div></${Card}>
            <${Card} title=${text.rate}><div class="stack">
                <div class="row">${shown.frozen ? html`<${Action} of=${setting(text.thaw, { frozen: false }, ['rate', String(shown.rate)])} />` : html`<${Action} of=${setting(text.freeze, { frozen: true }, ['freeze'])} />`}
                    <${Action} of=${setting(text.real, { rate: 'realTime', frozen: false }, ['real'])} /></div>
                <form class="row end" key=${shown.rate}><${Choice} label=${text.named} name="named" value=${typeof shown.rate === 'string' ? shown.rate : ''} options=${RATES.map(one => [one, words(one)])} /><${Field} label=${text.factor} name="factor" type="number" min="0.000001" max="10000000" step="any" /><${Action} of=${rate} /></form>
            </div></${Card}>
        </div><div class="stack"><${Happened} of=${happened} /><${Ahead} app=${app} /></div></div>`;
}
