"""Notifications, caused truly, received by a server of this process, and verified by Apple's own library."""

import collections
import http.server
import json
import os
import random
import signal
import subprocess
import threading
import time

from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.signed_data_verifier import VerificationStatus

from store import (
    ADMIN,
    BEACHES,
    KINDS,
    MONTHLY,
    SPOTS,
    YEARLY,
    advance,
    buy,
    call,
    client,
    clock,
    decoded,
    expect,
    one_level,
    refused,
    section,
    session,
    status_of,
    verifier,
)

APP, YEAR = "com.example.notified", "com.example.notified.year"
DAY = 86_400_000


class Receiver(http.server.ThreadingHTTPServer):
    """An app's server, which answers as `answer` says and keeps what it was sent."""

    daemon_threads = True

    def __init__(self):
        self.received = []
        self.answer = lambda payload: 200
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/apple"

    def handle_error(self, *_):
        """An app-store-server that is killed hangs up."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["signedPayload"]
        status = self.server.answer(payload)
        self.server.received.append((payload, status))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def settled(app):
    found = call("GET", f"/admin/v1/apps/{app}/notifications/settled?timeout=10", ADMIN)
    expect(f"{app}: all that is due was sent", found["settled"], True)
    return found


def name(payload):
    """DID_RENEW.BILLING_RECOVERY"""
    return ".".join(filter(None, [payload.rawNotificationType, payload.rawSubtype]))


def main():
    section("notifications: a key, a server, and a test")
    for app in (APP, YEAR):
        call("PUT", f"/admin/v1/apps/{app}/catalog", ADMIN, one_level())
        call("PUT", f"/admin/v1/apps/{app}/clock", ADMIN, {"frozen": True})
    key = call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"})
    api = client(key, APP)
    receiver = Receiver()
    refused("a test without an endpoint", 404, APIError.SERVER_NOTIFICATION_URL_NOT_FOUND, api.request_test_notification)
    endpoint = f"/admin/v1/apps/{APP}/notifications/endpoint"
    call("PUT", endpoint, ADMIN, {"url": receiver.url, "retry": "apple"})
    token = api.request_test_notification().testNotificationToken
    settled(APP)
    tested = api.get_test_notification_status(token)
    expect("the test's payload is what was sent", [tested.signedPayload], [payload for payload, _ in receiver.received])
    expect("the test's attempts", [item.sendAttemptResult for item in tested.sendAttempts], [SendAttemptResult.SUCCESS])
    test = decoded("notification", "the test", tested.signedPayload, app=APP)
    expect("the test's type", name(test), "TEST")
    expect("the test's data", (test.data.bundleId, test.data.environment, test.data.signedTransactionInfo),
           (APP, Environment.SANDBOX, None))
    for text, error in {
        "nonsense": APIError.INVALID_TEST_NOTIFICATION_TOKEN,
        token.replace(token[:8], "00000000"): APIError.TEST_NOTIFICATION_NOT_FOUND,
    }.items():
        status = 400 if error == APIError.INVALID_TEST_NOTIFICATION_TOKEN else 404
        refused(f"token {text}", status, error, lambda text=text: api.get_test_notification_status(text))

    caused(api, receiver)
    issued(receiver)
    shown(api, receiver)
    year(receiver)
    call("DELETE", endpoint, ADMIN)


def caused(api, receiver):
    section("notifications: what customers, operators and time do, each with its notification")
    receiver.received.clear()
    alice = session("nora", APP)
    expected = []

    def happened(*names):
        expected.extend(names)
        settled(APP)
        found = [name(offline_notification(payload)) for payload, _ in receiver.received]
        expect(f"after {names[-1]}: what was sent", found, expected)

    def operate(identifier, operation, **more):
        return call("POST", f"/admin/v1/transactions/{identifier}/{operation}", ADMIN, more)

    def update(original, **more):
        return call("PUT", f"/v1/subscriptions/{original}", alice, more)

    coins = buy(alice, SPOTS, "n-spots")
    happened("ONE_TIME_CHARGE")
    operate(coins["id"], "refund")
    happened("REFUND")
    beaches = buy(alice, BEACHES, "n-beaches")
    happened("ONE_TIME_CHARGE")
    operate(beaches["id"], "revoke")
    happened("REVOKE")
    first = buy(alice, MONTHLY, "n-monthly")
    original = first["transactionIdentifier"]
    happened("SUBSCRIBED.INITIAL_BUY")
    advance("n-1", APP, by="8d")
    happened("DID_RENEW")
    update(original, willAutoRenew=False)
    happened("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED")
    update(original, willAutoRenew=True)
    happened("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED")
    operate(original, "extend", days=5)
    happened("RENEWAL_EXTENDED")
    # The renewals of a decline: retries, with a grace period the second time.
    call("PUT", "/admin/v1/testers/nora", ADMIN, {"processor": "decline"})
    advance("n-2", APP, by="40d")
    happened("DID_FAIL_TO_RENEW")
    call("PUT", "/admin/v1/testers/nora", ADMIN, {"processor": "approve"})
    advance("n-3", APP, by="20d")
    happened("DID_RENEW.BILLING_RECOVERY")
    app = call("GET", f"/admin/v1/apps/{APP}", ADMIN)
    call("PUT", f"/admin/v1/apps/{APP}", ADMIN, {**app["settings"], "billingGracePeriod": True} if "settings" in app
         else {"name": app["name"], "billingGracePeriod": True})
    call("PUT", "/admin/v1/testers/nora", ADMIN, {"processor": "decline"})
    advance("n-4", APP, by="100d")
    happened("DID_FAIL_TO_RENEW.GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED.BILLING_RETRY")
    call("PUT", "/admin/v1/testers/nora", ADMIN, {"processor": "approve"})
    buy(alice, MONTHLY, "n-again")
    happened("SUBSCRIBED.RESUBSCRIBE")
    update(original, autoRenewProductIdentifier=YEARLY)
    happened("DID_CHANGE_RENEWAL_PREF.DOWNGRADE")
    update(original, autoRenewProductIdentifier=MONTHLY)
    happened("DID_CHANGE_RENEWAL_PREF")
    update(original, willAutoRenew=False)
    advance("n-5", APP, by="40d")
    happened("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED", "EXPIRED.VOLUNTARY")
    last = buy(alice, MONTHLY, "n-last")
    happened("SUBSCRIBED.RESUBSCRIBE")
    operate(last["id"], "refund")
    happened("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED", "REFUND")

    section("notifications: every payload, verified offline and online, and what is in it")
    seen, dates = set(), []
    for payload, _ in receiver.received:
        made = decoded("notification", "a notification", payload, app=APP)
        what = f"{name(made)} {made.notificationUUID}"
        expect(f"{what}: once", made.notificationUUID in seen, False)
        seen.add(made.notificationUUID)
        dates.append(made.signedDate)
        expect(f"{what}: version", made.version, "2.0")
        expect(f"{what}: app", (made.data.bundleId, made.data.environment), (APP, Environment.SANDBOX))
        expect(f"{what}: the library knows it", made.notificationType in NotificationTypeV2, True)
        transaction = decoded("transaction", what, made.data.signedTransactionInfo, app=APP)
        expect(f"{what}: signed together", transaction.signedDate, made.signedDate)
        isSubscription = transaction.productId in (MONTHLY, YEARLY)
        expect(f"{what}: renewal", made.data.signedRenewalInfo is not None, isSubscription)
        if name(made) in ("REFUND", "REVOKE"):
            expect(f"{what}: revoked", transaction.revocationDate is not None, True)
        if not isSubscription:
            expect(f"{what}: no status", made.data.status, None)
            continue
        renewal = decoded("renewal", what, made.data.signedRenewalInfo)
        expect(f"{what}: one subscription", renewal.originalTransactionId, original)
        expect(f"{what}: one customer", renewal.appTransactionId, transaction.appTransactionId)
        status = {
            "DID_FAIL_TO_RENEW": Status.BILLING_RETRY, "DID_FAIL_TO_RENEW.GRACE_PERIOD": Status.BILLING_GRACE_PERIOD,
            "GRACE_PERIOD_EXPIRED": Status.BILLING_RETRY, "EXPIRED.BILLING_RETRY": Status.EXPIRED,
            "EXPIRED.VOLUNTARY": Status.EXPIRED, "REFUND": Status.REVOKED,
        }.get(name(made), Status.ACTIVE)
        if made.notificationUUID != seen_last(receiver):
            expect(f"{what}: status", made.data.status in (status, Status.REVOKED), True)
    expect("dates grow", dates, sorted(set(dates)))


def seen_last(receiver):
    return offline_notification(receiver.received[-1][0]).notificationUUID


def offline_notification(payload, app=APP):
    return verifier(False, app=app).verify_and_decode_notification(payload)


def shown(api, receiver):
    section("notifications: the history, an endpoint that fails, resend, triggers and wrong signatures")
    sent = [payload for payload, _ in receiver.received]
    now = clock(APP)

    def history(**query):
        found, token = [], None
        while True:
            page = api.get_notification_history(
                token, NotificationHistoryRequest(startDate=now - 170 * DAY, endDate=now + DAY, **query))
            found += page.notificationHistory
            token = page.paginationToken
            expect("a token as long as there is more", token is not None, page.hasMore)
            if not page.hasMore:
                return found

    recent = [payload for payload in sent if offline_notification(payload).signedDate >= now - 170 * DAY]
    expect("the history", [item.signedPayload for item in history()], recent)
    expect("its attempts", {attempt.sendAttemptResult for item in history() for attempt in item.sendAttempts},
           {SendAttemptResult.SUCCESS})
    refunds = history(notificationType=NotificationTypeV2.REFUND)
    expect("by type", [name(offline_notification(item.signedPayload)) for item in refunds], ["REFUND"])
    one = verifier(False, app=APP).verify_and_decode_signed_transaction(
        offline_notification(sent[-1]).data.signedTransactionInfo)
    expect("by customer", len(history(transactionId=one.transactionId)), len(recent))
    refused("type and customer", 400, APIError.MULTIPLE_FILTERS_SUPPLIED,
            lambda: history(transactionId=one.transactionId, notificationType=NotificationTypeV2.REFUND))
    expect("no failures", history(onlyFailures=True), [])

    receiver.received.clear()
    receiver.answer = lambda payload: 503
    buy(session("nora", APP), SPOTS, "n-failing")
    settled(APP)
    failing = call("GET", f"/admin/v1/apps/{APP}/notifications?state=retrying", ADMIN)["notifications"]
    expect("one is retried", [item["attempts"][0]["httpStatus"] for item in failing], [503])
    expect("a failure", len(history(onlyFailures=True)), 1)
    advance("n-retries", APP, by="10d")
    settled(APP)
    path = f"/admin/v1/apps/{APP}/notifications/{failing[0]['notificationUUID']}"
    failed = call("GET", path, ADMIN)
    expect("six attempts, then it has failed", (len(failed["attempts"]), failed["state"]), (6, "failed"))
    receiver.answer = lambda payload: 200
    call("POST", f"{path}/resend", ADMIN)
    settled(APP)
    expect("resent", call("GET", path, ADMIN)["state"], "delivered")
    expect("the same bytes each time", {payload for payload, _ in receiver.received}, {failed["signedPayload"]})
    expect("seven times", len(receiver.received), 7)

    receiver.received.clear()
    trigger = f"/admin/v1/apps/{APP}/notifications/trigger"
    call("POST", trigger, ADMIN, {
        "notificationType": "PRICE_INCREASE", "subtype": "PENDING", "account": "nora", "onlySend": True,
        "set": {"version": "3.0"}})
    settled(APP)
    expect("a trigger", [(name(made), made.version) for made in
                         [offline_notification(payload) for payload, _ in receiver.received]],
           [("PRICE_INCREASE.PENDING", "3.0")])
    verify = KINDS["notification"]
    for broken, status in {
        "signature": VerificationStatus.VERIFICATION_FAILURE, "tampered": VerificationStatus.VERIFICATION_FAILURE,
        "root": VerificationStatus.VERIFICATION_FAILURE, "leafOID": VerificationStatus.VERIFICATION_FAILURE,
        "chainOfTwo": VerificationStatus.INVALID_CHAIN_LENGTH,
        "corruptCertificate": VerificationStatus.INVALID_CERTIFICATE,
        "bundle": VerificationStatus.INVALID_APP_IDENTIFIER, "environment": VerificationStatus.INVALID_ENVIRONMENT,
    }.items():
        receiver.received.clear()
        call("POST", trigger, ADMIN, {
            "notificationType": "REFUND", "account": "nora", "onlySend": True, "break": broken})
        settled(APP)
        found = [status_of(lambda text: verify(verifier(False, app=APP), text), payload)
                 for payload, _ in receiver.received]
        expect(f"a notification with break {broken}", found, [status])


def issued(receiver):
    """A notification that was sent is signed again, changed and spoiled."""
    payload, _ = receiver.received[-1]
    sent = offline_notification(payload)
    issue = lambda **more: call("POST", f"/admin/v1/apps/{APP}/signing/issue", ADMIN, {
        "kind": "notification", "of": sent.notificationUUID, **more})["jws"]
    expect("signed again", offline_notification(issue()), sent)
    expect("changed", offline_notification(issue(set={"version": "9.9"})).version, "9.9")
    for broken, status in {
        "signature": VerificationStatus.VERIFICATION_FAILURE, "expired": VerificationStatus.VERIFICATION_FAILURE,
        "chainOfFour": VerificationStatus.INVALID_CHAIN_LENGTH, "bundle": VerificationStatus.INVALID_APP_IDENTIFIER,
    }.items():
        found = status_of(lambda text: KINDS["notification"](verifier(False, app=APP), text), issue(**{"break": broken}))
        expect(f"issued with break {broken}", found, status)


def children(parent):
    """The processes of a `storebus up`, by the name of their service."""
    found = {}
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        # `comm` has the first 15 characters of a name.
        pid, program, *_ = line.split()
        found[os.path.basename(program)] = int(pid)
    return found


def year(receiver):
    section("notifications: a year of ten subscriptions, a server that fails at random, and processes that are killed")
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    print(f"  seed {seed}")
    lock = threading.Lock()

    def answer(_):
        with lock:
            return 200 if chance.random() < 0.6 else 500

    receiver.received.clear()
    receiver.answer = answer
    call("PUT", f"/admin/v1/apps/{YEAR}/notifications/endpoint", ADMIN, {"url": receiver.url, "retry": "apple"})
    accounts = [f"y{number}" for number in range(10)]
    for account in accounts:
        buy(session(account, YEAR), MONTHLY, "y-monthly")
    expected = collections.Counter({account: 1 for account in accounts})
    up = int(os.environ["STOREBUS_UP_PID"])
    for month in range(12):
        target = ["app-store-server", "payment-queue", "gateway", "broker"][month % 4]
        pid = children(up).get(target)
        expect(f"{target} runs", pid is not None, True)
        killer = threading.Timer(chance.random() * 0.2, os.kill, (pid, signal.SIGKILL))
        killer.start()
        expected += renewed("1mo", f"y-{month}")
        killer.join()
        running = time.monotonic() + 30
        while children(up).get(target) in (None, pid) and time.monotonic() < running:
            time.sleep(0.05)
    made, late = eventually_settled()
    expected += late
    expect(f"seed {seed}: notifications", made["made"], sum(expected.values()))
    notifications, after = [], None
    while True:
        page = call("GET", f"/admin/v1/apps/{YEAR}/notifications?limit=100" + (f"&after={after}" if after else ""), ADMIN)
        notifications += page["notifications"]
        after = page.get("after")
        if after is None:
            break
    notifications.reverse()
    found = collections.Counter(item["account"] for item in notifications)
    expect(f"seed {seed}: of each customer", found, expected)
    arrived = collections.Counter(offline_notification(payload, YEAR).notificationUUID
                                  for payload, status in receiver.received if status == 200)
    attempts = 0
    for item in notifications:
        what = f"seed {seed}: {item['notificationUUID']}"
        results = [attempt.get("sendAttemptResult") for attempt in item["attempts"]]
        attempts += len(results)
        expect(f"{what}: ended", None in results, False)
        expect(f"{what}: state", item["state"], "delivered" if "SUCCESS" in results else "failed")
        expect(f"{what}: a success ends it", "SUCCESS" in results[:-1], False)
        expect(f"{what}: attempts", 1 <= len(results) <= 6 and (len(results) == 6 or results[-1] == "SUCCESS"), True)
        expect(f"{what}: it arrived", arrived[item["notificationUUID"]] >= (results[-1] == "SUCCESS"), True)
    for account in accounts:
        mine = [item for item in notifications if item["account"] == account]
        expect(f"seed {seed}: {account}'s types", [item["notificationType"] for item in mine],
               ["SUBSCRIBED"] + ["DID_RENEW"] * (len(mine) - 1))
        firsts, known = [], {item["notificationUUID"] for item in mine}
        for payload, _ in receiver.received:
            uuid = offline_notification(payload, YEAR).notificationUUID
            if uuid in known and uuid not in firsts:
                firsts.append(uuid)
        expect(f"seed {seed}: {account}'s first attempts in order", firsts, [item["notificationUUID"] for item in mine])
    repeated = len(receiver.received) - attempts
    print(f"  {len(notifications)} notifications, {attempts} attempts, {repeated} repeated after a kill")
    call("DELETE", f"/admin/v1/apps/{YEAR}/notifications/endpoint", ADMIN)


def renewed(by, key):
    """Moves the clock, over whatever ends meanwhile, and counts each account's renewals: one key is one move."""
    while True:
        try:
            moved = call("POST", f"/admin/v1/apps/{YEAR}/clock/advance", ADMIN, {"by": by}, key)
            if moved["isFinished"]:
                return collections.Counter(
                    event["account"] for event in moved["events"] if event["kind"] == "renewed")
        except OSError:
            time.sleep(0.1)


def eventually_settled():
    """Moves past the last retries until nothing is due; claims of killed processes end after 15 seconds."""
    last, late = time.monotonic() + 90, collections.Counter()
    while True:
        late += renewed("7d", f"y-end-{time.monotonic()}")
        try:
            found = call("GET", f"/admin/v1/apps/{YEAR}/notifications/settled?timeout=10", ADMIN)
            waiting = call("GET", f"/admin/v1/apps/{YEAR}/notifications?state=retrying", ADMIN)["notifications"]
        except OSError:
            time.sleep(0.1)
            continue
        if found["settled"] and not waiting or time.monotonic() > last:
            expect("the year is settled", (found["settled"], len(waiting)), (True, 0))
            return found, late
