// Helpers for node:test. test.d.ts has the types.
import { Installation } from "./index.js";

let running;

/** The installation of STOREBUS_URL, or one that lasts as long as the process, of the executable STOREBUS_EXECUTABLE. */
export function installation() {
  running ??= process.env.STOREBUS_ADMIN_KEY
    ? Promise.resolve(Installation.fromEnvironment())
    : Installation.start(process.env.STOREBUS_EXECUTABLE || undefined);
  return running;
}

/** Makes a test's body of one that has a store, which listens for its notifications and is removed after the test. */
export function withStore(options, body) {
  return async (context) => {
    const store = await (await installation()).store(options);
    try {
      await store.notifications.listen();
      await body(store, context);
    } catch (error) {
      context.diagnostic?.(`${store.name}, ${store.url}; notifications: ${store.notifications.received.join(", ") || "none"}`);
      throw error;
    } finally {
      await store.close();
    }
  };
}
