// Isolated stores of Storebus, for the tests of an app's server. index.d.ts has the types.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Milliseconds until a request that gets no response fails, and that a store has to start. */
const TIMEOUT = 30_000;

export class StoreError extends Error {
  constructor(status, problem, request) {
    const faults = (problem.details?.problems ?? []).slice(0, 20).map((fault) => `\n  ${fault.path}: ${fault.reason}`);
    super(`${request}: ${status} ${problem.code ?? ""} ${problem.detail ?? problem.title ?? ""}${faults.join("")}`);
    this.name = "StoreError";
    this.status = status;
    this.code = problem.code;
    this.problem = problem;
  }
}

async function send(base, token, operation, { path = {}, query = {}, body, key } = {}) {
  const [method, template] = operation.split(" ");
  const place = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    if (path[name] === undefined) throw new TypeError(`${operation} needs path.${name}`);
    return encodeURIComponent(path[name]);
  });
  const values = Object.entries(query).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  const url = `${base}${place}${values.length > 0 ? `?${new URLSearchParams(values)}` : ""}`;
  const headers = { accept: "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (key !== undefined) headers["idempotency-key"] = key;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch(url, {
    method, headers, signal: AbortSignal.timeout(TIMEOUT),
    body: body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : JSON.parse(text);
  let problem;
  try {
    problem = JSON.parse(text);
  } catch {
    problem = { detail: text.slice(0, 200) };
  }
  throw new StoreError(response.status, problem, `${method} ${new URL(url).pathname}`);
}

const instant = (value) => (value instanceof Date ? value.toISOString() : value);

export class Installation {
  #key;
  #stop = () => {};

  constructor(url, adminKey) {
    this.url = url.replace(/\/+$/, "");
    this.#key = adminKey;
  }

  static fromEnvironment(environment = process.env) {
    if (!environment.STOREBUS_ADMIN_KEY) {
      throw new Error('STOREBUS_ADMIN_KEY is not set: start a store with storebus up, then eval "$(storebus env)"');
    }
    // The variable may name an isolated store.
    const url = (environment.STOREBUS_URL ?? "http://127.0.0.1:7430").split("/s/")[0];
    return new Installation(url, environment.STOREBUS_ADMIN_KEY);
  }

  static async start(executable = "storebus") {
    const directory = mkdtempSync(join(tmpdir(), "storebus-"));
    const process_ = spawn(
      executable, ["up", "--data", join(directory, "data"), "--port", "auto", "--bus-port", "auto", "-o", "json"],
      { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((resolve) => process_.once("exit", resolve));
    const stop = async () => {
      process.off("exit", leave);
      process_.kill();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    };
    const leave = () => process_.kill();
    process.once("exit", leave);
    let [out, said] = ["", ""];
    let timer;
    process_.stderr.on("data", (data) => (said += data));
    try {
      const started = await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`${executable} up did not start:\n${said}`)), TIMEOUT);
        process_.once("error", (error) => reject(
          error.code === "ENOENT" ? new Error(`there is no ${executable} on PATH; make build, or name the executable`) : error));
        process_.once("exit", () => reject(new Error(`${executable} up did not start:\n${said}`)));
        process_.stdout.on("data", (data) => {
          out += data;
          if (out.endsWith("\n")) resolve(JSON.parse(out));
        });
      });
      const made = new Installation(started.data.url, readFileSync(join(directory, "data/admin.key"), "utf8").trim());
      made.#stop = stop;
      // A run that forgets to stop it ends all the same.
      for (const one of [process_, process_.stdout, process_.stderr]) one.unref();
      return made;
    } catch (error) {
      process.off("exit", leave);
      process_.kill();
      rmSync(directory, { recursive: true, force: true });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async stop() {
    const stop = this.#stop;
    this.#stop = () => {};
    await stop();
  }

  request(operation, options) {
    return send(this.url, this.#key, operation, options);
  }

  async fork(source, { running = false, lifetime = "1h" } = {}) {
    const path = { store: source };
    return new Store(this, await this.request("POST /admin/v1/stores/{store}/fork", { path, body: { running, ttl: lifetime } }));
  }

  async store({ snapshot, ...options } = {}) {
    if (snapshot === undefined) return await this.#make(options);
    const { running, lifetime, ...others } = options;
    const refused = Object.keys(others).filter((name) => others[name] !== undefined);
    if (refused.length > 0) throw new TypeError(`a snapshot has a catalogue, a time and a seed; leave ${refused.join(", ")} out`);
    return await this.fork(snapshot, { running, lifetime });
  }

  async #make({ catalogue, app = "com.example.app", clock, running = false, lifetime = "1h", seed }) {
    const values = { clock: instant(clock), ttl: lifetime, seed };
    if (catalogue === undefined) {
      return new Store(this, await this.request("POST /admin/v1/stores", { body: { from: { bundleId: app }, running, ...values } }));
    }
    const isFile = typeof catalogue === "string" || catalogue instanceof URL;
    const body = isFile ? await readFile(catalogue) : Buffer.from(JSON.stringify(catalogue));
    const fileName = isFile ? basename(catalogue instanceof URL ? catalogue.pathname : catalogue) : undefined;
    return new Store(
      this, await this.request("POST /admin/v1/stores/file", { body, query: { bundleId: app, fileName, running, ...values } }));
  }
}

export class Store {
  #installation;

  constructor(installation, made) {
    this.#installation = installation;
    this.name = made.store;
    // As the test reaches it, which may be by a container's port.
    this.url = `${installation.url}/s/${made.store}`;
    this.bundleId = made.bundleId;
    this.adminKey = made.adminKey;
    this.issuerId = made.issuerId;
    this.keyId = made.keyId;
    this.privateKey = made.privateKey;
    this.rootCertificate = Buffer.from(made.rootCertificate, "base64");
    this.seed = made.seed;
    this.expiresAt = new Date(made.expiresAt);
    this.clock = new Clock(this);
    this.notifications = new Notifications(this);
  }

  request(operation, options = {}) {
    return send(this.url, this.adminKey, operation, { ...options, path: { bundleId: this.bundleId, ...options.path } });
  }

  customer(account = "alice", device = `${account}-1`) {
    return new Customer(this, account, device);
  }

  environment() {
    return {
      STOREBUS_URL: this.url, STOREBUS_STORE: this.name, STOREBUS_BUNDLE_ID: this.bundleId,
      STOREBUS_ADMIN_KEY: this.adminKey, STOREBUS_ISSUER_ID: this.issuerId, STOREBUS_KEY_ID: this.keyId,
      STOREBUS_PRIVATE_KEY: this.privateKey, STOREBUS_ROOT_CERTIFICATE: this.rootCertificate.toString("base64"),
    };
  }

  async fork(options) {
    return await this.#installation.fork(this.name, options);
  }

  async snapshot(name, { lifetime = "7d" } = {}) {
    await this.#installation.request(
      "POST /admin/v1/stores/{store}/snapshot", { path: { store: this.name }, body: { name, ttl: lifetime } });
  }

  async close() {
    await this.notifications.close();
    const installation = this.#installation;
    this.#installation = undefined;
    await installation?.request("DELETE /admin/v1/stores/{store}", { path: { store: this.name } });
  }
}

export class Clock {
  #store;

  constructor(store) {
    this.#store = store;
  }

  async now() {
    return new Date((await this.#store.request("GET /admin/v1/apps/{bundleId}/clock")).now);
  }

  advance(by) {
    return this.#move({ by: typeof by === "number" ? `${Math.round(by / 1000)}s` : by });
  }

  advanceTo(to) {
    return this.#move({ to: instant(to) });
  }

  async #move(body) {
    const key = randomUUID();
    // The same key asks how far it is.
    for (;;) {
      const moved = await this.#store.request("POST /admin/v1/apps/{bundleId}/clock/advance", { body, key });
      if (moved.isFinished) return moved;
    }
  }
}

export class Customer {
  #store;
  #token;

  constructor(store, account, device) {
    this.#store = store;
    this.account = account;
    this.device = device;
  }

  async request(operation, options) {
    this.#token ??= send(this.#store.url, undefined, "POST /v1/sessions", {
      body: {
        bundleId: this.#store.bundleId, account: this.account, deviceId: this.device, platform: "iOS", osVersion: "18.0",
        appVersion: "1.0",
      },
    });
    return send(this.#store.url, (await this.#token).token, operation, options);
  }

  buy(productIdentifier, { key = randomUUID(), ...members } = {}) {
    return this.request("POST /v1/payments", { key, body: { productIdentifier, ...members } });
  }

  finish(transaction) {
    return this.request("POST /v1/transactions/{id}/finish", { path: { id: transaction.id } });
  }

  async unfinished() {
    const found = [];
    let after;
    do {
      const page = await this.request("GET /v1/transactions", { query: { after } });
      found.push(...page.transactions);
      after = page.after;
    } while (after);
    return found;
  }

  async receipt() {
    return (await this.request("GET /v1/receipt")).receiptData;
  }

  set(settings = {}) {
    return this.#store.request("PUT /admin/v1/testers/{account}", { path: { account: this.account }, body: settings });
  }
}

const decoded = (jws) => (jws === undefined ? undefined : JSON.parse(Buffer.from(jws.split(".")[1], "base64url").toString()));

export class Notification {
  constructor(signed) {
    this.signed = signed;
    this.payload = decoded(signed);
    this.type = this.payload.notificationType;
    this.subtype = this.payload.subtype;
    this.uuid = this.payload.notificationUUID;
    this.transaction = decoded(this.payload.data?.signedTransactionInfo);
    this.renewal = decoded(this.payload.data?.signedRenewalInfo);
  }

  toString() {
    return [this.type, this.subtype, this.transaction?.productId].filter(Boolean).join(" ");
  }
}

export class Notifications {
  #store;
  #server;
  #taken = new Set();
  #waiting = new Set();

  constructor(store) {
    this.#store = store;
    this.received = [];
  }

  async listen() {
    if (this.#server) return this;
    this.#server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const notification = new Notification(JSON.parse(Buffer.concat(chunks).toString()).signedPayload);
      // A store sends a notification again if it has not seen the response.
      if (this.received.every((known) => known.uuid !== notification.uuid)) this.received.push(notification);
      response.end();
      for (const wake of this.#waiting) wake();
    });
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    this.url = `http://127.0.0.1:${this.#server.address().port}/`;
    await this.#store.request(
      "PUT /admin/v1/apps/{bundleId}/notifications/endpoint", { body: { url: this.url, retry: "fast" } });
    return this;
  }

  async wait(type, subtype, { where = () => true, timeout = 10_000 } = {}) {
    await this.listen();
    const end = Date.now() + timeout;
    for (;;) {
      const found = this.received.find(
        (one) => !this.#taken.has(one.uuid) && one.type === type && (subtype === undefined || one.subtype === subtype) && where(one));
      if (found) {
        this.#taken.add(found.uuid);
        return found;
      }
      const left = end - Date.now();
      if (left <= 0) {
        const came = this.received.map((one) => `${one}${this.#taken.has(one.uuid) ? " (returned before)" : ""}`).join(", ");
        throw new Error(`no ${[type, subtype].filter(Boolean).join(".")} within ${timeout} ms; came: ${came || "nothing"}`);
      }
      await new Promise((resolve) => {
        const timer = setTimeout(wake, left);
        const waiting = this.#waiting;
        function wake() {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        }
        waiting.add(wake);
      });
    }
  }

  async settle({ timeout = 20_000 } = {}) {
    await this.listen();
    const end = Date.now() + timeout;
    for (;;) {
      const left = Math.min(Math.max(end - Date.now(), 0), 4_000);
      const state = await this.#store.request(
        "GET /admin/v1/apps/{bundleId}/notifications/settled", { query: { timeout: `${left}ms` } });
      if (state.settled) return this.received;
      if (left === 0) throw new Error(`${state.pending} notifications are not delivered after ${timeout} ms`);
    }
  }

  async close() {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
}
