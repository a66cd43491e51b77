import type { ClockAdvanceResponse, IsolatedStoreResponse, Operations, PaymentRequest, PaymentTransaction, TesterResponse, TesterSettings } from "./api.js";

export type { Operations } from "./api.js";

/** What a request may have: `path` and `query` by name, a `body`, and the Idempotency-Key as `key`. */
export type RequestOptions<Name extends keyof Operations> = {
  path?: Partial<Operations[Name]["path"]>;
  query?: Partial<Operations[Name]["query"]>;
  body?: Operations[Name]["body"] | Uint8Array;
  key?: string;
};

/** A response that is no success. `code` is the contract, `problem` the whole response (RFC 9457). */
export class StoreError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly problem: Record<string, unknown>;
}

export interface StoreOptions {
  /** A `.storekit` file by its path, or its JSON. Without one the store has a copy of the installation's app. */
  catalogue?: string | URL | object;
  /** The name of a snapshot, which the store is a fork of. Then only `running` and `lifetime` apply. */
  snapshot?: string;
  /** The bundle identifier. `com.example.app` without it. */
  app?: string;
  /** The instant that the clock is set to. Now without it. */
  clock?: Date | string;
  /** Whether the clock runs by itself. */
  running?: boolean;
  /** How long the store lasts if it is not closed: `10m`. An hour without it. */
  lifetime?: string;
  /** Stores of equal seeds show equal identifiers. */
  seed?: number;
}

/** A running Storebus, as its operator reaches it. */
export class Installation {
  constructor(url: string, adminKey: string);
  /** The installation that `storebus env` names. */
  static fromEnvironment(environment?: Record<string, string | undefined>): Installation;
  /** Starts an installation on free ports. It ends with `stop`, or with this process. */
  static start(executable?: string): Promise<Installation>;
  readonly url: string;
  request<Name extends keyof Operations>(operation: Name, options?: RequestOptions<Name>): Promise<Operations[Name]["response"]>;
  store(options?: StoreOptions): Promise<Store>;
  /** Makes a store with everything that a store or snapshot has: `fork("subscribed")`, `fork("t-7")`. */
  fork(source: string, options?: Pick<StoreOptions, "running" | "lifetime">): Promise<Store>;
  stop(): Promise<void>;
}

/** An isolated store: a catalogue, customers, a clock and notifications of its own, until it is closed. */
export class Store {
  constructor(installation: Installation, made: IsolatedStoreResponse);
  /** `t-7`. */
  readonly name: string;
  /** The address whose paths all mean this store. */
  readonly url: string;
  readonly bundleId: string;
  readonly adminKey: string;
  readonly issuerId: string;
  readonly keyId: string;
  /** PEM. */
  readonly privateKey: string;
  /** DER. */
  readonly rootCertificate: Uint8Array;
  readonly seed: number;
  readonly expiresAt: Date;
  readonly clock: Clock;
  readonly notifications: Notifications;
  /** Sends an operator's request. `path.bundleId` is the store's unless it is given. */
  request<Name extends keyof Operations>(operation: Name, options?: RequestOptions<Name>): Promise<Operations[Name]["response"]>;
  customer(account?: string, device?: string): Customer;
  /** The variables of `storebus env`, for a server that the test starts. */
  environment(): Record<string, string>;
  /** Makes another store with everything that this one has now. Doing the same in both shows the same. */
  fork(options?: Pick<StoreOptions, "running" | "lifetime">): Promise<Store>;
  /** Keeps the store as it is now under a name, for `Installation.fork`. Seven days without a `lifetime`. */
  snapshot(name: string, options?: { lifetime?: string }): Promise<void>;
  close(): Promise<void>;
}

export class Clock {
  constructor(store: Store);
  now(): Promise<Date>;
  /** Moves the clock by milliseconds, or by words such as `1mo`, `7d` or `90s`. All that falls due has happened then. */
  advance(by: number | string): Promise<ClockAdvanceResponse>;
  advanceTo(instant: Date | string): Promise<ClockAdvanceResponse>;
}

/** A customer with the app on a device. */
export class Customer {
  constructor(store: Store, account: string, device: string);
  readonly account: string;
  readonly device: string;
  /** Sends an app's request. */
  request<Name extends keyof Operations>(operation: Name, options?: RequestOptions<Name>): Promise<Operations[Name]["response"]>;
  /** Buys a product once. Calls with one `key` are one purchase. */
  buy(product: string, members?: Partial<PaymentRequest> & { key?: string }): Promise<PaymentTransaction>;
  finish(transaction: { id: string }): Promise<PaymentTransaction>;
  /** The transactions in the queue, oldest first. */
  unfinished(): Promise<PaymentTransaction[]>;
  /** Base64. */
  receipt(): Promise<string>;
  /** Replaces the account's settings. Without any it sets them all back. */
  set(settings?: TesterSettings): Promise<TesterResponse>;
}

/** A version 2 notification. Its parts are read and not verified. */
export class Notification {
  constructor(signed: string);
  readonly signed: string;
  readonly type: string;
  readonly subtype: string | undefined;
  readonly uuid: string;
  readonly payload: Record<string, any>;
  readonly transaction: Record<string, any> | undefined;
  readonly renewal: Record<string, any> | undefined;
}

/** A server on a free port that takes what a store sends to the app's server. */
export class Notifications {
  constructor(store: Store);
  /** All that came, in order. */
  readonly received: Notification[];
  readonly url: string | undefined;
  /** Begins to listen. The first `wait` or `settle` does it, too. */
  listen(): Promise<Notifications>;
  /** Waits for a notification that no earlier call has returned. The error names what came instead. */
  wait(type: string, subtype?: string, options?: { where?: (one: Notification) => boolean; timeout?: number }): Promise<Notification>;
  /** Waits until the store has none left to send by its clock. */
  settle(options?: { timeout?: number }): Promise<Notification[]>;
  close(): Promise<void>;
}
