// Requests to the gateway. The operator's go with the cookie; those of a device with its session's token.
import { strings } from '../strings.js';
import { store } from './router.js';

const RETRIES = [250, 750, 1500];
let csrf;
let signedOut = () => {};

export const onSignedOut = handler => { signedOut = handler; };

export class Problem extends Error {
    constructor(status, body) {
        super(body.detail || body.title || strings.unreachable);
        Object.assign(this, { status, code: body.code, remedy: body.remedy, problems: body.problems || [], trace: body.traceId });
        this.passes = status === 0 || status === 503 || body.retryable === true;
    }
}

const wait = time => new Promise(done => setTimeout(done, time));

// Unlike crypto.randomUUID, also where the page is not a secure context.
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');

export function path(template, query) {
    const entries = Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== '' && value !== null);
    return entries.length ? `${template}?${new URLSearchParams(entries)}` : template;
}

export const url = (first, ...parts) => first + parts.map(part => '/' + encodeURIComponent(part)).join('');

// Where a path is of the store the page is about. The session and the list of stores are the installation's.
export const inStore = target => store && !/^\/(console|admin\/v1\/stores)\b/.test(target) ? url('/s', store) + target : target;

// A path of the app.
export const appURL = (app, ...parts) => url('/admin/v1/apps', app, ...parts);

async function once(method, target, { body, token, key, as = 'json' }) {
    const headers = {};
    let content;
    if (body instanceof Blob) {
        headers['Content-Type'] = body.type === 'application/json' ? body.type : 'application/octet-stream';
        content = body;
    } else if (body !== undefined) {
        headers['Content-Type'] = 'application/json';
        content = JSON.stringify(body);
    }
    if (token) headers.Authorization = `Bearer ${token}`;
    else if (method !== 'GET' && csrf) headers['Storebus-CSRF'] = csrf;
    if (key) headers['Idempotency-Key'] = key;
    if (as === 'svg') headers.Accept = 'image/svg+xml';
    let response;
    try {
        response = await fetch(inStore(target), { method, headers, body: content, credentials: 'same-origin' });
    } catch {
        throw new Problem(0, { code: 'unreachable', detail: strings.unreachable });
    }
    if (response.ok) {
        if (response.status === 204) return null;
        // Of a stream only whether it would be opened.
        if (as === 'nothing') return response.body.cancel();
        return as === 'json' ? response.json() : as === 'blob' ? response.blob() : response.text();
    }
    const problem = await response.json().catch(() => ({}));
    if (response.status === 401 && !token && target.startsWith('/admin/')) signedOut();
    throw new Problem(response.status, { code: String(response.status), title: response.statusText, ...problem });
}

export async function call(method, target, options = {}) {
    let renewed = false;
    for (let attempt = 0; ; attempt += 1) {
        try {
            return await once(method, target, options);
        } catch (problem) {
            // Another tab has signed in since: the cookie is that session's now, and its token goes with it.
            if (problem.status === 403 && method !== 'GET' && !options.token && !renewed) {
                renewed = true;
                if (await resume().catch(() => false)) continue;
            }
            if (method !== 'GET' || !problem.passes || attempt === RETRIES.length) throw problem;
            await wait(RETRIES[attempt]);
        }
    }
}

export const get = (target, query, options) => call('GET', path(target, query), options);

// All pages of a list, one after another; `seen` is called with what there is so far, and may stop it by returning false.
export async function all(target, query, name, seen) {
    const found = [];
    let after;
    do {
        const page = await get(target, { ...query, after });
        found.push(...page[name]);
        after = page.after;
        if (seen && seen(found, !after) === false) break;
    } while (after);
    return found;
}

export async function signIn(proof) {
    csrf = (await once('POST', '/console/session', { body: proof })).csrfToken;
}

// Whether the cookie is still good.
export async function resume() {
    try {
        csrf = (await get('/console/session')).csrfToken;
        return true;
    } catch (problem) {
        if (problem.status === 401) return false;
        throw problem;
    }
}

export async function signOut() {
    await call('DELETE', '/console/session');
    csrf = undefined;
}
