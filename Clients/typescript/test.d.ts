import type { Installation, Store, StoreOptions } from "./index.js";

/** The installation of STOREBUS_URL, or one that lasts as long as the process, of the executable STOREBUS_EXECUTABLE. */
export function installation(): Promise<Installation>;
/** What a body has of its test, as node:test gives it. */
export interface Context {
  readonly name: string;
  diagnostic(message: string): void;
}
/** Makes a test's body of one that has a store, which listens for its notifications and is removed after the test. */
export function withStore(
  options: StoreOptions, body: (store: Store, context: Context) => Promise<void>): (context: Context) => Promise<void>;
