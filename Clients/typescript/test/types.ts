// What the types allow and refuse. It is compiled, and not run.
import { Installation, Notification } from "storebus";
import { withStore } from "storebus/test";
import type { PaymentTransaction } from "storebus/api";

export const body = withStore({ catalogue: "App.storekit", seed: 1 }, async (store) => {
  const bought: PaymentTransaction = await store.customer().buy("a", { quantity: 2, key: "k" });
  const state: "purchasing" | "purchased" | "failed" | "restored" | "deferred" = bought.transactionState;
  const page = await store.request("GET /admin/v1/transactions", { query: { limit: 10 } });
  const renewed: Notification = await store.notifications.wait("DID_RENEW", undefined, { where: (one) => one.uuid === state });
  // @ts-expect-error: no such operation
  await store.request("GET /admin/v1/nothing");
  // @ts-expect-error: no such member
  page.nothing;
  // @ts-expect-error: a payment has a product
  await store.customer().request("POST /v1/payments", { body: { quantity: 1 } });
  return void renewed;
});
export const started: Promise<Installation> = Installation.start();
