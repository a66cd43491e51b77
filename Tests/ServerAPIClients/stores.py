"""Isolated stores: a hundred of them at once on one installation, each used by Apple's own library.

    python stores.py http://127.0.0.1:7430      (STOREBUS_ADMIN_KEY is set; the store's .storebus/root.cer is here)

Each store sells a subscription and a consumable, lets a year pass, refunds the consumable, and is read by the library
with the store's own key. What was seen, decoded, is the store's transcript. Stores of equal seeds have equal ones, byte
for byte; of different seeds, disjoint identifiers. Nothing of a store is heard in another: not its events, and neither an
account's settings nor a device. Half of the seeds set Ask to Buy for an account that all of the seed's stores have.
"""

import base64
import json
import os
import statistics
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from appstoreserverlibrary.api_client import APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest

import store
from store import ADMIN, BEACHES, MONTHLY, SAMPLE, SPOTS, URL, decoded, expect, finish, section

COUNT, SEEDS = 100, 25
# Above those whose numbers the installation itself has given.
FIRST_SEED = 1000
lock = threading.Lock()


def call(base, method, path, token=ADMIN, body=None, key=None, headers=None):
    fields = {"Sb-Timeout": "30000", "Authorization": f"Bearer {token}", **(headers or {})}
    if key:
        fields["Idempotency-Key"] = key
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        fields["Content-Type"] = "application/json"
    request = urllib.request.Request(base + path, data, fields, method=method)
    for _ in range(200):
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            # An overloaded gateway says when to try again; a payment's key makes that safe.
            wait = error.headers.get("Retry-After")
            if error.code != 503 or wait is None:
                error.msg += f" for {method} {path}: {error.read().decode()}"
                raise
            time.sleep(float(wait))
    raise RuntimeError(f"{method} {path} was refused again and again")


def status(base, method, path, **more):
    try:
        call(base, method, path, **more)
        return 200
    except urllib.error.HTTPError as error:
        return error.code


def payload(signed):
    return json.loads(base64.urlsafe_b64decode(signed.split(".")[1] + "=="))


def unsigned(value):
    """A value in which signed payloads are decoded, whatever their depth."""
    if isinstance(value, str) and value.count(".") == 2 and value.startswith("eyJ"):
        return unsigned(payload(value))
    if isinstance(value, list):
        return [unsigned(item) for item in value]
    if isinstance(value, dict):
        return {name: unsigned(item) for name, item in value.items()}
    return value


OPAQUE = {"id", "customerIdentifier", "downloads"}


def without_opaque(value):
    """A value without the identifiers that begin with `t_` and `c_`, which differ."""
    if isinstance(value, list):
        return [without_opaque(item) for item in value]
    if isinstance(value, dict):
        return {name: without_opaque(item) for name, item in value.items() if name not in OPAQUE}
    return value


def library(made):
    api = store.AppStoreServerAPIClient(
        made["privateKey"].encode(), made["keyId"], made["issuerId"], SAMPLE, Environment.SANDBOX)
    api._base_url = made["url"]
    return api


def asked(ask):
    """Repeats what an overloaded gateway has refused."""
    for _ in range(200):
        try:
            return ask()
        except APIException as error:
            if error.http_status_code not in (500, 503):
                raise
            time.sleep(0.2)
    raise RuntimeError("the App Store Server API refused again and again")


def make(seed):
    began = time.monotonic()
    made = call(URL, "POST", "/admin/v1/stores", body={
        "from": {"bundleId": SAMPLE}, "clock": "2026-01-01T00:00:00Z", "ttl": "30m", "seed": seed})
    made["took"] = time.monotonic() - began
    return made


def live(made):
    """Uses a store; returns what was seen of it."""
    url, app, seen = made["url"], f"/admin/v1/apps/{SAMPLE}", []
    call(url, "PUT", f"{app}/notifications/endpoint", body={"url": "listen:"})
    device = {"bundleId": SAMPLE, "deviceId": "phone", "account": "alice", "platform": "iOS",
              "osVersion": "17.4", "appVersion": "1.0"}
    token = call(url, "POST", "/v1/sessions", token="", body=device)["token"]
    bought = {}
    for product in (MONTHLY, SPOTS):
        # The token alone tells the store.
        bought[product] = call(URL, "POST", "/v1/payments", token, {"productIdentifier": product, "quantity": 1},
                               key=product)
        seen.append(bought[product])
    # One key is one move; a busy machine answers before all of it has happened.
    advanced = {"isFinished": False}
    while not advanced["isFinished"]:
        advanced = call(url, "POST", f"{app}/clock/advance", body={"by": "1y"}, key="a-year")
    seen.append({"isFinished": advanced["isFinished"], "events": len(advanced.get("events", []))})
    number = bought[SPOTS]["transactionIdentifier"]
    call(url, "POST", f"/admin/v1/transactions/{number}/refund", body={"reason": "other"})
    found = call(url, "GET", f"/admin/v1/transactions?bundleId={SAMPLE}&limit=100")
    seen.append(sorted((record["orderId"] for record in found["records"] if record.get("orderId"))))

    api = library(made)
    query = TransactionHistoryRequest()
    page, signed = None, []
    while page is None or page.hasMore:
        revision = page.revision if page else None
        page = asked(lambda: api.get_transaction_history(
            number, revision, query, GetTransactionHistoryVersion.V2))
        signed += page.signedTransactions
        seen.append([page.revision, page.bundleId, page.hasMore])
    statuses = asked(lambda: api.get_all_subscription_statuses(number))
    last = statuses.data[0].lastTransactions[0]
    refunds = asked(lambda: api.get_refund_history(number, None)).signedTransactions
    download = asked(lambda: api.get_app_transaction_info(number)).signedAppTransactionInfo
    order = asked(lambda: api.look_up_order_id(seen[3][0])).signedTransactions
    info = asked(lambda: api.get_transaction_info(number)).signedTransactionInfo
    seen += unsigned([signed, statuses.bundleId, last.originalTransactionId, last.signedTransactionInfo,
                      last.signedRenewalInfo, refunds, download, order, info])

    heard = []
    while True:
        leased = call(url, "POST", f"{app}/notifications/lease", body={"max": 8, "waitMs": 1000})["attempts"]
        for attempt in leased:
            heard.append(attempt["signedPayload"])
            call(url, "POST", f"{app}/notifications/attempts/{attempt['attemptIdentifier']}",
                 body={"sendAttemptResult": "SUCCESS", "httpStatus": 200})
        if not leased and call(url, "GET", f"{app}/notifications/settled?timeout=10")["settled"]:
            break
    listed, after = [], ""
    while after is not None:
        more = call(url, "GET", f"{app}/notifications?limit=100{after}")
        listed += more["notifications"]
        after = f"&after={more['after']}" if more.get("after") else None
    # As the device sees them, renewals with the keys of their payments.
    seen.append([call(url, "GET", "/v1/history?limit=100", token), call(url, "GET", "/v1/subscriptions", token)])
    seen.append(kid(made, device))
    seen.append(unsigned(heard))
    seen.append([[item["notificationUUID"], item["notificationType"], item["at"], item["state"]] for item in listed])
    with lock:
        expect(f"{made['store']}: the year's history", len(signed) >= 13, True)
        expect(f"{made['store']}: one refund", len(refunds), 1)
        expect(f"{made['store']}: each notification heard once", len(heard), len(listed))
        expect(f"{made['store']}: nothing but its app is named", "@t-" in json.dumps(seen), False)
    return {"made": made, "token": token, "bought": bought, "signed": signed, "heard": heard,
            "text": json.dumps(without_opaque(seen), sort_keys=True)}


def kid(made, device):
    """What an account sees that is named like the store's first transaction, and whose parent half of the seeds ask."""
    url, asks = made["url"], made["seed"] % 2 == 1
    name = str(2 * 10**15 + made["seed"] * 100_000 + 1)
    if asks:
        call(url, "PUT", f"/admin/v1/testers/{name}", body={"askToBuy": True})
    token = call(url, "POST", "/v1/sessions", token="", body={**device, "account": name, "deviceId": name})["token"]
    wanted = call(URL, "POST", "/v1/payments", token,
                  {"productIdentifier": SPOTS, "quantity": 1, "applicationUsername": name}, key="kid")
    prompts = call(url, "GET", f"/admin/v1/prompts?account={name}")["prompts"]
    for prompt in prompts:
        call(url, "POST", f"/admin/v1/prompts/{prompt['id']}", body={"answer": "approve"})
    testers = call(url, "GET", f"/admin/v1/testers?after={int(name) - 1}")["testers"]
    devices = call(url, "GET", "/admin/v1/devices")["devices"]
    with lock:
        expect(f"{made['store']}: a parent is asked by its own settings",
               [wanted["transactionState"], len(prompts)], ["deferred", 1] if asks else ["purchased", 0])
        expect(f"{made['store']}: names of digits stay", wanted["payment"]["applicationUsername"], name)
        expect(f"{made['store']}: its accounts", [tester["account"] for tester in testers], [name, "alice"])
        expect(f"{made['store']}: its devices", [found["deviceId"] for found in devices], [name, "phone"])
    return [wanted, testers, devices]


def difference(one, other, place="$"):
    """The places at which two transcripts differ, with what they have there."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = [difference(one.get(name), other.get(name), f"{place}.{name}") for name in sorted({*one, *other})]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = [difference(*pair, f"{place}[{index}]") for index, pair in enumerate(zip(one, other))]
    else:
        return [] if one == other else [f"{place}: {str(one)[:200]} | {str(other)[:200]}"]
    return sum(found, [])


def identifiers(text):
    """Every identifier in a transcript that the seed decides about."""
    found = set()

    def visit(value):
        if isinstance(value, list):
            [visit(item) for item in value]
        elif isinstance(value, dict):
            for name, item in value.items():
                if name in ("transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId",
                            "notificationUUID"):
                    found.add(item)
                visit(item)
    visit(json.loads(text))
    return found


def main():
    section(f"{COUNT} isolated stores in parallel")
    began = time.monotonic()
    with ThreadPoolExecutor(16) as pool:
        stores = list(pool.map(make, [FIRST_SEED + index % SEEDS for index in range(COUNT)]))
    alone = [make(FIRST_SEED)["took"] for _ in range(20)]
    print(f"  made one after the other: median {statistics.median(alone) * 1000:.1f} ms, "
          f"max {max(alone) * 1000:.1f} ms; 16 at once: median "
          f"{statistics.median(made['took'] for made in stores) * 1000:.1f} ms, "
          f"max {max(made['took'] for made in stores) * 1000:.1f} ms")
    with ThreadPoolExecutor(16) as pool:
        lives = list(pool.map(live, stores))
    print(f"  {COUNT} stores lived a year in {time.monotonic() - began:.1f} s; "
          f"{sum(len(one['heard']) for one in lives)} notifications were heard")

    texts = {}
    for one in lives:
        texts.setdefault(one["made"]["seed"], set()).add(one["text"])
    for seed, found in sorted(texts.items()):
        expect(f"seed {seed}: equal transcripts", len(found), 1)
        if len(found) > 1:
            print("   ", *difference(*[json.loads(text) for text in sorted(found)[:2]]), sep="\n    ")
    known = {}
    for seed, found in texts.items():
        for identifier in identifiers(next(iter(found))):
            known.setdefault(identifier, set()).add(seed)
    expect("identifiers of different seeds are disjoint",
           [identifier for identifier, seeds in known.items() if len(seeds) > 1], [])
    expect("there are identifiers", len(known) > SEEDS * 20, True)

    section("the installation hears nothing of stores")
    (apps, after) = ([], "")
    for _ in range(400):
        heard = call(URL, "GET", "/admin/v1/events/wait?timeout=1s" + (f"&after={after}" if after else ""))
        if not heard["events"]: break
        apps += [event["bundleId"] for event in heard["events"]]
        after = heard["after"]
    expect("its log ends", heard["events"], [])
    expect("its events are of its own apps", {name for name in apps if "@" in name}, set())

    section("what is signed there is verified; contexts")
    # Of the seed 0 a number may be one of the installation's, too.
    first, second = lives[1], lives[2]
    decoded("transaction", "a transaction of a store", first["signed"][0], app=SAMPLE)
    for signed in first["heard"][:3]:
        decoded("notification", "a notification of a store", signed, app=SAMPLE)
    number = first["bought"][SPOTS]["transactionIdentifier"]
    app = f"/admin/v1/apps/{SAMPLE}"
    expect("another store does not know the transaction",
           status(second["made"]["url"], "POST", f"/admin/v1/transactions/{number}/refund", body={}), 404)
    expect("nor does the installation",
           status(URL, "POST", f"/admin/v1/transactions/{number}/refund", body={}), 404)
    inner = first["bought"][SPOTS]["id"]
    expect("its operators know it by its id", status(first["made"]["url"], "GET", f"/admin/v1/transactions/{inner}"), 200)
    for where, url in (("another store", second["made"]["url"]), ("the installation", URL)):
        for verb in ("refund", "revoke", "redeliver", "approve", "resolve", "renew", "expire", "reverseRefund"):
            expect(f"{where}: {verb} by the id", status(url, "POST", f"/admin/v1/transactions/{inner}/{verb}", body={}),
                   404)
        expect(f"{where}: delete by the id", status(url, "DELETE", f"/admin/v1/transactions/{inner}"), 404)
    outside = [tester["account"] for tester in call(URL, "GET", "/admin/v1/testers?limit=500")["testers"]]
    expect("the installation has no store's accounts", [name for name in outside if name.isdigit()], [])
    outside = [found["deviceId"] for found in call(URL, "GET", "/admin/v1/devices?limit=500")["devices"]]
    expect("nor a store's devices", [name for name in outside if name.isdigit()], [])
    device = {"bundleId": SAMPLE, "deviceId": "phone", "account": "olivia", "platform": "iOS", "osVersion": "17.4",
              "appVersion": "1.0"}
    token = call(URL, "POST", "/v1/sessions", token="", body=device)["token"]
    ordinary = call(URL, "POST", "/v1/payments", token, {"productIdentifier": SPOTS, "quantity": 1},
                    key="ordinary")["transactionIdentifier"]
    expect("a store does not know the installation's transaction",
           refusal(lambda: library(first["made"]).get_transaction_info(ordinary)), 404)
    expect("nor do its operators",
           status(first["made"]["url"], "POST", f"/admin/v1/transactions/{ordinary}/refund", body={}), 404)
    call(first["made"]["url"], "POST", "/v1/payments", first["token"],
         {"productIdentifier": SPOTS, "quantity": 1, "simulatesAskToBuyInSandbox": True}, key="ask")
    asked = [prompt["id"] for prompt in call(first["made"]["url"], "GET", "/admin/v1/prompts")["prompts"]]
    expect("a store lists its prompts", len(asked), 1)
    for name, url in (("another store", second["made"]["url"]), ("the installation", URL)):
        found = [prompt["id"] for prompt in call(url, "GET", "/admin/v1/prompts")["prompts"]]
        expect(f"and {name} does not", [prompt for prompt in asked if prompt in found], [])
    expect("a session is its store's only",
           status(second["made"]["url"], "GET", "/v1/history", token=first["token"]), 404)
    expect("a store is of its app", status(first["made"]["url"], "GET", "/admin/v1/apps/com.example.other/clock"), 404)
    expect("an unknown store", status(URL + "/s/t-999999", "GET", f"{app}/clock"), 404)
    expect("the inner name opens nothing",
           status(URL, "GET", f"/admin/v1/apps/{SAMPLE}%40{first['made']['store']}.0/clock"), 400)
    moved = call(URL, "GET", f"{app}/clock", headers={"X-Storebus-Store": first["made"]["store"]})["now"]
    expect("the header names a store, too", moved[:4], "2027")
    expect("the installation's clock has not moved", call(URL, "GET", f"{app}/clock")["now"][:4] != "2027", True)
    shown = [item["bundleId"] for item in call(URL, "GET", "/admin/v1/apps")["apps"]]
    expect("apps do not list stores", [name for name in shown if "@" in name], [])
    shown = [item["bundleId"] for item in call(first["made"]["url"], "GET", "/admin/v1/apps")["apps"]]
    expect("a store lists its own app", shown, [SAMPLE])
    records = call(URL, "GET", "/admin/v1/transactions?limit=100").get("records", [])
    expect("transactions do not list stores", [record for record in records if "@" in record["bundleId"]], [])

    section("what is removed")
    listed, after = [], ""
    while after is not None:
        page = call(URL, "GET", f"/admin/v1/stores?limit=100{after}")
        listed += page["stores"]
        after = f"&after={page['after']}" if page.get("after") else None
    expect("the list shows every one", len(listed), COUNT + 20)
    for made in listed:
        call(URL, "DELETE", f"/admin/v1/stores/{made['store']}")
    expect("a deleted store's key opens nothing",
           refusal(lambda: library(first["made"]).get_transaction_info(number)) in (401, 404), True)
    expect("its sessions are over", status(URL, "GET", "/v1/history", token=first["token"]), 404)
    deadline = time.monotonic() + 120
    while call(URL, "GET", "/admin/v1/stores")["stores"] and time.monotonic() < deadline:
        time.sleep(0.5)
    expect("nothing is left", call(URL, "GET", "/admin/v1/stores")["stores"], [])


def refusal(ask):
    try:
        ask()
        return 200
    except APIException as error:
        return error.http_status_code


if __name__ == "__main__":
    main()
    finish()
