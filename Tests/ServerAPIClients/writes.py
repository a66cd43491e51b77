"""What an app's server changes: extensions, consumption, tokens, finishing; and what operators do about refunds.

Each is asked for by Apple's library and told by a notification that the library verifies.
"""

import time

from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestReason import ConsumptionRequestReason
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.RevocationType import RevocationType
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UserStatus import UserStatus

from notifications import Receiver, name, offline_notification, settled
from store import (
    ADMIN, BEACHES, MONTHLY, SAMPLE, SPOTS, YEARLY, advance, buy, call, client, clock, decoded, expect, raw, refused,
    section, session,
)

APP = "com.example.writes"
DAY = 86_400_000
TOKEN = "7a0c6b0e-1111-4222-8333-444455556666"
UNKNOWN = "2999999999999999"


def main():
    section("extensions, refund requests, consumption, tokens: asked for, and told")
    call("PUT", f"/admin/v1/apps/{APP}/catalog", ADMIN, raw(f"/admin/v1/apps/{SAMPLE}/catalog"))
    call("PUT", f"/admin/v1/apps/{APP}/clock", ADMIN, {"frozen": True})
    api = client(call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"}), APP)
    receiver = Receiver()
    call("PUT", f"/admin/v1/apps/{APP}/notifications/endpoint", ADMIN, {"url": receiver.url})
    seen = 0

    def happened(*names):
        """The notifications since the last call, decoded: each with its transaction. Those of several customers come
        in any order, so they are put into that of their dates and names."""
        nonlocal seen
        settled(APP)
        payloads = [payload for payload, _ in receiver.received[seen:]]
        seen += len(payloads)
        place = lambda one: (one.signedDate, name(one))
        payloads.sort(key=lambda payload: place(offline_notification(payload, APP)))
        expect(f"what was sent: {', '.join(names)}", [name(offline_notification(one, APP)) for one in payloads],
               list(names))
        told = [decoded("notification", "told", one, app=APP) for one in payloads]
        return [(one, decoded("transaction", name(one), one.data.signedTransactionInfo, app=APP) if one.data else None)
                for one in told]

    extensions(api, happened)
    refunds(api, happened)
    tokens(api, happened)
    finishing(api)
    call("DELETE", f"/admin/v1/apps/{APP}/notifications/endpoint", ADMIN)


def completed(api, name, product):
    """The status of an extension of all subscribers, which goes on behind the answer to its request."""
    last = time.monotonic() + 30
    while True:
        status = api.get_status_of_subscription_renewal_date_extensions(name, product)
        if status.complete or time.monotonic() > last:
            return status
        time.sleep(0.1)


def extensions(api, happened):
    alice, bob = session("alice", APP), session("bob", APP)
    first = buy(alice, MONTHLY, "w-monthly")
    original = first["transactionIdentifier"]
    ask = lambda days=10, reason=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, name="outage", of=original: (
        api.extend_subscription_renewal_date(of, ExtendRenewalDateRequest(days, reason, requestIdentifier=name)))
    refused("a trial is not extended", 403, APIError.SUBSCRIPTION_EXTENSION_INELIGIBLE, ask)
    advance("w-1", APP, by="8d")
    happened("SUBSCRIBED.INITIAL_BUY", "DID_RENEW")
    before = api.get_all_subscription_statuses(original).data[0].lastTransactions[0]
    paid = decoded("transaction", "before", before.signedTransactionInfo, app=APP)
    extended = ask()
    expect("extended", (extended.success, extended.originalTransactionId, extended.effectiveDate,
                        extended.webOrderLineItemId),
           (True, original, paid.expiresDate + 10 * DAY, paid.webOrderLineItemId))
    ((told, transaction),) = happened("RENEWAL_EXTENDED")
    expect("told with the new end", (transaction.expiresDate, told.data.status), (extended.effectiveDate, Status.ACTIVE))
    expect("the same again", ask(), extended)
    expect("a second one", ask(name="second").effectiveDate, extended.effectiveDate + 10 * DAY)
    happened("RENEWAL_EXTENDED")
    refused("a third one", 403, APIError.SUBSCRIPTION_MAX_EXTENSION, lambda: ask(name="third"))
    for what, error, asked in (
        ("days", APIError.INVALID_EXTEND_BY_DAYS, lambda: ask(days=91)),
        ("no days", APIError.INVALID_EXTEND_BY_DAYS, lambda: ask(days=None)),
        ("a reason", APIError.INVALID_EXTEND_REASON_CODE, lambda: ask(reason=None)),
        ("a name", APIError.INVALID_REQUEST_IDENTIFIER, lambda: ask(name="")),
    ):
        refused(what, 400, error, asked)
    refused("of an unknown one", 404, APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND, lambda: ask(of=UNKNOWN))
    refused("of no identifier", 400, APIError.INVALID_ORIGINAL_TRANSACTION_ID, lambda: ask(of="abc"))

    other = buy(bob, MONTHLY, "w-bob")["transactionIdentifier"]
    advance("w-2", APP, by="8d")
    happened("SUBSCRIBED.INITIAL_BUY", "DID_RENEW")
    mass = lambda product=MONTHLY, storefronts=None, name="all", days=7: (
        api.extend_renewal_date_for_all_active_subscribers(MassExtendRenewalDateRequest(
            extendByDays=days, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier=name,
            storefrontCountryCodes=storefronts, productId=product)))
    expect("all of a product", mass().requestIdentifier, "all")
    status = completed(api, "all", MONTHLY)
    expect("all of them", (status.requestIdentifier, status.complete, status.completeDate, status.succeededCount,
                           status.failedCount), ("all", True, clock(APP), 1, 1))
    told = happened("RENEWAL_EXTENDED", "RENEWAL_EXTENSION.FAILURE", "RENEWAL_EXTENSION.SUMMARY")
    expect("who could, and who could not", [item.originalTransactionId for _, item in told[:2]], [other, original])
    summary = told[2][0].summary
    expect("the summary", (summary.requestIdentifier, summary.environment, summary.bundleId, summary.productId,
                           summary.storefrontCountryCodes, summary.succeededCount, summary.failedCount),
           ("all", Environment.SANDBOX, APP, MONTHLY, None, 1, 1))
    expect("nothing beside it", told[2][0].data, None)
    mass()
    mass(product=YEARLY, storefronts=["USA", "FRA"], name="nobody")
    (told,) = happened("RENEWAL_EXTENSION.SUMMARY")
    expect("of none", (told[0].summary.storefrontCountryCodes, told[0].summary.succeededCount), (["USA", "FRA"], 0))
    for what, error, asked in (
        ("another one of that name", APIError.INVALID_REQUEST_IDENTIFIER, lambda: mass(days=8)),
        ("no storefronts", APIError.INVALID_EMPTY_STOREFRONT_COUNTRY_CODE_LIST, lambda: mass(storefronts=[])),
        ("a storefront", APIError.INVALID_STOREFRONT_COUNTRY_CODE, lambda: mass(storefronts=["ZZZ"])),
        ("no product", APIError.INVALID_PRODUCT_ID, lambda: mass(product="")),
        ("a product of nobody", APIError.INVALID_PRODUCT_ID, lambda: mass(product="com.example.unknown")),
        ("a product that does not renew", APIError.INVALID_PRODUCT_ID, lambda: mass(product=BEACHES)),
    ):
        refused(what, 400, error, asked)
    refused("an unknown one", 404, APIError.STATUS_REQUEST_NOT_FOUND,
            lambda: api.get_status_of_subscription_renewal_date_extensions("other", MONTHLY))


def refunds(api, happened):
    carol = session("carol", APP)
    spots = buy(carol, SPOTS, "w-spots")
    identifier = spots["transactionIdentifier"]
    happened("ONE_TIME_CHARGE")
    opened = lambda item, reason: call(
        "POST", f"/admin/v1/transactions/{item['id']}/refundRequest", ADMIN, {"reason": reason})
    decide = lambda request, how, **body: call(
        "POST", f"/admin/v1/refundRequests/{request['refundRequestIdentifier']}/{how}", ADMIN, body or None)
    request = opened(spots, "UNSATISFIED_WITH_PURCHASE")
    ((told, transaction),) = happened("CONSUMPTION_REQUEST")
    expect("why", (told.data.consumptionRequestReason, transaction.transactionId),
           (ConsumptionRequestReason.UNSATISFIED_WITH_PURCHASE, identifier))
    consumed = dict(customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED,
                    consumptionPercentage=25000, refundPreference=RefundPreference.GRANT_PRORATED)
    inform = lambda of=identifier, **changed: api.send_consumption_information(
        of, ConsumptionRequest(**{**consumed, **changed}))
    expect("accepted, without a body", inform(), None)
    known = call("GET", f"/admin/v1/refundRequests/{request['refundRequestIdentifier']}", ADMIN)
    expect("the operator sees it", (known["state"], known["consumption"]), ("open", {
        "customerConsented": True, "sampleContentProvided": False, "deliveryStatus": "DELIVERED",
        "consumptionPercentage": 25000, "refundPreference": "GRANT_PRORATED"}))
    for what, error, changed in (
        ("consent", APIError.INVALID_CUSTOMER_CONSENTED, {"customerConsented": False}),
        ("a percentage", APIError.INVALID_CONSUMPTION_STATUS, {"consumptionPercentage": 100001}),
    ):
        refused(what, 400, error, lambda changed=changed: inform(**changed))
    refused("of an unknown one", 404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: inform(of=UNKNOWN))
    v1 = dict(customerConsented=True, sampleContentProvided=True, consumptionStatus=ConsumptionStatus.PARTIALLY_CONSUMED,
              deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY, appAccountToken=TOKEN,
              accountTenure=AccountTenure.UNDECLARED, platform=Platform.APPLE, playTime=PlayTime.UNDECLARED,
              lifetimeDollarsRefunded=LifetimeDollarsRefunded.UNDECLARED,
              lifetimeDollarsPurchased=LifetimeDollarsPurchased.UNDECLARED, userStatus=UserStatus.ACTIVE)
    expect("version 1", api.send_consumption_data(identifier, ConsumptionRequestV1(**v1)), None)
    refused("version 1 without a member that is required", 400, APIError.INVALID_ACCOUNT_TENURE,
            lambda: api.send_consumption_data(identifier, ConsumptionRequestV1(**{**v1, "accountTenure": None})))
    declined = decide(request, "decline")
    expect("declined", (declined["state"], declined["consumption"]["consumptionStatus"]), ("declined", 2))
    happened("REFUND_DECLINED")

    granted = decide(opened(spots, "OTHER"), "grant", type="REFUND_PRORATED", percentage=50000)
    expect("granted", granted["state"], "granted")
    _, (told, transaction) = happened("CONSUMPTION_REQUEST", "REFUND")
    shown = (RevocationType.REFUND_PRORATED, 50000)
    expect("half of it", (transaction.revocationType, transaction.revocationPercentage), shown)
    listed = decoded("transaction", "in the refund history",
                     api.get_refund_history(identifier, None).signedTransactions[0], app=APP)
    expect("in the refund history, too", (listed.revocationType, listed.revocationPercentage), shown)
    call("POST", f"/admin/v1/transactions/{spots['id']}/reverseRefund", ADMIN)
    ((told, transaction),) = happened("REFUND_REVERSED")
    expect("paid again", (transaction.revocationDate, transaction.revocationType, transaction.revocationPercentage),
           (None, None, None))
    expect("out of the refund history", api.get_refund_history(identifier, None).signedTransactions, [])

    beaches = buy(carol, BEACHES, "w-beaches")
    refused("version 1 of something to keep", 400, APIError.INVALID_TRANSACTION_TYPE_NOT_SUPPORTED,
            lambda: api.send_consumption_data(beaches["transactionIdentifier"], ConsumptionRequestV1(**v1)))
    call("POST", f"/admin/v1/transactions/{beaches['id']}/refund", ADMIN)
    _, (told, transaction) = happened("ONE_TIME_CHARGE", "REFUND")
    expect("all of it", (transaction.revocationType, transaction.revocationPercentage),
           (RevocationType.REFUND_FULL, 100000))


def tokens(api, happened):
    dora = session("dora", APP)
    first = buy(dora, MONTHLY, "w-dora")
    original = first["transactionIdentifier"]
    advance("w-3", APP, by="8d")
    set_token = lambda of, token=TOKEN: api.set_app_account_token(
        of, UpdateAppAccountTokenRequest(appAccountToken=token))
    expect("set, without a body", set_token(original), None)
    advance("w-4", APP, by="31d")
    shown = lambda identifier: decoded(
        "transaction", "with a token", api.get_transaction_info(identifier).signedTransactionInfo, app=APP)
    expect("of the first", shown(original).appAccountToken, TOKEN)
    status = api.get_all_subscription_statuses(original).data[0].lastTransactions[0]
    last = decoded("transaction", "the last renewal", status.signedTransactionInfo, app=APP)
    expect("of a later renewal", (last.appAccountToken, last.transactionId != original), (TOKEN, True))
    refused("of a renewal", 400, APIError.TRANSACTION_ID_IS_NOT_ORIGINAL_TRANSACTION_ID_ERROR,
            lambda: set_token(last.transactionId))
    refused("no UUID", 400, APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, lambda: set_token(original, "no UUID"))
    refused("of an unknown one", 404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: set_token(UNKNOWN))


def finishing(api):
    erin = session("erin", APP)
    bought = call("POST", "/v1/payments", erin, {"productIdentifier": SPOTS, "quantity": 1}, key="w-erin")
    waiting = lambda: [item["id"] for item in call("GET", "/v1/transactions", erin)["transactions"]]
    expect("not finished", waiting(), [bought["id"]])
    for _ in range(2):
        expect("finished, without a body", api.finish_transaction(bought["transactionIdentifier"]), None)
        expect("gone from the queue", waiting(), [])
    refused("an unknown one", 404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: api.finish_transaction(UNKNOWN))
    refused("retention messaging", 501, None, api.get_image_list)
    refused("its realtime address", 501, None, api.get_realtime_url)
