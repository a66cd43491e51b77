// The package against a real store.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Installation, StoreError } from "../index.js";
import { installation, withStore } from "../test.js";

const catalogue = new URL("../../../App.storekit", import.meta.url);
const [monthly, beaches] = ["com.example.pro.monthly", "com.example.hiddenBeaches"];

after(async () => (await installation()).stop());

test("a trial renews when the clock moves", withStore({ catalogue, clock: "2026-01-01T00:00:00Z", seed: 42 }, async (store) => {
  assert.deepEqual(await store.clock.now(), new Date("2026-01-01T00:00:00Z"));
  const bought = await store.customer("alice").buy(monthly);
  assert.deepEqual([bought.transactionState, bought.isTrialPeriod], ["purchased", true]);
  const begun = await store.notifications.wait("SUBSCRIBED", "INITIAL_BUY");
  assert.equal(begun.transaction.originalTransactionId, bought.transactionIdentifier);
  assert.equal((await store.clock.advance("8d")).isFinished, true);
  const renewed = await store.notifications.wait("DID_RENEW");
  assert.equal(renewed.renewal.autoRenewProductId, monthly);
}));

test("a purchase waits in the queue until it is finished", withStore({ catalogue }, async (store) => {
  const alice = store.customer("alice");
  const bought = await alice.buy(beaches, { appAccountToken: "3c9d6a4e-37fa-4a2b-94b4-5b2b9c2d1a10", key: "k1" });
  assert.equal((await alice.buy(beaches, { appAccountToken: "3c9d6a4e-37fa-4a2b-94b4-5b2b9c2d1a10", key: "k1" })).id, bought.id);
  assert.deepEqual((await alice.unfinished()).map((one) => one.id), [bought.id]);
  await alice.finish(bought);
  assert.deepEqual(await alice.unfinished(), []);
  assert.equal(Buffer.from(await alice.receipt(), "base64")[0], 0x30);
}));

test("forks of a snapshot go on where it was taken", withStore({ catalogue, clock: "2026-01-01T00:00:00Z", seed: 42 }, async (store) => {
  await store.customer().buy(monthly);
  await store.notifications.wait("SUBSCRIBED");
  await store.snapshot("subscribed-ts");
  await store.clock.advance("8d");
  const renewed = await store.notifications.wait("DID_RENEW");
  const fork = await (await installation()).store({ snapshot: "subscribed-ts" });
  await fork.notifications.listen();
  assert.deepEqual(await fork.clock.now(), new Date("2026-01-01T00:00:00Z"));
  await fork.clock.advance("8d");
  assert.equal((await fork.notifications.wait("DID_RENEW")).uuid, renewed.uuid);
  await fork.close();
  const other = await store.fork();
  assert.deepEqual(await other.clock.now(), new Date("2026-01-09T00:00:00Z"));
  await other.close();
  await (await installation()).request("DELETE /admin/v1/stores/{store}", { path: { store: "subscribed-ts" } });
  await assert.rejects((await installation()).fork("subscribed-ts"), /not found/);
  await assert.rejects((await installation()).store({ snapshot: "subscribed-ts", seed: 7 }), /leave seed out/);
}));

test("settings decide how a purchase ends", withStore({ catalogue }, async (store) => {
  const alice = store.customer("alice");
  await alice.set({ askToBuy: true });
  const asked = await alice.buy(beaches);
  assert.equal(asked.transactionState, "deferred");
  const approved = await store.request("POST /admin/v1/transactions/{id}/approve", { path: { id: asked.id } });
  assert.equal(approved.transactionState, "purchased");
}));

test("a wait names what came instead", withStore({ catalogue }, async (store) => {
  await store.customer().buy(beaches);
  const all = await store.notifications.settle();
  assert.deepEqual(all.map((one) => one.type), ["ONE_TIME_CHARGE"]);
  await assert.rejects(
    store.notifications.wait("REFUND", undefined, { timeout: 100 }),
    { message: `no REFUND within 100 ms; came: ONE_TIME_CHARGE ${beaches}` });
}));

test("a refused catalogue names the place", async () => {
  const products = [{ productID: "a", type: "Consumable", displayPrice: "much", referenceName: "A", localizations: [] }];
  const refused = (await installation()).store({ catalogue: { version: { major: 4, minor: 0 }, products }, app: "com.example.other" });
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof StoreError);
    assert.deepEqual([error.status, error.code], [422, "catalogInvalid"]);
    assert.match(error.message, /\$\.products\[0\]\.displayPrice/);
    return true;
  });
});

test("an operation without its path's member is named", withStore({ catalogue }, async (store) => {
  await assert.rejects(store.customer().request("GET /v1/transactions/{id}"), /GET \/v1\/transactions\/\{id\} needs path\.id/);
}));

test("a store that is missing is told how to get one", async () => {
  assert.throws(() => Installation.fromEnvironment({}), /STOREBUS_ADMIN_KEY is not set: start a store/);
  await assert.rejects(Installation.start("/nowhere/storebus"), /there is no \/nowhere\/storebus/);
});

test("equal seeds give equal numbers in 100 stores at once", async () => {
  const lives = [];
  let begun = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (begun++ < 100) {
      const store = await (await installation()).store({ seed: 7, clock: "2026-01-01T00:00:00Z" });
      await store.customer().buy(monthly);
      await store.clock.advance(8 * 86_400_000);
      lives.push((await store.customer().unfinished()).map((one) => one.transactionIdentifier).join(" "));
      await store.close();
    }
  }));
  assert.equal(lives.length, 100);
  assert.equal(new Set(lives).size, 1);
  assert.equal(lives[0].split(" ").length, 2);
});
