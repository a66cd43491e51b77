"""One history, told through three doors: verifyReceipt, the App Store Server API and its notifications.

Customers do what chance says, with a seed that is printed (`STOREBUS_SEED` repeats one). What the three say of each
transaction and of each subscription has to be the same afterwards. Of notifications the last word about a transaction
counts.
"""

import os
import random
import urllib.error

import attrs
from appstoreserverlibrary.api_client import GetTransactionHistoryVersion
from appstoreserverlibrary.models.ExpirationIntent import ExpirationIntent
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest

from notifications import Receiver, settled
from offers import LITE, MAPS, MONTHLY, PRO, catalogue, changed
from store import ADMIN, advance, call, client, expect, section, session, verifier

STEADY, CHANGING = "com.example.doors", "com.example.doors.prices"
YEARLY, COINS, THEME = "guides.yearly", "guides.coins", "guides.theme"
SUBSCRIPTIONS = [PRO, MONTHLY, MAPS, YEARLY, LITE]
CUSTOMERS, STEPS = 8, 240
# What a notification says as of its own instant.
OF_ITS_TIME = {"signedDate", "isUpgraded"}
# What an imported price changes, of which no server is notified before the subscriber is asked or pays.
OF_PRICES = {"renewalPrice", "priceIncreaseStatus", "rawPriceIncreaseStatus"}
# Notifications leave these out.
LEFT_OUT = {"eligibleWinBackOfferIds"}


def main():
    section("one history through three doors: verifyReceipt, the Server API and notifications")
    seed = int(os.environ.get("STOREBUS_SEED") or random.randrange(2**32))
    print(f"  seed {seed}")
    for app in (STEADY, CHANGING):
        told(app, random.Random(seed), f"seed {seed}, {app}")


def told(app, chance, what):
    made = catalogue()
    made["products"] = [
        {"displayPrice": "0.99", "familyShareable": False, "internalID": "C0115000", "localizations": [],
         "productID": COINS, "referenceName": "coins", "type": "Consumable"},
        {"displayPrice": "4.99", "familyShareable": False, "internalID": "C0115001", "localizations": [],
         "productID": THEME, "referenceName": "theme", "type": "NonConsumable"},
    ]
    call("PUT", f"/admin/v1/apps/{app}/catalog", ADMIN, made)
    call("PUT", f"/admin/v1/apps/{app}/clock", ADMIN, {"frozen": True})
    api = client(call("POST", f"/admin/v1/apps/{app}/keys", ADMIN, {"kind": "inAppPurchase"}), app)
    secret = call("POST", f"/admin/v1/apps/{app}/keys", ADMIN, {"kind": "sharedSecret"})["secret"]
    receiver = Receiver()
    call("PUT", f"/admin/v1/apps/{app}/notifications/endpoint", ADMIN, {"url": receiver.url})
    customers = {f"d{number}": session(f"d{number}", app) for number in range(CUSTOMERS)}
    history = History(app, chance, customers, made)
    for step in range(STEPS):
        history.step(step)
        if step % 30 == 29:
            settled(app)
            last = notified(app, receiver)
            for account, token in customers.items():
                compare(f"{what}, step {step}, {account}", app, api, token, secret, last)
    print(f"  {app}: {history.done} things done, {history.refused} refused; {len(receiver.received)} notifications")
    call("DELETE", f"/admin/v1/apps/{app}/notifications/endpoint", ADMIN)


class History:
    """What customers, operators and time do."""

    def __init__(self, app, chance, customers, catalog):
        self.app, self.chance, self.customers, self.catalog = app, chance, customers, catalog
        self.done = self.refused = 0

    def step(self, number):
        account = self.chance.choice(list(self.customers))
        token = self.customers[account]
        act = self.chance.choices(
            [self.buys, self.subscribes, self.changes, self.renews, self.ends, self.extends, self.fails, self.prices,
             self.passes],
            [3, 6, 3, 3, 3, 1, 2, 1 if self.app == CHANGING else 0, 6])[0]
        try:
            act(account, token, f"d-{number}")
            self.done += 1
        except urllib.error.HTTPError as error:
            # What the moment does not allow is refused, and is no part of any history.
            expect(f"step {number}: {error.read()}", 400 <= error.code < 500, True)
            self.refused += 1

    def buys(self, _, token, key):
        self.pays(token, self.chance.choice([COINS, THEME]), key)

    def subscribes(self, _, token, key):
        self.pays(token, self.chance.choice(SUBSCRIPTIONS), key)

    def pays(self, token, product, key):
        bought = call("POST", "/v1/payments", token, {"productIdentifier": product, "quantity": 1}, key=key)
        if bought["transactionState"] == "purchased" and (product != COINS or self.chance.random() < 0.5):
            call("POST", f"/v1/transactions/{bought['id']}/finish", token)

    def subscription(self, token):
        found = call("GET", "/v1/subscriptions", token)["subscriptions"]
        return found[0]["originalTransactionIdentifier"] if found else "none"

    def changes(self, _, token, key):
        call("PUT", f"/v1/subscriptions/{self.subscription(token)}", token,
             {"autoRenewProductIdentifier": self.chance.choice(SUBSCRIPTIONS)}, key=key)

    def renews(self, _, token, key):
        call("PUT", f"/v1/subscriptions/{self.subscription(token)}", token,
             {"willAutoRenew": self.chance.random() < 0.6}, key=key)

    def ends(self, _, token, key):
        bought = call("GET", "/v1/history", token)["transactions"] or [{"id": "none"}]
        call("POST", f"/admin/v1/transactions/{self.chance.choice(bought)['id']}/"
             + self.chance.choice(["refund", "refund", "revoke"]), ADMIN, {}, key=key)

    def extends(self, _, token, key):
        call("POST", f"/admin/v1/transactions/{self.subscription(token)}/extend", ADMIN,
             {"days": self.chance.randint(1, 30)}, key=key)

    def fails(self, account, *_):
        call("PUT", f"/admin/v1/testers/{account}", ADMIN, {
            "processor": self.chance.choice(["approve", "decline"]),
            "priceConsent": self.chance.choice(["agree", "decline"])})

    def prices(self, *_):
        product = self.chance.choice(SUBSCRIPTIONS)
        call("PUT", f"/admin/v1/apps/{self.app}/catalog", ADMIN,
             changed(self.catalog, product, displayPrice=f"{self.chance.randint(3, 30)}.99"))

    def passes(self, _, __, key):
        advance(key, self.app, by=f"{self.chance.choice([1, 3, 7, 20, 35, 70])}d")


def payload(kind, signed, app):
    """The members of a payload that is verified."""
    found = getattr(verifier(False, app=app), f"verify_and_decode_{kind}")(signed)
    return {name: value for name, value in attrs.asdict(found).items() if value is not None}


def notified(app, receiver):
    """The last word about each transaction, and about each subscription."""
    transactions, subscriptions = {}, {}
    made = [verifier(False, app=app).verify_and_decode_notification(text) for text, _ in receiver.received]
    for one in sorted(made, key=lambda item: item.signedDate):
        transaction = payload("signed_transaction", one.data.signedTransactionInfo, app)
        transactions[transaction["transactionId"]] = transaction
        if one.data.signedRenewalInfo:
            renewal = payload("renewal_info", one.data.signedRenewalInfo, app)
            subscriptions[renewal["originalTransactionId"]] = (one.data.status, renewal)
        if one.notificationType == NotificationTypeV2.REFUND:
            expect("a refund is told with its date", "revocationDate" in transaction, True)
    return transactions, subscriptions


def without(found, names):
    return {name: value for name, value in found.items() if name not in names}


def compare(what, app, api, token, secret, last_words):
    receipt = call("GET", "/v1/receipt", token)["receiptData"]
    legacy = call("POST", "/verifyReceipt", None, {"receipt-data": receipt, "password": secret})
    expect(f"{what}: the receipt is valid", legacy["status"], 0)
    bought = [item["transactionIdentifier"] for item in call("GET", "/v1/history", token)["transactions"]]
    if not bought:
        return
    # The Server API.
    signed, revision = [], None
    while True:
        page = api.get_transaction_history(
            bought[0], revision, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2)
        signed += page.signedTransactions
        revision = page.revision
        if not page.hasMore:
            break
    transactions = {item["transactionId"]: item for item in (payload("signed_transaction", text, app) for text in signed)}
    expect(f"{what}: each once", len(transactions), len(signed))
    # Notifications.
    for identifier, item in transactions.items():
        if identifier not in last_words[0] and item["originalTransactionId"] != identifier:
            # Owned already and given again for nothing: no notification, unless it is refunded.
            expect(f"{what}: {identifier} was given again", (item["type"].value, item["price"]), ("Non-Consumable", 0))
            continue
        expect(f"{what}: {identifier} as notified", without(last_words[0].get(identifier, {}), OF_ITS_TIME),
               without(item, OF_ITS_TIME))
    for group in api.get_all_subscription_statuses(bought[0]).data:
        for last in group.lastTransactions:
            renewal = payload("renewal_info", last.signedRenewalInfo, app)
            status, renewed = last_words[1].get(last.originalTransactionId, (None, {}))
            names = OF_ITS_TIME | LEFT_OUT | (OF_PRICES if app == CHANGING else set())
            expect(f"{what}: {last.originalTransactionId}'s status as notified", status, last.status)
            expect(f"{what}: {last.originalTransactionId}'s renewal as notified", without(renewed, names),
                   without(renewal, names))
            if last.status == Status.BILLING_GRACE_PERIOD:
                # verifyReceipt has the reason from the failed renewal on, the Server API from the end of the grace period.
                renewal["expirationIntent"] = ExpirationIntent.BILLING_ERROR
            pending = [item for item in legacy.get("pending_renewal_info", [])
                       if item["original_transaction_id"] == last.originalTransactionId]
            expect(f"{what}: {last.originalTransactionId}'s renewal as verifyReceipt has it",
                   [of_receipt(item) for item in pending], [of_renewal(renewal)])
    # verifyReceipt has consumables until they are finished.
    listed = {item["transaction_id"]: item
              for item in legacy["receipt"]["in_app"] + legacy.get("latest_receipt_info", [])}
    lasting = {identifier for identifier, item in transactions.items() if item["type"].value != "Consumable"}
    expect(f"{what}: what verifyReceipt lists", lasting - set(listed), set())
    expect(f"{what}: and nothing else", set(listed) - set(transactions), set())
    for identifier, item in listed.items():
        expect(f"{what}: {identifier} as verifyReceipt has it", of_purchase(item), of_transaction(transactions[identifier]))


def number(item, name):
    return int(item[name]) if name in item else None


def of_purchase(item):
    return (item["product_id"], item["original_transaction_id"], number(item, "quantity"),
            number(item, "purchase_date_ms"), number(item, "original_purchase_date_ms"), number(item, "expires_date_ms"),
            number(item, "cancellation_date_ms"), item.get("is_upgraded") == "true", item.get("web_order_line_item_id"),
            item.get("subscription_group_identifier"))


def of_transaction(item):
    return (item["productId"], item["originalTransactionId"], item["quantity"], second(item, "purchaseDate"),
            second(item, "originalPurchaseDate"), second(item, "expiresDate"), second(item, "revocationDate"),
            item.get("isUpgraded", False), item.get("webOrderLineItemId"), item.get("subscriptionGroupIdentifier"))


def second(item, name):
    """A receipt's dates are whole seconds."""
    return item[name] // 1000 * 1000 if name in item else None


def of_receipt(item):
    return (item["product_id"], item["auto_renew_product_id"], item["auto_renew_status"],
            item.get("expiration_intent"), item.get("grace_period_expires_date_ms"),
            item.get("is_in_billing_retry_period", "0"))


def of_renewal(item):
    text = lambda value: None if value is None else str(int(value))
    return (item["productId"], item["autoRenewProductId"], text(item["autoRenewStatus"]), text(item.get("expirationIntent")),
            text(second(item, "gracePeriodExpiresDate")), "1" if item.get("isInBillingRetryPeriod") else "0")
