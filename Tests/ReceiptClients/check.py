"""Has clients of Apple's verifyReceipt read a store's receipts, and compares what they say with what was bought.

    python check.py http://127.0.0.1:7430      (STOREBUS_ADMIN_KEY is set)

itunes-iap and inapppy are as they come from PyPI. Only where they ask is changed: Apple's host names lead to this
machine, and their addresses are plain HTTP on the store's port. Writes receipt.der, for openssl.
"""

import base64
import json
import os
import socket
import sys
import urllib.parse
import urllib.request
import warnings

import itunesiap
import itunesiap.receipt
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from inapppy import AppStoreValidator
from inapppy.errors import InAppPyValidationError
from itunesiap.request import RequestBase

URL = sys.argv[1]
PORT = urllib.parse.urlsplit(URL).port
ADMIN = os.environ["STOREBUS_ADMIN_KEY"]
APP, SAMPLE = "com.example.receipts", "com.example.app"
MONTHLY, YEARLY, BEACHES = "com.example.pro.monthly", "com.example.pro.yearly", "com.example.hiddenBeaches"
DAY = 86_400_000
warnings.simplefilter("ignore")

# --- the clients' way here

APPLE = {"buy.itunes.apple.com", "sandbox.itunes.apple.com"}
resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: resolve("127.0.0.1" if host in APPLE else host, *rest, **more)


def here(url):
    return f"http://{urllib.parse.urlsplit(url).hostname}:{PORT}/verifyReceipt"


RequestBase.PRODUCTION_VALIDATION_URL = here(RequestBase.PRODUCTION_VALIDATION_URL)
RequestBase.SANDBOX_VALIDATION_URL = here(RequestBase.SANDBOX_VALIDATION_URL)
apples_address = AppStoreValidator._change_url_by_sandbox


def our_address(validator):
    apples_address(validator)
    validator.url = here(validator.url)


AppStoreValidator._change_url_by_sandbox = our_address

# --- the store


def call(method, path, token=None, body=None, key=None):
    headers = {"Sb-Timeout": "30000"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if key:
        headers["Idempotency-Key"] = key
    data = None
    if body is not None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers, method=method), timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def raw(path):
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {ADMIN}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def buy(token, product):
    bought = call("POST", "/v1/payments", token, {"productIdentifier": product, "quantity": 1}, key=f"buy-{product}")
    expect(f"buying {product}", bought["transactionState"], "purchased")
    call("POST", f"/v1/transactions/{bought['id']}/finish", token)
    return bought


def advance(key, **how):
    moved = call("POST", f"/admin/v1/apps/{APP}/clock/advance", ADMIN, how, key=key)
    expect(f"everything due by then has happened ({key})", moved["isFinished"], True)


# --- what is expected

wrong = []


def expect(what, found, expected):
    if found == expected:
        print(f"  ok    {what}: {found}")
    else:
        wrong.append(what)
        print(f"  WRONG {what}: {found}, not {expected}")


def status_of(ask):
    """What a client says of a refusal: Apple's number."""
    try:
        ask()
        return 0
    except itunesiap.exc.InvalidReceipt as error:
        return error.status
    except InAppPyValidationError as error:
        return error.raw_response["status"]


def both(what, receipt, expected, **options):
    """Asks with both clients. inapppy's answer is the JSON, itunes-iap's its own objects around it."""
    secret, old = options.get("password"), options.get("exclude_old_transactions", False)
    validator = AppStoreValidator(sandbox=True)
    expect(f"{what}, itunes-iap", status_of(lambda: itunesiap.verify(receipt, env=itunesiap.env.sandbox, **options)), expected)
    expect(f"{what}, inapppy", status_of(lambda: validator.validate(receipt, secret, old)), expected)
    if expected == 0:
        return itunesiap.verify(receipt, env=itunesiap.env.sandbox, **options), validator.validate(receipt, secret, old)
    return None


print("a store with the sample catalogue, and a customer who bought nothing (M139)")
catalog = json.loads(raw(f"/admin/v1/apps/{SAMPLE}/catalog"))
for product in catalog["subscriptionGroups"][0]["subscriptions"]:
    product["groupNumber"] = 1
catalog["settings"]["_billingGracePeriodEnabled"] = False
call("PUT", f"/admin/v1/apps/{APP}/catalog", ADMIN, catalog)
device = {"bundleId": APP, "deviceId": "alice-1", "account": "alice", "platform": "iOS", "osVersion": "17.4"}
alice = call("POST", "/v1/sessions", body={**device, "appVersion": "1.0"})["token"]
call("PUT", f"/admin/v1/apps/{APP}/clock", ADMIN, {"frozen": True})


def receipt():
    return call("GET", "/v1/receipt", alice)["receiptData"]


empty = receipt()
theirs, plain = both("an empty receipt", empty, 0)
expect("purchases, itunes-iap", len(theirs.receipt.in_app), 0)
expect("purchases, inapppy", plain["receipt"]["in_app"], [])
expect("bundle id", theirs.receipt.bundle_id, APP)
expect("environment", plain["environment"], "Sandbox")
expect("a transaction's identifier (Apple's library)", ReceiptUtility().extract_transaction_id_from_app_receipt(empty), None)

print("a trial, something to keep, and two renewals")
trial, beaches = buy(alice, MONTHLY), buy(alice, BEACHES)
first = receipt()
theirs, plain = both("a receipt with a trial", first, 0)
by_id = {item.transaction_id: item for item in theirs.receipt.in_app}
expect("is_trial_period of the trial", by_id[trial["transactionIdentifier"]].is_trial_period, True)
expect("is_trial_period of the rest", by_id[beaches["transactionIdentifier"]].is_trial_period, False)
advance("renewals", by="40d")
now = receipt()
theirs, plain = both("the receipt after 40 days", now, 0)
history = {item["transactionIdentifier"]: item for item in call("GET", "/v1/history", alice)["transactions"]}
expect("as many purchases as the history has", len(plain["latest_receipt_info"]), len(history))
expect("purchases", len(history), 4)
renewals = [item for item in theirs.latest_receipt_info if item.product_id == MONTHLY]
expect("trial periods, newest first", [item.is_trial_period for item in renewals], [False, False, True])
expect("introductory periods", {item["is_in_intro_offer_period"] for item in renewals}, {"false"})
expect("days of each period", [(int(item["expires_date_ms"]) - int(item["purchase_date_ms"])) // DAY for item in renewals[2:]], [7])
starts = [item["purchase_date_ms"] for item in renewals[:2]]
ends = [item["expires_date_ms"] for item in renewals[1:]]
expect("each period begins where the one before ended", starts, ends)
expect("all of one subscription", {item.original_transaction_id for item in renewals}, {trial["transactionIdentifier"]})
for item in theirs.latest_receipt_info:
    known = history[item.transaction_id]
    expect(f"product of {item.transaction_id}", item.product_id, known["payment"]["productIdentifier"])
    expect(f"quantity of {item.transaction_id}", item.quantity, known["payment"]["quantity"])
    expect(f"date of {item.transaction_id}", item.purchase_date.strftime("%Y-%m-%dT%H:%M:%S"), known["transactionDate"][:19])
expect("the purchases of the receipt itself", {item.transaction_id for item in theirs.receipt.in_app}, set(history))
expect("the old receipt leads to the new purchases", len(both("the first receipt again", first, 0)[1]["latest_receipt_info"]), 4)
both("latest_receipt", theirs.latest_receipt, 0)

pending = theirs.pending_renewal_info[0]
expect("auto_renew_status", pending.auto_renew_status, 1)
expect("auto_renew_product_id", pending.auto_renew_product_id, MONTHLY)
group = pending["subscription_group_identifier"]
expect("the group in both places (M122)", {item["subscription_group_identifier"] for item in renewals}, {group})
latest = both("without old transactions", now, 0, exclude_old_transactions=True)[1]["latest_receipt_info"]
expect("one of each", sorted(item["product_id"] for item in latest), sorted([MONTHLY, BEACHES]))

print("production first, sandbox then, as Apple advises")
expect("production's answer, itunes-iap", status_of(lambda: itunesiap.verify(now, env=itunesiap.env.production)), 21007)
expect("and then the sandbox's, itunes-iap", itunesiap.verify(now, env=itunesiap.env.review).status, 0)
expect("production's answer, inapppy", status_of(lambda: AppStoreValidator(sandbox=False).validate(now)), 21007)
retrying = AppStoreValidator(sandbox=False, auto_retry_wrong_env_request=True)
expect("and then the sandbox's, inapppy", retrying.validate(now)["status"], 0)

print("a shared secret")
secret = call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "sharedSecret"})["secret"]
both("without it", now, 21004)
both("with another", now, 21004, password="0" * 32)
both("with it", now, 0, password=secret)
both("a receipt without subscriptions, of a customer with one", empty, 21004)

print("another product to come")


def renewal(what):
    return both(what, receipt(), 0, password=secret)[1]["pending_renewal_info"][0]


subscription = f"/v1/subscriptions/{trial['transactionIdentifier']}"
call("PUT", subscription, alice, {"autoRenewProductIdentifier": YEARLY})
changed = renewal("with a change to come")
expect("product_id", changed["product_id"], MONTHLY)
expect("auto_renew_product_id", changed["auto_renew_product_id"], YEARLY)
call("PUT", subscription, alice, {"autoRenewProductIdentifier": MONTHLY})
expect("auto_renew_product_id", renewal("changed back")["auto_renew_product_id"], MONTHLY)

print("a renewal that is declined, and the next attempt")
call("POST", f"/admin/v1/transactions/{trial['id']}/failNextRenewal", ADMIN)
advance("decline", next=1)
declined = renewal("declined")
expect("is_in_billing_retry_period", declined["is_in_billing_retry_period"], "1")
expect("expiration_intent", declined["expiration_intent"], "2")
expect("auto_renew_status", declined["auto_renew_status"], "1")
advance("recovery", by="2d")
recovered = renewal("recovered")
expect("is_in_billing_retry_period", recovered.get("is_in_billing_retry_period"), None)
expect("expiration_intent", recovered.get("expiration_intent"), None)

print("refunded, cancelled and expired")
call("POST", f"/admin/v1/transactions/{beaches['id']}/refund", ADMIN, {"reason": "appIssue"})
call("PUT", subscription, alice, {"willAutoRenew": False})
theirs, plain = both("refunded", receipt(), 0, password=secret)
refunded = next(item for item in theirs.latest_receipt_info if item.product_id == BEACHES)
expect("cancellation_reason", refunded.cancellation_reason, 1)
expect("cancellation_date", refunded.cancellation_date is not None, True)
expect("auto_renew_status", theirs.pending_renewal_info[0].auto_renew_status, 0)
advance("expiry", by="2mo")
theirs, plain = both("expired", receipt(), 0, password=secret)
expect("expiration_intent", theirs.pending_renewal_info[0].expiration_intent, 1)
expect("is_in_billing_retry_period", theirs.pending_renewal_info[0].is_in_billing_retry_period, 0)

print("not to be believed")
der = base64.b64decode(now)
for place in (len(der) // 4, len(der) // 2, len(der) - 1):
    changed = base64.b64encode(der[:place] + bytes([der[place] ^ 1]) + der[place + 1:]).decode()
    both(f"byte {place} changed", changed, 21003, password=secret)
both("cut", base64.b64encode(der[:-1]).decode(), 21002)
both("nothing like a receipt", "bm8gcmVjZWlwdA==", 21002)

print("Apple's own library")
identifier = ReceiptUtility().extract_transaction_id_from_app_receipt(now)
expect("a transaction of the receipt", identifier in history, True)
with open("receipt.der", "wb") as file:
    file.write(der)
with open("root.pem", "wb") as file:
    file.write(raw("/admin/v1/signing/root"))

if wrong:
    print(f"{len(wrong)} differences")
    sys.exit(1)
