"""Notifications of offers, levels, prices and products that are taken from sale, each caused truly.

The offers are signed by Apple's library, with the key that the store made.
"""

import copy
import json
import pathlib
import time
import uuid

from appstoreserverlibrary.models.AutoRenewStatus import AutoRenewStatus
from appstoreserverlibrary.models.ExpirationIntent import ExpirationIntent
from appstoreserverlibrary.models.OfferType import OfferType
from appstoreserverlibrary.models.PriceIncreaseStatus import PriceIncreaseStatus
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionReason import TransactionReason
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator

from notifications import Receiver, name, offline_notification, settled
from store import ADMIN, advance, buy, call, decoded, expect, section, session

APP = "com.example.levels"
PRO, MONTHLY, MAPS, LITE = "guides.pro", "guides.monthly", "guides.maps", "guides.lite"
FILE = pathlib.Path(__file__).parents[2] / "docs" / "subscriptions.storekit"


def catalogue():
    """The catalogue of docs/subscriptions.md, with a promotional offer of every subscription."""
    made = json.loads(FILE.read_text())
    for group in made["subscriptionGroups"]:
        for number, product in enumerate(group["subscriptions"]):
            product["adHocOffers"] = [{
                "displayPrice": "1.99", "internalID": f"0FFE{number:04}", "numberOfPeriods": 1, "offerID": "back",
                "paymentMode": "payAsYouGo", "referenceName": "back",
                "subscriptionPeriod": product["recurringSubscriptionPeriod"],
            }]
    return made


def changed(made, product, **members):
    """The same catalogue, with other members of one product."""
    made = copy.deepcopy(made)
    for group in made["subscriptionGroups"]:
        for item in group["subscriptions"]:
            if item["productID"] == product:
                item.update(members)
    return made


def main():
    section("notifications: levels, promotional offers, prices and products that are no longer sold")
    made = catalogue()
    put = lambda catalog: call("PUT", f"/admin/v1/apps/{APP}/catalog", ADMIN, catalog)
    put(made)
    call("PUT", f"/admin/v1/apps/{APP}/clock", ADMIN, {"frozen": True})
    receiver = Receiver()
    endpoint = f"/admin/v1/apps/{APP}/notifications/endpoint"
    call("PUT", endpoint, ADMIN, {"url": receiver.url})
    key = call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "subscriptionOffer"})
    signer = PromotionalOfferSignatureCreator(key["secret"].encode(), key["keyIdentifier"], APP)
    seen = 0

    def happened(*names):
        """The notifications since the last call: their names, and what the last one tells."""
        nonlocal seen
        settled(APP)
        payloads = [payload for payload, _ in receiver.received[seen:]]
        seen += len(payloads)
        found = [name(offline_notification(payload, APP)) for payload in payloads]
        expect(f"what was sent: {', '.join(names)}", found, list(names))
        last = decoded("notification", found[-1] if found else "nothing", payloads[-1], app=APP)
        return (last, decoded("transaction", names[-1], last.data.signedTransactionInfo, app=APP),
                decoded("renewal", names[-1], last.data.signedRenewalInfo, app=APP))

    def redeem(token, product, request):
        nonce, now = uuid.uuid4(), wall()
        return buy(token, product, request, paymentDiscount={
            "identifier": "back", "keyIdentifier": key["keyIdentifier"], "nonce": str(nonce), "timestamp": now,
            "signature": signer.create_signature(product, "back", "", nonce, now)})

    pam = session("pam", APP)
    first = buy(pam, LITE, "l-lite")
    happened("SUBSCRIBED.INITIAL_BUY")
    buy(pam, MONTHLY, "l-monthly")
    last, transaction, renewal = happened("DID_CHANGE_RENEWAL_PREF.UPGRADE")
    expect("an upgrade is a purchase of the same subscription",
           (transaction.productId, transaction.transactionReason, transaction.originalTransactionId),
           (MONTHLY, TransactionReason.PURCHASE, first["transactionIdentifier"]))
    expect("and renews itself", (renewal.productId, renewal.autoRenewProductId), (MONTHLY, MONTHLY))
    redeem(pam, PRO, "l-pro")
    last, transaction, renewal = happened("OFFER_REDEEMED.UPGRADE")
    expect("the offer of a higher level",
           (transaction.productId, transaction.offerType, transaction.offerIdentifier, transaction.price),
           (PRO, OfferType.PROMOTIONAL_OFFER, "back", 1990))

    quin = session("quin", APP)
    buy(quin, MAPS, "l-maps")
    happened("SUBSCRIBED.INITIAL_BUY")
    redeem(quin, MONTHLY, "l-cross")
    last, transaction, renewal = happened("OFFER_REDEEMED.UPGRADE")
    expect("the offer of the same level", (transaction.productId, transaction.offerType),
           (MONTHLY, OfferType.PROMOTIONAL_OFFER))
    redeem(quin, MONTHLY, "l-again")
    last, transaction, renewal = happened("OFFER_REDEEMED")
    expect("the offer of the same product", (transaction.productId, renewal.autoRenewProductId), (MONTHLY, MONTHLY))
    redeem(quin, LITE, "l-down")
    last, transaction, renewal = happened("OFFER_REDEEMED.DOWNGRADE")
    expect("the offer of a lower level", (transaction.productId, transaction.offerIdentifier), (LITE, "back"))

    for account, consent in {"rita": "agree", "sam": "decline", "tina": "interactive"}.items():
        call("PUT", f"/admin/v1/testers/{account}", ADMIN, {"priceConsent": consent})
    buy(session("rita", APP), PRO, "l-rita")
    happened("SUBSCRIBED.INITIAL_BUY")
    buy(session("sam", APP), PRO, "l-sam")
    happened("SUBSCRIBED.INITIAL_BUY")
    buy(session("tina", APP), PRO, "l-tina")
    happened("SUBSCRIBED.INITIAL_BUY")
    ute = session("ute", APP)
    buy(ute, MAPS, "l-ute")
    happened("SUBSCRIBED.INITIAL_BUY")
    for token in (pam, quin):
        for item in call("GET", "/v1/subscriptions", token)["subscriptions"]:
            call("PUT", f"/v1/subscriptions/{item['originalTransactionIdentifier']}", token, {"willAutoRenew": False})
            happened("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED")
    dearer = changed(made, PRO, displayPrice="29.99")
    put(changed(dearer, MAPS, state="removedFromSale"))
    prompt = asked("priceConsent", "tina")
    last, transaction, renewal = happened("PRICE_INCREASE.PENDING")
    expect("asked for consent", (transaction.price, renewal.priceIncreaseStatus, last.data.status),
           (19990, PriceIncreaseStatus.CUSTOMER_HAS_NOT_RESPONDED, Status.ACTIVE))
    call("POST", f"/admin/v1/prompts/{prompt['id']}", ADMIN, {"answer": "approve"})
    last, transaction, renewal = happened("PRICE_INCREASE.ACCEPTED")
    expect("consented", (transaction.price, renewal.priceIncreaseStatus, renewal.renewalPrice),
           (19990, PriceIncreaseStatus.CUSTOMER_CONSENTED_OR_WAS_NOTIFIED_WITHOUT_NEEDING_CONSENT, 29990))
    moved = advance("l-month", APP, by="40d")
    settled(APP)
    found = {}
    for payload, _ in receiver.received[seen:]:
        one = decoded("notification", "of a month", payload, app=APP)
        transaction = decoded("transaction", "of a month", one.data.signedTransactionInfo, app=APP)
        renewal = decoded("renewal", "of a month", one.data.signedRenewalInfo, app=APP)
        account = next(item["account"] for item in moved["events"]
                       if item["originalTransactionIdentifier"] == transaction.originalTransactionId)
        found.setdefault(account, []).append((name(one), one.data.status, transaction, renewal))
    names = {account: [item[0] for item in told] for account, told in found.items()}
    expect("what a month and a higher price brought", names, {
        "pam": ["EXPIRED.VOLUNTARY"], "quin": ["EXPIRED.VOLUNTARY"], "ute": ["EXPIRED.PRODUCT_NOT_FOR_SALE"],
        "rita": ["PRICE_INCREASE.ACCEPTED", "DID_RENEW"], "sam": ["EXPIRED.PRICE_INCREASE"],
        "tina": ["DID_RENEW"],
    })
    for account, intent in {
        "pam": ExpirationIntent.CUSTOMER_CANCELLED, "quin": ExpirationIntent.CUSTOMER_CANCELLED,
        "ute": ExpirationIntent.PRODUCT_NOT_AVAILABLE,
        "sam": ExpirationIntent.CUSTOMER_DID_NOT_CONSENT_TO_PRICE_INCREASE,
    }.items():
        _, status, latest, renewal = found[account][0]
        expect(f"{account}: why it expired", (status, renewal.expirationIntent, renewal.renewalDate),
               (Status.EXPIRED, intent, latest.expiresDate))
    (_, status, before, agreed), (_, _, after, renewed) = found["rita"]
    expect("a higher price that needs no consent is announced with the renewal that pays it",
           (status, before.transactionId, after.price, agreed.renewalPrice, renewed.renewalPrice),
           (Status.ACTIVE, after.transactionId, 29990, 29990, 29990))
    expect("a renewal at the new price", (after.transactionReason, renewed.autoRenewStatus),
           (TransactionReason.RENEWAL, AutoRenewStatus.ON))
    call("DELETE", endpoint, ADMIN)


def asked(kind, account):
    """The prompt that waits for an account, which a sweep makes within a second or so."""
    last = time.monotonic() + 30
    while time.monotonic() < last:
        for prompt in call("GET", f"/admin/v1/prompts?account={account}", ADMIN)["prompts"]:
            if prompt["kind"] == kind:
                return prompt
        time.sleep(0.1)
    raise TimeoutError(f"no {kind} for {account}")


def wall():
    return round(time.time() * 1000)
