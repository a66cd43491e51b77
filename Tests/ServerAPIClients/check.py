"""Has Apple's own server library ask a store and verify what it signs, and compares that with what was bought.

    python check.py http://127.0.0.1:7430      (STOREBUS_ADMIN_KEY is set; the store's .storebus/root.cer is here)
    python check.py stopped                    (afterwards, when the store is stopped)

app-store-server-library is as it comes from PyPI. It has no parameter for its address: as everyone who points it at a
server of their own does, this sets the client's attribute `_base_url`. Keys, tokens, requests, errors, certificates
and OCSP are the library's own. Each signed payload is verified twice, offline and online; online the library asks the
OCSP responder that the certificates name. Writes payloads.json, for the second call.
"""

import base64
import collections
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone

import attr
import requests
from appstoreserverlibrary.api_client import APIError, APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.models.AutoRenewStatus import AutoRenewStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExpirationIntent import ExpirationIntent
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.OfferDiscountType import OfferDiscountType
from appstoreserverlibrary.models.OfferType import OfferType
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.PurchasePlatform import PurchasePlatform
from appstoreserverlibrary.models.RevocationReason import RevocationReason
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.TransactionReason import TransactionReason
from appstoreserverlibrary.models.Type import Type
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationStatus
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509 import load_der_x509_certificate, ocsp

import doors
import hosts
import notifications
import offers
import pages as apple
import shapes
import store
import verifiers
import writes
from store import (
    ADMIN,
    APP,
    BEACHES,
    KINDS,
    MONTHLY,
    OTHER,
    ROOT,
    SAMPLE,
    SPOTS,
    URL,
    YEARLY,
    advance,
    bought_by,
    buy,
    call,
    client,
    clock,
    decoded,
    expect,
    finish,
    milliseconds,
    offline,
    payloads,
    raw,
    refused,
    renewals,
    section,
    session,
    status_of,
    verifier,
)

TOKEN = "7a0c6b0e-1111-4222-8333-444455556666"
V1, V2 = GetTransactionHistoryVersion.V1, GetTransactionHistoryVersion.V2
DAY = 86_400_000

if sys.argv[1] == "stopped":
    section("the store is stopped: what it signed is verified offline, and its responder is not there to be asked")
    with open("payloads.json") as file:
        for kind, (app, signed) in json.load(file).items():
            verify = KINDS[kind]
            expect(
                f"{kind}, offline",
                status_of(lambda text: verify(verifier(False, app=app), text), signed),
                VerificationStatus.OK,
            )
            expect(
                f"{kind}, online",
                status_of(lambda text: verify(verifier(True, app=app), text), signed),
                VerificationStatus.RETRYABLE_VERIFICATION_FAILURE,
            )
    finish()
    sys.exit()


TYPES = {
    MONTHLY: Type.AUTO_RENEWABLE_SUBSCRIPTION, YEARLY: Type.AUTO_RENEWABLE_SUBSCRIPTION,
    BEACHES: Type.NON_CONSUMABLE, SPOTS: Type.CONSUMABLE,
}


def compare(what, found, item, app_transaction=None, app=APP):
    """A decoded transaction, member by member, with what the app knows of it."""
    known = {
        "transactionId": item["transactionIdentifier"],
        "originalTransactionId": item["originalTransactionIdentifier"] or item["transactionIdentifier"],
        "bundleId": app, "productId": item["payment"]["productIdentifier"],
        "subscriptionGroupIdentifier": item.get("subscriptionGroupIdentifier"),
        "purchaseDate": milliseconds(item["transactionDate"]),
        "originalPurchaseDate": milliseconds((item["original"] or item)["transactionDate"]),
        "expiresDate": milliseconds(item["expiresDate"]) if item.get("expiresDate") else None,
        "quantity": item["payment"]["quantity"], "type": TYPES[item["payment"]["productIdentifier"]],
        "appAccountToken": item["payment"].get("appAccountToken"),
        "inAppOwnershipType": InAppOwnershipType.PURCHASED, "environment": Environment.SANDBOX,
        "signedDate": clock(app), "storefront": "USA", "storefrontId": "143441", "currency": item["price"]["currency"],
        "price": round(float(item["price"]["amount"]) * 1000),
        "transactionReason":
            TransactionReason.RENEWAL if item["transactionIdentifier"] in renewals else TransactionReason.PURCHASE,
        "offerType": OfferType.INTRODUCTORY_OFFER if item.get("offer") else None,
        "offerDiscountType": OfferDiscountType.FREE_TRIAL if item.get("isTrialPeriod") else None,
        "offerPeriod": "P1W" if item.get("isTrialPeriod") else None, "offerIdentifier": None,
        "revocationDate": milliseconds(item["revocationDate"]) if item.get("revocationDate") else None,
        "isUpgraded": True if item.get("isUpgraded") else None,
    }
    if app_transaction:
        known["appTransactionId"] = app_transaction
    for name, value in known.items():
        expect(f"{what}, {name}", getattr(found, name), value)
    expect(f"{what}, a line item", found.webOrderLineItemId is not None, item.get("expiresDate") is not None)


def pages(api, transaction, request, version=V2):
    """All pages of a history, as Apple advises: by the revision, as long as there is more."""
    found, revision = [], None
    while True:
        page = api.get_transaction_history(transaction, revision, request, version)
        found.append(page)
        revision = page.revision
        if not page.hasMore:
            return found


def identifiers(signed):
    return [offline.verify_and_decode_signed_transaction(text).transactionId for text in signed]


def of_no_device(signed):
    """What a device has read, without the claims that bind it to that device, which it must have."""
    expect("what a device reads is bound to it", bool(signed.deviceVerification and signed.deviceVerificationNonce), True)
    return attr.evolve(signed, deviceVerification=None, deviceVerificationNonce=None)


def history(api, transaction, version=V2, **query):
    return [
        identifier
        for page in pages(api, transaction, TransactionHistoryRequest(**query), version)
        for identifier in identifiers(page.signedTransactions)
    ]


def main():
    section("a store with the sample catalogue, two customers, and a key for the app's server")
    for app in (APP, OTHER):
        call("PUT", f"/admin/v1/apps/{app}/catalog", ADMIN, store.one_level())
    key = call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"})
    other_key = call("POST", f"/admin/v1/apps/{OTHER}/keys", ADMIN, {"kind": "inAppPurchase"})
    expect("the key's app", key["bundleId"], APP)
    expect("one issuer for the store", key["issuerId"], other_key["issuerId"])
    expect("the key is PKCS#8", key["secret"].startswith("-----BEGIN PRIVATE KEY-----\n"), True)
    listed = call("GET", f"/admin/v1/apps/{APP}/keys", ADMIN)["keys"]
    expect("keys are listed without their secrets", [item.get("secret") for item in listed], [None])
    expect("the root is that of GET /admin/v1/signing/root",
           load_pem(raw("/admin/v1/signing/root")), ROOT)
    api, other_api = client(key), client(other_key, OTHER)
    call("PUT", f"/admin/v1/apps/{APP}/clock", ADMIN, {"frozen": True})
    alice, bob = session("alice"), session("bob")
    start = clock()

    section("an app transaction before any purchase")
    signed = call("GET", "/v1/app-transaction", bob)["signedAppTransactionInfo"]
    download = decoded("app transaction", "bob's app transaction", signed)
    for name, value in {
        "receiptType": Environment.SANDBOX, "bundleId": APP, "appAppleId": None, "applicationVersion": "1.0",
        "originalApplicationVersion": "1.0", "originalPlatform": PurchasePlatform.IOS, "receiptCreationDate": start,
    }.items():
        expect(f"bob's app transaction, {name}", getattr(download, name), value)
    expect("bob's first session is not later than now", download.originalPurchaseDate <= start, True)
    bobs = download.appTransactionId
    again = decoded("app transaction", "by the API", api.get_app_transaction_info(bobs).signedAppTransactionInfo)
    expect("the API signs the same, for no device", again, of_no_device(download))
    expect("the history of no purchases", history(api, bobs), [])
    expect("the statuses of no purchases", api.get_all_subscription_statuses(bobs).data, [])
    expect("the refunds of no purchases", api.get_refund_history(bobs, None).signedTransactions, [])

    section("purchases: consumables, a trial, something to keep, and renewals")
    # An app's key that looks like one of the store's own makes no renewal.
    first = buy(alice, SPOTS, "renew:2000000000000003:1", quantity=3, appAccountToken=TOKEN)
    beaches, trial = buy(alice, BEACHES, "beaches"), buy(alice, MONTHLY, "monthly")
    advance("renewals", by="100d")
    spots = [first] + [buy(alice, SPOTS, f"spots-{number}") for number in range(1, 23)]
    known = bought_by(alice)
    expect("transactions, renewals", (len(known), len(renewals)), (29, 4))
    lasting = trial["transactionIdentifier"]
    download = decoded(
        "app transaction", "alice's app transaction", api.get_app_transaction_info(lasting).signedAppTransactionInfo)
    alices = download.appTransactionId
    expect("one app transaction a customer", alices == bobs, False)
    signed = call("GET", "/v1/app-transaction", alice)["signedAppTransactionInfo"]
    expect("the app reads the same, for its device", of_no_device(offline.verify_and_decode_app_transaction(signed)), download)

    section("transaction info")
    for identifier, item in known.items():
        what = f"info of {identifier}"
        answer = decoded("transaction", what, api.get_transaction_info(identifier).signedTransactionInfo)
        compare(what, answer, item, alices)
        signed = call("GET", f"/v1/transactions/{item['id']}/jws", alice)["signedTransactionInfo"]
        expect(f"{what}, as StoreKit has it", offline.verify_and_decode_signed_transaction(signed), answer)

    section("history, by pages of twenty")
    everything = list(known)
    # Version 1 has no consumables that the app has finished.
    kept = [name for name in everything if known[name]["payment"]["productIdentifier"] != SPOTS]
    all_of = {V1: kept, V2: everything}
    for version in (V1, V2):
        found = pages(api, lasting, TransactionHistoryRequest(), version)
        sizes = [6] if version == V1 else [20, 9]
        expect(f"{version.value}: pages", [len(page.signedTransactions) for page in found], sizes)
        expect(f"{version.value}: more", [page.hasMore for page in found], [True] * (len(sizes) - 1) + [False])
        for page in found:
            expect(f"{version.value}: app", (page.bundleId, page.appAppleId, page.environment),
                   (APP, None, Environment.SANDBOX))
        listed = [identifier for page in found for identifier in identifiers(page.signedTransactions)]
        listing = all_of[version]
        expect(f"{version.value}: in the order of changes", listed, listing)
        expect(f"{version.value}: from a consumable", history(api, first["transactionIdentifier"], version), listing)
        expect(f"{version.value}: from the app transaction", history(api, alices, version), listing)
        expect(f"{version.value}: descending", history(api, lasting, version, sort=Order.DESCENDING), listing[::-1])
        expect(f"{version.value}: ascending", history(api, lasting, version, sort=Order.ASCENDING), listing)
        for page in found:
            for signed in page.signedTransactions:
                answer = decoded("transaction", f"{version.value} of the history", signed)
                compare(f"{version.value} of {answer.transactionId}", answer, known[answer.transactionId], alices)
    page = pages(api, lasting, TransactionHistoryRequest())[-1]
    later = api.get_transaction_history(lasting, page.revision, TransactionHistoryRequest(), V2)
    expect("behind the last revision", (later.signedTransactions, later.hasMore), ([], False))
    call("POST", f"/v1/transactions/{beaches['id']}/finish", alice)
    later = api.get_transaction_history(lasting, page.revision, TransactionHistoryRequest(), V2)
    expect("what changes nothing that is signed moves nothing", later.signedTransactions, [])

    section("history, filtered")

    def of(*products):
        return [name for name in everything if known[name]["payment"]["productIdentifier"] in products]

    group = trial["subscriptionGroupIdentifier"]
    moment = milliseconds(spots[1]["transactionDate"])
    for version in (V1, V2):
        for what, query, expected in [
            ("a product", {"productIds": [BEACHES]}, of(BEACHES)),
            ("two products", {"productIds": [BEACHES, MONTHLY]}, of(BEACHES, MONTHLY)),
            ("an unknown product", {"productIds": ["com.example.unknown"]}, []),
            ("consumables, two pages", {"productTypes": [ProductType.CONSUMABLE]}, of(SPOTS) if version == V2 else []),
            ("what lasts", {"productTypes": [ProductType.NON_CONSUMABLE, ProductType.AUTO_RENEWABLE]},
             of(BEACHES, MONTHLY)),
            ("other subscriptions", {"productTypes": [ProductType.NON_RENEWABLE]}, []),
            ("a group", {"subscriptionGroupIdentifiers": [group]}, of(MONTHLY)),
            ("an unknown group", {"subscriptionGroupIdentifiers": ["1"]}, []),
            ("purchased", {"inAppOwnershipType": InAppOwnershipType.PURCHASED}, all_of[version]),
            ("shared", {"inAppOwnershipType": InAppOwnershipType.FAMILY_SHARED}, []),
            ("since", {"startDate": moment},
             [n for n in all_of[version] if milliseconds(known[n]["transactionDate"]) >= moment]),
            ("until, which is not included", {"endDate": moment},
             [n for n in all_of[version] if milliseconds(known[n]["transactionDate"]) < moment]),
            ("until after it", {"endDate": moment + 1},
             [n for n in all_of[version] if milliseconds(known[n]["transactionDate"]) <= moment]),
            ("of both, descending", {"productIds": [MONTHLY], "endDate": moment, "sort": Order.DESCENDING},
             of(MONTHLY)[::-1]),
        ]:
            expect(f"{version.value}: {what}", history(api, lasting, version, **query), expected)
    expect("v2: not revoked", history(api, lasting, revoked=False), everything)
    expect("v2: revoked", history(api, lasting, revoked=True), [])

    section("subscription statuses")

    def subscription(what, filters=None, since=trial):
        answer = api.get_all_subscription_statuses(first["transactionIdentifier"], filters)
        expect(f"{what}: app", (answer.bundleId, answer.appAppleId, answer.environment),
               (APP, None, Environment.SANDBOX))
        if not answer.data:
            return None
        expect(f"{what}: groups", [item.subscriptionGroupIdentifier for item in answer.data], [group])
        expect(f"{what}: subscriptions", len(answer.data[0].lastTransactions), 1)
        item = answer.data[0].lastTransactions[0]
        expect(f"{what}: original", item.originalTransactionId, lasting)
        last = decoded("transaction", f"{what}: transaction", item.signedTransactionInfo)
        renewal = decoded("renewal", f"{what}: renewal", item.signedRenewalInfo)
        app = next(item for item in call("GET", "/v1/subscriptions", alice)["subscriptions"])
        compare(f"{what}: transaction", last, bought_by(alice)[app["transactionIdentifier"]], alices)
        for name, value in {
            "originalTransactionId": lasting, "productId": app["productIdentifier"],
            "autoRenewProductId": app["autoRenewProductIdentifier"], "environment": Environment.SANDBOX,
            "autoRenewStatus": AutoRenewStatus.ON if app["willAutoRenew"] else AutoRenewStatus.OFF,
            "signedDate": clock(), "recentSubscriptionStartDate": milliseconds(since["transactionDate"]),
            "appTransactionId": alices, "gracePeriodExpiresDate": None, "offerType": None, "priceIncreaseStatus": None,
        }.items():
            expect(f"{what}: renewal, {name}", getattr(renewal, name), value)
        return item.status, last, renewal

    status, last, renewal = subscription("active")
    expect("active", status, Status.ACTIVE)
    expect("active: the latest renewal", last.transactionId, of(MONTHLY)[-1])
    expect("active: renewal", (renewal.renewalDate, renewal.renewalPrice, renewal.currency, renewal.expirationIntent),
           (last.expiresDate, 9990, "USD", None))
    expect("active: no retry", renewal.isInBillingRetryPeriod, None)
    expect("only active ones", subscription("filter", [Status.ACTIVE]) is not None, True)
    expect("expired or revoked ones", subscription("filter", [Status.EXPIRED, Status.REVOKED]), None)
    expect("among several", subscription("filter", [Status.EXPIRED, Status.ACTIVE]) is not None, True)

    call("PUT", f"/v1/subscriptions/{lasting}", alice, {"autoRenewProductIdentifier": YEARLY})
    _, _, renewal = subscription("with a change to come")
    expect("another product to come", (renewal.productId, renewal.autoRenewProductId, renewal.renewalPrice),
           (MONTHLY, YEARLY, 79990))
    call("PUT", f"/v1/subscriptions/{lasting}", alice, {"autoRenewProductIdentifier": MONTHLY})

    call("POST", f"/admin/v1/transactions/{trial['id']}/failNextRenewal", ADMIN)
    advance("decline", next=1)
    status, last, renewal = subscription("declined")
    expect("declined", (status, renewal.isInBillingRetryPeriod, renewal.expirationIntent),
           (Status.BILLING_RETRY, True, ExpirationIntent.BILLING_ERROR))
    expect("only those in billing retry", subscription("filter", [Status.BILLING_RETRY]) is not None, True)
    advance("recovery", by="2d")
    status, last, renewal = subscription("recovered")
    expect("recovered", (status, renewal.isInBillingRetryPeriod, renewal.expirationIntent), (Status.ACTIVE, None, None))
    expect("recovered: a new renewal", last.transactionReason, TransactionReason.RENEWAL)

    extended = bought_by(alice)[last.transactionId]
    call("POST", f"/admin/v1/transactions/{extended['id']}/extend", ADMIN, {"days": 3})
    _, longer, renewal = subscription("extended")
    expect("extended by three days", longer.expiresDate - last.expiresDate, 3 * DAY)
    expect("extended: it renews then", renewal.renewalDate, longer.expiresDate)
    expect("extended: the transaction has changed last", history(api, lasting)[-1], last.transactionId)

    section("refunds")
    known = bought_by(alice)
    everything = list(known)
    revision = pages(api, lasting, TransactionHistoryRequest())[-1].revision
    advance("refunds", by="1d")
    now = clock()
    call("POST", f"/admin/v1/transactions/{beaches['id']}/refund", ADMIN, {"reason": "appIssue"})
    for item in spots[2:]:
        call("POST", f"/admin/v1/transactions/{item['id']}/refund", ADMIN)
    refunds = [item["transactionIdentifier"] for item in [beaches] + spots[2:]]
    rest = [identifier for identifier in everything if identifier not in refunds]
    expect("what was refunded comes last", history(api, lasting), rest + refunds)
    expect("refunded ones", history(api, lasting, revoked=True), refunds)
    expect("the others", history(api, lasting, revoked=False), rest)
    expect("refunded consumables", history(api, lasting, revoked=True, productIds=[SPOTS]), refunds[1:])
    page = api.get_transaction_history(lasting, revision, TransactionHistoryRequest(), V2)
    expect("behind the revision of before, a page of refunds", (identifiers(page.signedTransactions), page.hasMore),
           (refunds[:20], True))
    found, revision = [], None
    while True:
        page = api.get_refund_history(lasting, revision)
        found.append(page)
        revision = page.revision
        if not page.hasMore:
            break
    expect("refund history: pages", [(len(page.signedTransactions), page.hasMore) for page in found],
           [(20, True), (2, False)])
    expect("refund history", [name for page in found for name in identifiers(page.signedTransactions)], refunds)
    expect("behind its end", api.get_refund_history(lasting, revision).signedTransactions, [])
    for page in found:
        for signed in page.signedTransactions:
            answer = decoded("transaction", "a refunded one", signed)
            what = f"refunded {answer.transactionId}"
            compare(what, answer, {**known[answer.transactionId], "revocationDate": iso(now)}, alices)
            reason = RevocationReason.REFUNDED_FOR_OTHER_REASON
            if answer.transactionId == beaches["transactionIdentifier"]:
                reason = RevocationReason.REFUNDED_DUE_TO_ISSUE
            expect(f"{what}, reason", answer.revocationReason, reason)
    expect("bob has none", api.get_refund_history(bobs, None).signedTransactions, [])

    section("orders")
    listed = call("GET", f"/admin/v1/transactions?bundleId={APP}&account=alice&limit=100", ADMIN)
    orders = {
        item["transactionIdentifier"]: record["orderId"]
        for item, record in zip(listed["transactions"], listed["records"])
    }
    expect("an order each", (len(set(orders.values())), set(orders)), (len(known), set(known)))
    for identifier, order in orders.items():
        found = api.look_up_order_id(order)
        expect(f"order {order}", (found.status, len(found.signedTransactions)), (OrderLookupStatus.VALID, 1))
        answer = decoded("transaction", f"order {order}", found.signedTransactions[0])
        expect(f"order {order}, transaction", answer.transactionId, identifier)
    for order in ("M1", "W002182", "M" + "9" * 13, "nothing", orders[lasting].lower(), orders[lasting] + "0"):
        found = api.look_up_order_id(order)
        expect(f"no order {order}", (found.status, found.signedTransactions), (OrderLookupStatus.INVALID, None))
    found = other_api.look_up_order_id(orders[lasting])
    expect("another app's order", (found.status, found.signedTransactions), (OrderLookupStatus.INVALID, None))

    section("from a receipt to the history, as Apple describes it")
    receipt = call("GET", "/v1/receipt", alice)["receiptData"]
    identifier = ReceiptUtility().extract_transaction_id_from_app_receipt(receipt)
    expect("its transaction leads to all of them", history(api, identifier), rest + refunds)

    section("a restored transaction leads to its customer")
    number = call("POST", "/v1/restore", alice, {}, key="restore")["restoreIdentifier"]
    while call("GET", f"/v1/restores/{number}", alice)["state"] == "running":
        time.sleep(0.1)
    unfinished = call("GET", "/v1/transactions", alice)["transactions"]
    restored = [item for item in unfinished if item["transactionState"] == "restored"]
    expect("there are restored ones", bool(restored), True)
    item = restored[0]
    answer = decoded(
        "transaction", "restored", api.get_transaction_info(item["transactionIdentifier"]).signedTransactionInfo)
    expect("restored: identifiers", (answer.transactionId, answer.originalTransactionId),
           (item["transactionIdentifier"], item["originalTransactionIdentifier"]))
    expect("restored: the customer's history", history(api, item["transactionIdentifier"]), rest + refunds)

    section("cancelled, expired, and subscribed again")
    call("PUT", f"/v1/subscriptions/{lasting}", alice, {"willAutoRenew": False})
    status, last, renewal = subscription("cancelled")
    expect("cancelled", (status, renewal.autoRenewStatus, renewal.renewalDate),
           (Status.ACTIVE, AutoRenewStatus.OFF, last.expiresDate))
    advance("expiry", by="2mo")
    status, last, renewal = subscription("expired")
    expect("expired: the end of its last period", renewal.renewalDate, last.expiresDate)
    expect("expired", (status, renewal.expirationIntent, renewal.isInBillingRetryPeriod),
           (Status.EXPIRED, ExpirationIntent.CUSTOMER_CANCELLED, False))
    expect("only active ones", subscription("filter", [Status.ACTIVE]), None)
    advance("gap", by="6mo")
    second = buy(alice, MONTHLY, "monthly-again")
    status, last, renewal = subscription("subscribed again", since=second)
    expect("subscribed again", (status, last.transactionId, last.originalTransactionId, renewal.autoRenewStatus),
           (Status.ACTIVE, second["transactionIdentifier"], lasting, AutoRenewStatus.ON))
    expect("no second trial", (last.offerType, last.price), (None, 9990))

    section("an upgrade in an app whose products have levels, and a revocation")
    call("PUT", f"/admin/v1/apps/{OTHER}/catalog", ADMIN, raw(f"/admin/v1/apps/{SAMPLE}/catalog"))
    call("PUT", f"/admin/v1/apps/{OTHER}/clock", ADMIN, {"frozen": True})
    carol = session("carol", OTHER)
    lower, upper = buy(carol, MONTHLY, "lower"), buy(carol, YEARLY, "upper")
    original = lower["transactionIdentifier"]
    page = other_api.get_transaction_history(original, None, TransactionHistoryRequest(), V2)
    expect("the other app's history", page.bundleId, OTHER)
    bought = bought_by(carol)
    found = {}
    for signed in page.signedTransactions:
        answer = decoded("transaction", "of the other app", signed, app=OTHER)
        found[answer.transactionId] = answer
    expect("both are there", set(found), {original, upper["transactionIdentifier"]})
    expect("the lower one is upgraded", (found[original].isUpgraded, found[original].transactionReason),
           (True, TransactionReason.PURCHASE))
    compare("the upper one", found[upper["transactionIdentifier"]], bought[upper["transactionIdentifier"]], app=OTHER)
    expect("an upgrade is no refund", other_api.get_refund_history(original, None).signedTransactions, [])
    call("POST", f"/admin/v1/transactions/{upper['id']}/revoke", ADMIN)
    item = other_api.get_all_subscription_statuses(original).data[0].lastTransactions[0]
    expect("revoked", (item.status, item.originalTransactionId), (Status.REVOKED, original))
    answer = decoded("transaction", "revoked", item.signedTransactionInfo, app=OTHER)
    expect("revoked: at once", (answer.transactionId, answer.revocationDate),
           (upper["transactionIdentifier"], clock(OTHER)))
    renewal = decoded("renewal", "revoked", item.signedRenewalInfo, app=OTHER)
    expect("revoked: it does not renew", (renewal.renewalDate, renewal.autoRenewStatus),
           (answer.expiresDate, AutoRenewStatus.OFF))
    expect("a revocation is no refund", other_api.get_refund_history(original, None).signedTransactions, [])
    page = other_api.get_transaction_history(original, None, TransactionHistoryRequest(revoked=True), V2)
    expect("but it is revoked",
           [decoded("transaction", "revoked", one, app=OTHER).transactionId for one in page.signedTransactions],
           [upper["transactionIdentifier"]])

    section("what is refused")
    unknown = "2999999999999999"
    asks = {
        "info": api.get_transaction_info,
        "history v1": lambda name: api.get_transaction_history(name, None, TransactionHistoryRequest(), V1),
        "history v2": lambda name: api.get_transaction_history(name, None, TransactionHistoryRequest(), V2),
        "statuses": api.get_all_subscription_statuses,
        "refunds": lambda name: api.get_refund_history(name, None),
        "app transaction": api.get_app_transaction_info,
    }
    for what, ask in asks.items():
        for identifier in (unknown, "7999999999999999999", "1", "0", "9223372036854775807"):
            refused(f"{what} of unknown {identifier}", 404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: ask(identifier))
        for identifier in ("abc", "-1", "12a", "1" * 20, "1.0", "%20", "%31%00", "%F0%9F%98%80"):
            refused(f"{what} of {identifier}", 400, APIError.INVALID_TRANSACTION_ID, lambda: ask(identifier))
    refused("info of an app transaction", 400, APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR,
            lambda: api.get_transaction_info(alices))
    refused("another app's transaction", 404, APIError.TRANSACTION_ID_NOT_FOUND,
            lambda: other_api.get_transaction_info(lasting))
    refused("another app's customer", 404, APIError.TRANSACTION_ID_NOT_FOUND,
            lambda: other_api.get_app_transaction_info(alices))

    def ask(revision=None, version=V2, transaction=lasting, **query):
        return api.get_transaction_history(transaction, revision, TransactionHistoryRequest(**query), version)

    revision = ask().revision
    expect("another transaction of the customer's goes on", ask(revision, transaction=alices).revision,
           ask(revision).revision)
    for what, query in {
        "of nothing": {"revision": "nonsense"}, "that is empty": {"revision": ""},
        "that was changed": {"revision": revision[:-1] + ("0" if revision[-1] != "0" else "1")},
        "of another query": {"revision": revision, "sort": Order.DESCENDING},
        "of another version": {"revision": revision, "version": V1},
        "of another customer": {"revision": revision, "transaction": bobs},
    }.items():
        refused(f"a revision {what}", 400, APIError.INVALID_REQUEST_REVISION, lambda: ask(**query))
    refused("refunds by a history's revision", 400, APIError.INVALID_REQUEST_REVISION,
            lambda: api.get_refund_history(lasting, revision))
    refused("dates the wrong way round", 400, APIError.START_DATE_AFTER_END_DATE, lambda: ask(startDate=2, endDate=1))
    refused("dates that are one", 400, APIError.START_DATE_AFTER_END_DATE, lambda: ask(startDate=2, endDate=2))
    refused("a start that is none", 400, APIError.INVALID_START_DATE, lambda: ask(startDate="soon"))
    refused("an end that is none", 400, APIError.INVALID_END_DATE, lambda: ask(endDate=-1))
    refused("a product without a name", 400, APIError.INVALID_PRODUCT_ID, lambda: ask(productIds=[""]))
    refused("a group without a name", 400, APIError.INVALID_SUBSCRIPTION_GROUP_IDENTIFIER,
            lambda: ask(subscriptionGroupIdentifiers=[""]))
    value = collections.namedtuple("Value", "value")
    refused("a type that is none", 400, APIError.INVALID_PRODUCT_TYPE, lambda: ask(productTypes=[value("BOOK")]))
    refused("an order that is none", 400, APIError.INVALID_SORT, lambda: ask(sort=value("UP")))
    refused("an ownership that is none", 400, APIError.INVALID_IN_APP_OWNERSHIP_TYPE,
            lambda: ask(inAppOwnershipType=value("STOLEN")))
    refused("revoked, perhaps", 400, APIError.INVALID_REVOKED, lambda: ask(revoked="perhaps"))
    for number in (0, 6):
        refused(f"status {number}", 400, APIError.INVALID_STATUS,
                lambda: api.get_all_subscription_statuses(lasting, [value(number)]))

    section("whose key it is")
    pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    for what, stranger in {
        "another private key": client(key, secret=pem),
        "another app's private key": client(key, secret=other_key["secret"]),
        "an unknown key identifier": client(key, keyIdentifier="AAAAAAAAAA"),
        "another issuer": client(key, issuerId="57246542-96fe-1a63-e053-0824d011072a"),
        "another app in bid": client(key, OTHER),
    }.items():
        refused(what, 401, None, lambda: stranger.get_transaction_info(lasting))
        refused(f"{what}, for what is not there", 401, None, lambda: stranger.get_transaction_info(unknown))
        refused(f"{what}, for what is no identifier", 401, None, lambda: stranger.get_transaction_info("abc"))
    answer = requests.get(f"{URL}/inApps/v1/transactions/{lasting}", timeout=30)
    expect("without a token", (answer.status_code, answer.headers["Content-Type"], answer.text.strip()),
           (401, "text/plain", "Unauthenticated"))
    call("DELETE", f"/admin/v1/apps/{OTHER}/keys/{other_key['keyIdentifier']}", ADMIN)
    refused("a deleted key", 401, None, lambda: other_api.get_transaction_info(lasting))
    headers = {**api._get_headers(), "Host": "api.storekit.apple.com"}
    answer = requests.get(f"{URL}/inApps/v1/transactions/{lasting}", headers=headers, timeout=30)
    expect("production's host knows no app of the sandbox", (answer.status_code, answer.json()["errorCode"]),
           (404, 4040010))
    headers["Host"] = "api.storekit-sandbox.apple.com"
    answer = requests.get(f"{URL}/inApps/v1/transactions/{lasting}", headers=headers, timeout=30)
    expect("the sandbox's host does", answer.status_code, 200)

    section("not to be believed")
    signed = api.get_transaction_info(lasting).signedTransactionInfo
    header, payload, signature = signed.split(".")
    transaction = SignedDataVerifier.verify_and_decode_signed_transaction
    changed = base64.urlsafe_b64encode(
        base64.urlsafe_b64decode(payload + "==").replace(b'"quantity":1', b'"quantity":9')).decode().rstrip("=")
    expect("the payload was changed", changed == payload, False)
    flipped = ("B" if signature[10] != "B" else "C").join([signature[:10], signature[11:]])
    for online in (False, True):
        for what, text, options, expected in [
            ("as it is", signed, {}, VerificationStatus.OK),
            ("a changed payload", f"{header}.{changed}.{signature}", {}, VerificationStatus.VERIFICATION_FAILURE),
            ("a changed signature", f"{header}.{payload}.{flipped}", {}, VerificationStatus.VERIFICATION_FAILURE),
            ("another root", signed, {"root": other_root()}, VerificationStatus.VERIFICATION_FAILURE),
            ("another app's", signed, {"app": OTHER}, VerificationStatus.INVALID_APP_IDENTIFIER),
            ("another environment's", signed, {"environment": Environment.PRODUCTION, "number": 1},
             VerificationStatus.INVALID_ENVIRONMENT),
        ]:
            made = verifier(online, **options)
            expect(f"{what}, {'online' if online else 'offline'}",
                   status_of(lambda signed: transaction(made, signed), text), expected)

    section("the OCSP responder, by POST and by GET")
    chain = [load_der_x509_certificate(base64.b64decode(text))
             for text in json.loads(base64.urlsafe_b64decode(header + "=="))["x5c"]]
    expect("the chain ends in the root", chain[2].public_bytes(serialization.Encoding.DER), ROOT)
    for certificate, issuer in zip(chain, chain[1:]):
        for algorithm in (hashes.SHA1(), hashes.SHA256()):
            request = ocsp.OCSPRequestBuilder().add_certificate(certificate, issuer, algorithm).build()
            request = request.public_bytes(serialization.Encoding.DER)
            kind = {"Content-Type": "application/ocsp-request"}
            posted = requests.post(f"{URL}/ocsp", data=request, headers=kind, timeout=30)
            path = urllib.parse.quote(base64.b64encode(request).decode(), safe="")
            got = requests.get(f"{URL}/ocsp/{path}", timeout=30)
            for what, answer in {"POST": posted, "GET": got}.items():
                expect(f"{what}, type", answer.headers["Content-Type"], "application/ocsp-response")
                response = ocsp.load_der_ocsp_response(answer.content)
                expect(f"{what}, status", (response.response_status, response.certificate_status),
                       (ocsp.OCSPResponseStatus.SUCCESSFUL, ocsp.OCSPCertStatus.GOOD))
                expect(f"{what}, certificate", response.serial_number, certificate.serial_number)
                now = datetime.now(timezone.utc)
                expect(f"{what}, in time", response.this_update_utc <= now < response.next_update_utc, True)
                responder = response.certificates[0]
                responder.public_key().verify(
                    response.signature, response.tbs_response_bytes, ec.ECDSA(response.signature_hash_algorithm))
                responder.verify_directly_issued_by(issuer)
    answer = requests.post(f"{URL}/ocsp", data=b"nothing", headers=kind, timeout=30)
    expect("garbage", ocsp.load_der_ocsp_response(answer.content).response_status,
           ocsp.OCSPResponseStatus.MALFORMED_REQUEST)
    request = ocsp.OCSPRequestBuilder().add_certificate(chain[0], chain[0], hashes.SHA256()).build()
    request = request.public_bytes(serialization.Encoding.DER)
    answer = requests.post(f"{URL}/ocsp", data=request, headers=kind, timeout=30)
    stranger = ocsp.OCSPRequestBuilder().add_certificate_by_hash(
        *issuer_hashes(chain[1]), chain[0].serial_number + 1, hashes.SHA256()).build()
    never = requests.post(
        f"{URL}/ocsp", data=stranger.public_bytes(serialization.Encoding.DER), headers=kind, timeout=30)
    expect("a serial number that was never given", ocsp.load_der_ocsp_response(never.content).certificate_status,
           ocsp.OCSPCertStatus.UNKNOWN)
    expect("another issuer", ocsp.load_der_ocsp_response(answer.content).response_status,
           ocsp.OCSPResponseStatus.UNAUTHORIZED)

    section("broken on purpose: each is refused with the status of its fault")
    # Offline and online, as the library numbers them; Apple's other libraries have the same numbers.
    failure, retry = VerificationStatus.VERIFICATION_FAILURE, VerificationStatus.RETRYABLE_VERIFICATION_FAILURE
    faults = {
        name: (failure, failure)
        for name in "signature tampered root leafOID intermediateOID expired notYetValid noX5C algorithm".split()
    }
    faults |= {name: (VerificationStatus.INVALID_CHAIN_LENGTH,) * 2 for name in ("chainOfTwo", "chainOfFour")}
    faults |= {
        "corruptCertificate": (VerificationStatus.INVALID_CERTIFICATE,) * 2,
        "revoked": (VerificationStatus.OK, failure),
        "bundle": (VerificationStatus.INVALID_APP_IDENTIFIER,) * 2,
        "environment": (VerificationStatus.INVALID_ENVIRONMENT,) * 2,
    }
    kinds = {"transaction": "transaction", "renewal": "renewalInfo", "app transaction": "appTransaction"}
    issue = f"/admin/v1/apps/{APP}/signing/issue"
    for kind, name in kinds.items():
        signed = call("POST", issue, ADMIN, {"kind": name, "of": lasting, "set": {"new": {"member": [1]}}})["jws"]
        decoded(kind, f"{kind} with a member the library does not know", signed)
        for fault, statuses in faults.items():
            if kind == "renewal" and fault == "bundle":
                continue
            signed = call("POST", issue, ADMIN, {"kind": name, "of": lasting, "break": fault})["jws"]
            for online, status in zip((False, True), statuses):
                found = status_of(lambda text: KINDS[kind](verifier(online), text), signed)
                expect(f"{kind}, {fault}, {'online' if online else 'offline'}", found, status)

    section("the OCSP responder's answers")
    signed = api.get_transaction_info(lasting).signedTransactionInfo
    modes = {"good": VerificationStatus.OK, "unavailable": retry}
    modes |= {name: failure for name in ("revoked", "unknown", "stale", "wrongSigner", "malformed")}
    for mode, status in modes.items():
        call("PUT", "/admin/v1/signing/ocsp", ADMIN, {"mode": mode})
        found = status_of(verifier(True).verify_and_decode_signed_transaction, signed)
        expect(f"online while the responder is {mode}", found, status)
        expect(f"offline while the responder is {mode}",
               status_of(offline.verify_and_decode_signed_transaction, signed), VerificationStatus.OK)
    call("PUT", "/admin/v1/signing/ocsp", ADMIN, {"mode": "good"})

    section("certificates replaced: what was signed before stays good")
    for authority in ("leaf", "intermediate", "leaf"):
        before = call("GET", "/admin/v1/signing", ADMIN)["chain"]
        after = call("POST", "/admin/v1/signing/rotate", ADMIN, {"authority": authority})["chain"]
        expect(f"{authority}: what changed", [old == new for old, new in zip(before, after)],
               [False, authority == "leaf", True])
        new = api.get_transaction_info(lasting).signedTransactionInfo
        decoded("transaction", f"signed after the {authority} was replaced", new)
        decoded("transaction", f"signed before the {authority} was replaced", signed)
        signed = new

    section("the other environments")
    settings = f"/admin/v1/apps/{APP}/server-api"
    call("PUT", settings, ADMIN, {"environment": "Production", "appAppleId": 1234567890})
    production = client(key, environment=Environment.PRODUCTION)
    page = production.get_transaction_history(lasting, None, TransactionHistoryRequest(), V2)
    expect("production: app", (page.environment, page.appAppleId), (Environment.PRODUCTION, 1234567890))
    for kind, signed in {
        "transaction": page.signedTransactions[0],
        "app transaction": production.get_app_transaction_info(lasting).signedAppTransactionInfo,
        "renewal": production.get_all_subscription_statuses(lasting).data[0].lastTransactions[0].signedRenewalInfo,
    }.items():
        decoded(kind, f"production: {kind}", signed, Environment.PRODUCTION, 1234567890)
        found = status_of(lambda text: KINDS[kind](offline, text), signed)
        expect(f"production: {kind}, not of the sandbox", found, VerificationStatus.INVALID_ENVIRONMENT)
    signed = production.get_app_transaction_info(lasting).signedAppTransactionInfo
    answer = decoded("app transaction", "production", signed, Environment.PRODUCTION, 1234567890)
    expect("production: the app's number is there", answer.appAppleId, 1234567890)
    call("PUT", settings, ADMIN, {"environment": "LocalTesting"})
    local = client(key, environment=Environment.LOCAL_TESTING)
    signed = local.get_transaction_info(lasting).signedTransactionInfo
    made = verifier(False, Environment.LOCAL_TESTING)
    expect("local testing", made.verify_and_decode_signed_transaction(signed).environment, Environment.LOCAL_TESTING)
    call("PUT", settings, ADMIN, {"environment": "Xcode"})
    refused("Xcode has no server", 404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: api.get_transaction_info(lasting))
    signed = call("GET", f"/v1/transactions/{trial['id']}/jws", alice)["signedTransactionInfo"]
    header = json.loads(base64.urlsafe_b64decode(signed.split(".")[0] + "=="))
    expect("Xcode's header", (header["kid"], len(header["x5c"])), ("Apple_Xcode_Key", 1))
    made = verifier(False, Environment.XCODE)
    expect("Xcode", made.verify_and_decode_signed_transaction(signed).environment, Environment.XCODE)
    call("PUT", settings, ADMIN, {"environment": "Sandbox"})
    answer = decoded("transaction", "back in the sandbox", api.get_transaction_info(lasting).signedTransactionInfo)
    compare("back in the sandbox", answer, known[lasting], alices)


def issuer_hashes(issuer):
    """SHA-256 of an issuer's name and key, as OCSP has them."""
    found = []
    key = issuer.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    for part in (issuer.subject.public_bytes(), key):
        digest = hashes.Hash(hashes.SHA256())
        digest.update(part)
        found.append(digest.finalize())
    return found


def load_pem(text):
    """DER of a certificate in PEM."""
    return base64.b64decode(b"".join(text.strip().split(b"\n")[1:-1]))


def iso(instant):
    return datetime.fromtimestamp(instant / 1000, timezone.utc).isoformat()


def other_root():
    """A root of the store's name with another key."""
    from cryptography import x509

    own = load_der_x509_certificate(ROOT)
    private = ec.generate_private_key(ec.SECP256R1())
    builder = x509.CertificateBuilder(own.issuer, own.subject, private.public_key(), 1)
    builder = builder.not_valid_before(datetime(2000, 1, 1)).not_valid_after(datetime(2199, 1, 1))
    builder = builder.add_extension(x509.BasicConstraints(True, None), True)
    return builder.sign(private, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


try:
    main()
    notifications.main()
    offers.main()
    writes.main()
    apple.main()
    doors.main()
    hosts.main()
    shapes.main()
    verifiers.main()
    with open("payloads.json", "w") as file:
        json.dump(payloads, file)
except APIException as error:
    found = f"HTTP {error.http_status_code}, {error.raw_api_error} {error.error_message}"
    store.wrong.append(f"after check {store.checks}: {found}")
except urllib.error.HTTPError as error:
    found = f"{error.url}: {error.code} {error.read().decode(errors='replace')}"
    store.wrong.append(f"after check {store.checks}: {found}")
finish()
