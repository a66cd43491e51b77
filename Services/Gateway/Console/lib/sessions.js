// Sessions as a device opens them, for what only a device may do.
import { all, appURL, call, get, url } from './api.js';

const kept = new Map();

export async function sessionOf({ client, bundleId, account, deviceId }) {
    const name = JSON.stringify([client, bundleId, account, deviceId]);
    const old = kept.get(name);
    if (old && old.until > Date.now()) return old.token;
    const device = await get(url('/admin/v1/devices', deviceId)).catch(problem => {
        // Not there yet: the session makes it.
        if (problem.status === 404) return {};
        throw problem;
    });
    const body = { client, bundleId, account, deviceId, platform: device.platform || 'iOS', osVersion: device.osVersion || '18.0' };
    if (client === 'app') {
        const installed = device.apps?.find(app => app.bundleId === bundleId);
        const app = installed || await get(appURL(bundleId));
        body.appVersion = installed?.version || app.currentVersion;
        if (installed?.promotedPurchases) body.promotedPurchases = installed.promotedPurchases;
    }
    const session = await call('POST', '/v1/sessions', { body });
    kept.set(name, { token: session.token, until: Date.now() + 3600000 });
    return session.token;
}

export const forgetSessions = () => kept.clear();

// A device's request; a session that is over is opened anew.
export async function asDevice(who, method, path, options = {}) {
    try {
        return await call(method, path, { ...options, token: await sessionOf(who) });
    } catch (problem) {
        if (problem.status !== 401) throw problem;
        forgetSessions();
        return call(method, path, { ...options, token: await sessionOf(who) });
    }
}

// Accounts and devices that exist.
export async function accountsAndDevices() {
    const [testers, devices] = await Promise.all([all('/admin/v1/testers', { limit: 500 }, 'testers'), all('/admin/v1/devices', { limit: 500 }, 'devices')]);
    return { testers, devices };
}
