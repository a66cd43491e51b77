"""What Apple's pages say word by word, asked for by Apple's library and by requests as other libraries write them."""

import requests
from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest

from notifications import Receiver, name, offline_notification, settled
from store import (
    ADMIN, BEACHES, MONTHLY, SAMPLE, SPOTS, URL, advance, buy, call, client, clock, decoded, expect, raw, refused, section,
    session,
)

APP, RETRIED = "com.example.pages", "com.example.pages.retried"
UPPER = "7A0C6B0E-1111-4222-8333-44445555666F"
DAY = 86_400_000
# Numbers and sentences of Apple's pages.
SENTENCES = {
    4000008: "Invalid original transaction id.",
    4000012: "Invalid request. The start date is earlier than the allowed start date.",
    4000015: "Invalid request. The start date is not a timestamp value represented in milliseconds.",
    4000021: "Invalid request. The sort parameter is invalid.",
    4000023: "Invalid request. The product id parameter is invalid.",
    4000026: "Invalid request. The in-app ownership type parameter is invalid.",
    4000030: "Invalid request. The revoked parameter is invalid.",
    4000031: "Invalid request. The status parameter is invalid.",
}


def main():
    section("Apple's pages, word by word")
    for app in (APP, RETRIED):
        call("PUT", f"/admin/v1/apps/{app}/catalog", ADMIN, raw(f"/admin/v1/apps/{SAMPLE}/catalog"))
        call("PUT", f"/admin/v1/apps/{app}/clock", ADMIN, {"frozen": True})
    api = client(call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"}), APP)
    receiver = Receiver()
    call("PUT", f"/admin/v1/apps/{APP}/notifications/endpoint", ADMIN, {"url": receiver.url})

    def ask(method, path, body=None):
        answer = requests.request(method, f"{URL}/inApps/{path}", json=body, headers=api._get_headers(), timeout=30)
        return answer.status_code, answer.json() if answer.content else None

    original = renewals(api, receiver)
    tokens(api, receiver)
    refunds(api, ask)
    sentences(ask, original)
    extensions(api, ask, receiver, original)
    retries()
    call("DELETE", f"/admin/v1/apps/{APP}/notifications/endpoint", ADMIN)


def renewals(api, receiver):
    """`renewalDate` of a subscription in each of its states, in statuses and in notifications."""
    alice = session("alice", APP)
    bought = buy(alice, MONTHLY, "p-monthly")
    original = bought["transactionIdentifier"]
    advance("p-paid", APP, by="8d")

    def shown(what):
        item = api.get_all_subscription_statuses(original).data[0].lastTransactions[0]
        transaction = decoded("transaction", what, item.signedTransactionInfo, app=APP)
        renewal = decoded("renewal", what, item.signedRenewalInfo, app=APP)
        expect(f"{what}: renewalDate", renewal.renewalDate, transaction.expiresDate)

    shown("active")
    call("PUT", f"/v1/subscriptions/{original}", alice, {"willAutoRenew": False})
    shown("cancelled")
    advance("p-expiry", APP, by="2mo")
    shown("expired")
    again = buy(alice, MONTHLY, "p-again")
    shown("subscribed again")
    call("POST", f"/admin/v1/transactions/{again['id']}/refund", ADMIN)
    shown("refunded")
    third = buy(alice, MONTHLY, "p-third")
    call("POST", f"/admin/v1/transactions/{third['id']}/revoke", ADMIN)
    shown("revoked")
    settled(APP)
    told = [offline_notification(payload, APP) for payload, _ in receiver.received]
    expect("all of them were told", len(told) >= 7, True)
    for one in told:
        renewal = decoded("renewal", name(one), one.data.signedRenewalInfo, app=APP)
        transaction = decoded("transaction", name(one), one.data.signedTransactionInfo, app=APP)
        expect(f"{name(one)}: renewalDate", renewal.renewalDate, transaction.expiresDate)
    return original


def tokens(api, receiver):
    """A token in lower case, from a purchase's own member and from a user name."""
    for account, more, expected in (
        ("bob", {"appAccountToken": UPPER}, UPPER.lower()), ("carol", {"applicationUsername": UPPER}, UPPER.lower()),
        ("dora", {"applicationUsername": "dora"}, None),
    ):
        seen = len(receiver.received)
        token = session(account, APP)
        bought = buy(token, MONTHLY, f"p-{account}", **more)
        identifier = bought["transactionIdentifier"]
        advance(f"p-{account}", APP, by="8d")
        settled(APP)
        expect(f"{account}: the user name is as the app sent it", bought["payment"].get("applicationUsername"),
               more.get("applicationUsername"))
        info = decoded("transaction", account, api.get_transaction_info(identifier).signedTransactionInfo, app=APP)
        expect(f"{account}: transaction info", info.appAccountToken, expected)
        item = api.get_all_subscription_statuses(identifier).data[0].lastTransactions[0]
        for kind, signed in (("transaction", item.signedTransactionInfo), ("renewal", item.signedRenewalInfo)):
            expect(f"{account}: {kind} of the status", decoded(kind, account, signed, app=APP).appAccountToken, expected)
        told = [offline_notification(payload, APP) for payload, _ in receiver.received[seen:]]
        expect(f"{account}: what was told", [name(one) for one in told], ["SUBSCRIBED.INITIAL_BUY", "DID_RENEW"])
        for one in told:
            payload = decoded("transaction", name(one), one.data.signedTransactionInfo, app=APP)
            expect(f"{account}: {name(one)}", payload.appAccountToken, expected)


def refunds(api, ask):
    """Refunds in their order, without what was revoked, by both versions."""
    erin = session("erin", APP)
    bought = [buy(erin, SPOTS, f"p-spots-{number}") for number in range(4)]
    names = [item["transactionIdentifier"] for item in bought]
    for place in (2, 0):
        advance(f"p-refund-{place}", APP, by="1d")
        call("POST", f"/admin/v1/transactions/{bought[place]['id']}/refund", ADMIN)
    call("POST", f"/admin/v1/transactions/{bought[1]['id']}/revoke", ADMIN)
    found = lambda signed: [
        decoded("transaction", "refunded", text, app=APP).transactionId for text in signed]
    expect("version 2", found(api.get_refund_history(names[0], None).signedTransactions), [names[2], names[0]])
    status, answer = ask("GET", f"v1/refund/lookup/{names[3]}")
    expect("version 1", (status, sorted(answer), found(answer["signedTransactions"])),
           (200, ["signedTransactions"], [names[2], names[0]]))
    for identifier, code in (("abc", 4000008), ("2999999999999999", 4040005)):
        status, answer = ask("GET", f"v1/refund/lookup/{identifier}")
        expect(f"version 1 of {identifier}", (status, answer["errorCode"]), (code // 10000, code))


def sentences(ask, original):
    """Errors with the sentence of their page."""
    history = f"v2/history/{original}"
    body = {"extendByDays": 1, "extendReasonCode": 1, "requestIdentifier": "p", "productId": "none"}
    asked = {
        4000008: ("PUT", "v1/subscriptions/extend/abc", body),
        4000012: ("POST", "v1/notifications/history", {"startDate": clock(APP) - 181 * DAY, "endDate": clock(APP)}),
        4000015: ("GET", f"{history}?startDate=x", None),
        4000021: ("GET", f"{history}?sort=UP", None),
        4000023: ("POST", "v1/subscriptions/extend/mass", body),
        4000026: ("GET", f"{history}?inAppOwnershipType=MINE", None),
        4000030: ("GET", f"{history}?revoked=1", None),
        4000031: ("GET", f"v1/subscriptions/{original}?status=9", None),
    }
    for code, (method, path, sent) in asked.items():
        status, answer = ask(method, path, sent)
        expect(f"{code}", (status, answer), (400, {"errorCode": code, "errorMessage": SENTENCES[code]}))


def extensions(api, ask, receiver, original):
    """An extension of all subscriptions, by the path of libraries before Apple's 1.0: its summary is the last."""
    for number in range(6):
        buy(session(f"p-many-{number}", APP), MONTHLY, f"p-many-{number}")
    advance("p-many", APP, by="8d")
    settled(APP)
    seen = len(receiver.received)
    body = {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": "p-mass", "productId": MONTHLY}
    status, answer = ask("POST", "v1/subscriptions/extend/mass/", body)
    expect("with a slash at its end", (status, answer), (200, {"requestIdentifier": "p-mass"}))
    settled(APP)
    told = [offline_notification(payload, APP) for payload, _ in receiver.received[seen:]]
    expect("the summary is the last", name(told[-1]), "RENEWAL_EXTENSION.SUMMARY")
    expect("the others were extended", {name(one) for one in told[:-1]}, {"RENEWAL_EXTENDED"})
    expect("the summary counts them", told[-1].summary.succeededCount, len(told) - 1)
    expect("the summary's date is the last", max(one.signedDate for one in told[:-1]) < told[-1].signedDate, True)
    page = api.get_notification_history(None, NotificationHistoryRequest(
        startDate=clock(APP) - 1, endDate=clock(APP) + 1000))
    listed = [offline_notification(item.signedPayload, APP) for item in page.notificationHistory]
    expect("in the history, too", name(listed[-1]), "RENEWAL_EXTENSION.SUMMARY")
    refused("of a product that is none", 400, APIError.INVALID_ORIGINAL_TRANSACTION_ID,
            lambda: api.extend_subscription_renewal_date("-1", None))


def retries():
    """Apple's schedule in Production, when the endpoint was set before the environment."""
    receiver = Receiver()
    receiver.answer = lambda payload: 500
    endpoint = f"/admin/v1/apps/{RETRIED}/notifications/endpoint"
    call("PUT", endpoint, ADMIN, {"url": receiver.url})
    call("PUT", f"/admin/v1/apps/{RETRIED}/server-api", ADMIN, {"environment": "Production", "appAppleId": 7})
    buy(session("frank", RETRIED), BEACHES, "p-frank")
    settled(RETRIED)
    expect("the first attempt", len(receiver.received), 1)
    for number, minutes in enumerate((61, 12 * 60 + 1, 24 * 60 + 1, 48 * 60 + 1, 72 * 60 + 1), 2):
        advance(f"p-retry-{number}", RETRIED, by=f"{minutes}min")
        settled(RETRIED)
        expect(f"attempt {number}", len(receiver.received), number)
    advance("p-retry-none", RETRIED, by="30d")
    settled(RETRIED)
    expect("there is no seventh", len(receiver.received), 6)
    payloads = {payload for payload, _ in receiver.received}
    expect("the same bytes", len(payloads), 1)
    told = decoded("notification", "in production", payloads.pop(), Environment.PRODUCTION, 7, RETRIED)
    expect("production's number", told.data.appAppleId, 7)
    call("DELETE", endpoint, ADMIN)
