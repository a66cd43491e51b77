"""The package against a real store: one that STOREBUS_URL names, or one of the executable that --storebus names."""

import base64
import concurrent.futures
import datetime

import pytest

from storebus import StoreError

CATALOGUE = "../../../App.storekit"
MONTHLY, COINS = "com.example.pro.monthly", "com.example.hiddenBeaches"


@pytest.mark.storebus(CATALOGUE, clock="2026-01-01T00:00:00Z", seed=42)
def test_a_trial_renews_when_the_clock_moves(store):
    assert store.clock.now() == datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    bought = store.customer("alice").buy(MONTHLY)
    assert (bought["transactionState"], bought["isTrialPeriod"]) == ("purchased", True)
    begun = store.notifications.wait("SUBSCRIBED", "INITIAL_BUY")
    assert begun.transaction["originalTransactionId"] == bought["transactionIdentifier"]

    moved = store.clock.advance("8d")
    assert moved["isFinished"] and store.clock.now().day == 9
    renewed = store.notifications.wait("DID_RENEW")
    assert renewed.transaction["originalTransactionId"] == bought["transactionIdentifier"]
    assert renewed.renewal["autoRenewProductId"] == MONTHLY


@pytest.mark.storebus(CATALOGUE)
def test_a_purchase_waits_in_the_queue_until_it_is_finished(store):
    alice = store.customer("alice")
    bought = alice.buy(COINS, appAccountToken="3c9d6a4e-37fa-4a2b-94b4-5b2b9c2d1a10")
    assert [one["id"] for one in alice.unfinished()] == [bought["id"]]
    alice.finish(bought)
    assert alice.unfinished() == []
    assert base64.b64decode(alice.receipt())[0] == 0x30
    assert store.customer("bob").unfinished() == []


@pytest.mark.storebus(CATALOGUE, clock="2026-01-01T00:00:00Z", seed=42)
def test_forks_of_a_snapshot_go_on_where_it_was_taken(store, storebus_installation):
    store.customer("alice").buy(MONTHLY)
    store.notifications.wait("SUBSCRIBED")
    store.snapshot("subscribed")
    store.clock.advance("8d")
    renewals = []
    for _ in range(2):
        with storebus_installation.store(snapshot="subscribed") as fork:
            assert fork.clock.now().day == 1
            fork.notifications
            fork.clock.advance("8d")
            renewals.append(fork.notifications.wait("DID_RENEW").uuid)
    assert renewals == [store.notifications.wait("DID_RENEW").uuid] * 2
    with store.fork() as fork:
        assert fork.clock.now().day == 9
    storebus_installation.request("DELETE", "/admin/v1/stores/subscribed")
    with pytest.raises(StoreError, match="not found"):
        storebus_installation.fork("subscribed")
    with pytest.raises(TypeError, match="leave them out"):
        storebus_installation.store(snapshot="subscribed", seed=7)


@pytest.mark.storebus(CATALOGUE)
def test_one_key_is_one_purchase(store):
    alice = store.customer("alice")
    assert alice.buy(COINS, key="k1")["id"] == alice.buy(COINS, key="k1")["id"]


@pytest.mark.storebus(CATALOGUE)
def test_apples_library_verifies_what_the_store_signs(store):
    store.customer("alice").buy(COINS)
    notification = store.notifications.wait("ONE_TIME_CHARGE")
    verified = store.verifier().verify_and_decode_notification(notification.signed)
    assert verified.notificationUUID == notification.uuid


@pytest.mark.storebus(CATALOGUE)
def test_settings_decide_how_a_purchase_ends(store):
    alice = store.customer("alice")
    alice.set(askToBuy=True)
    asked = alice.buy(COINS)
    assert asked["transactionState"] == "deferred"
    assert store.customer("bob").buy(COINS)["transactionState"] == "purchased"
    approved = store.request("POST", f"/admin/v1/transactions/{asked['id']}/approve")
    assert approved["transactionState"] == "purchased"


@pytest.mark.storebus(CATALOGUE)
def test_a_wait_names_what_came_instead(store):
    store.customer("alice").buy(COINS)
    store.notifications.settle()
    assert [one.type for one in store.notifications.received] == ["ONE_TIME_CHARGE"]
    with pytest.raises(TimeoutError, match=f"no REFUND within 0.1 s; came: ONE_TIME_CHARGE {COINS}"):
        store.notifications.wait("REFUND", timeout=0.1)
    store.notifications.wait("ONE_TIME_CHARGE")
    with pytest.raises(TimeoutError, match="returned before"):
        store.notifications.wait("ONE_TIME_CHARGE", timeout=0.1)


def test_a_refused_catalogue_names_the_place(storebus_installation):
    product = {"productID": "a", "type": "Consumable", "displayPrice": "much", "referenceName": "A", "localizations": []}
    with pytest.raises(StoreError, match=r"\$.products\[0\].displayPrice") as refused:
        storebus_installation.store({"version": {"major": 4, "minor": 0}, "products": [product]}, app="com.example.other")
    assert (refused.value.status, refused.value.code) == (422, "catalogInvalid")


@pytest.mark.storebus(CATALOGUE)
def test_an_error_has_its_code(store):
    with pytest.raises(StoreError, match="GET .*/v1/transactions/t_none: 404") as missing:
        store.customer().request("GET", "/v1/transactions/t_none")
    assert missing.value.code == "notFound"


def test_a_closed_store_is_gone(storebus_installation):
    with storebus_installation.store() as made:
        assert made.customer().buy(COINS)["transactionState"] == "purchased"
    made.close()
    with pytest.raises(StoreError):
        made.clock.now()


def test_equal_seeds_give_equal_numbers_in_100_stores_at_once(storebus_installation):
    def life(_):
        with storebus_installation.store(seed=7, clock="2026-01-01T00:00:00Z") as made:
            bought = made.customer().buy(MONTHLY)
            made.clock.advance(datetime.timedelta(days=8))
            numbers = {one["transactionIdentifier"] for one in made.customer().unfinished()}
            return bought["transactionIdentifier"], frozenset(numbers)

    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        lives = list(threads.map(life, range(100)))
    assert len(lives) == 100 and len(set(lives)) == 1
    assert len(lives[0][1]) == 2
