"""What the checks share: expectations, the verifiers and the client of Apple's library, and calls to the store."""

import base64
import json
import os
import sys
import urllib.parse
import urllib.request
from datetime import datetime

from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus

APP, OTHER, SAMPLE = "com.example.server", "com.example.server.other", "com.example.app"
MONTHLY, YEARLY = "com.example.pro.monthly", "com.example.pro.yearly"
BEACHES, SPOTS = "com.example.hiddenBeaches", "com.example.fishingHotSpots"

# --- what is expected

checks = 0
wrong = []


def section(title):
    print(f"{title}")


def expect(what, found, expected):
    global checks
    checks += 1
    if found != expected:
        wrong.append(what)
        print(f"  WRONG {what}: {found!r}, not {expected!r}")


def refused(what, status, error, ask):
    """The library's exception for a refusal: HTTP status, and Apple's number as the library knows it."""
    try:
        answer = ask()
        expect(what, answer, "a refusal")
    except APIException as exception:
        expect(f"{what}, HTTP status", exception.http_status_code, status)
        expect(f"{what}, error", exception.api_error, error)
        expect(f"{what}, a sentence", bool(exception.error_message), error is not None)


def finish():
    """Ends the process: with a failure when a check has failed."""
    if wrong:
        sys.exit(f"server-api-clients: {len(wrong)} of {checks} checks failed; the first: {wrong[0]}")
    print(f"server-api-clients: {checks} checks, and every one is as expected")


# --- what the library verifies

with open(".storebus/root.cer", "rb") as file:
    ROOT = file.read()


def verifier(online, environment=Environment.SANDBOX, app=APP, root=ROOT, number=None):
    return SignedDataVerifier([root], online, environment, app, number)


def status_of(verify, signed):
    """How the library verifies: 0, or the number of its failure."""
    try:
        verify(signed)
        return VerificationStatus.OK
    except VerificationException as exception:
        return exception.status


offline = verifier(False)
KINDS = {
    "transaction": SignedDataVerifier.verify_and_decode_signed_transaction,
    "renewal": SignedDataVerifier.verify_and_decode_renewal_info,
    "app transaction": SignedDataVerifier.verify_and_decode_app_transaction,
    "notification": SignedDataVerifier.verify_and_decode_notification,
}
payloads = {}


def decoded(kind, what, signed, environment=Environment.SANDBOX, number=None, app=APP):
    """Verifies a payload offline and online, and returns it. A new verifier has no chain in its cache: it asks."""
    found = []
    for online in (False, True):
        try:
            found.append(KINDS[kind](verifier(online, environment, app, number=number), signed))
        except VerificationException as exception:
            found.append(exception.status)
    expect(f"{what}, verified offline", isinstance(found[0], VerificationStatus), False)
    expect(f"{what}, verified online", found[1], found[0])
    header = json.loads(base64.urlsafe_b64decode(signed.split(".")[0] + "=="))
    expect(f"{what}, header", (sorted(header), header["alg"], len(header["x5c"])), (["alg", "x5c"], "ES256", 3))
    payload = json.loads(base64.urlsafe_b64decode(signed.split(".")[1] + "=="))
    expect(f"{what}, nothing that verifiers would judge", {"iat", "exp", "nbf", "aud"} & set(payload), set())
    expect(f"{what}, nothing is null", [name for name, value in payload.items() if value is None], [])
    payloads.setdefault(kind, [app, signed])
    return found[0]


# --- the store

URL = sys.argv[1]
ADMIN = os.environ.get("STOREBUS_ADMIN_KEY", "")


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


def one_level():
    """The sample catalogue with its subscriptions at one level, and without a grace period."""
    catalog = json.loads(raw(f"/admin/v1/apps/{SAMPLE}/catalog"))
    for product in catalog["subscriptionGroups"][0]["subscriptions"]:
        product["groupNumber"] = 1
    catalog["settings"]["_billingGracePeriodEnabled"] = False
    return catalog


def client(key, app=APP, environment=Environment.SANDBOX, **changed):
    """The library's client, at this store's address."""
    made = {"secret": key["secret"], "keyIdentifier": key["keyIdentifier"], "issuerId": key["issuerId"], **changed}
    api = AppStoreServerAPIClient(
        made["secret"].encode(), made["keyIdentifier"], made["issuerId"], app, environment)
    api._base_url = URL
    return api


def session(account, app=APP):
    device = {"bundleId": app, "deviceId": f"{account}-1", "account": account, "platform": "iOS", "osVersion": "17.4"}
    return call("POST", "/v1/sessions", body={**device, "appVersion": "1.0"})["token"]


def buy(token, product, key, **more):
    body = {"productIdentifier": product, "quantity": 1, **more}
    bought = call("POST", "/v1/payments", token, body, key=key)
    expect(f"buying {key}", bought["transactionState"], "purchased")
    call("POST", f"/v1/transactions/{bought['id']}/finish", token)
    return bought


def milliseconds(text):
    instant = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(instant.timestamp() * 1000)


def clock(app=APP):
    return milliseconds(call("GET", f"/admin/v1/apps/{app}/clock", ADMIN)["now"])


# Transactions that the store made, not the customer.
renewals = set()


def advance(key, app=APP, **how):
    moved = call("POST", f"/admin/v1/apps/{app}/clock/advance", ADMIN, how, key=key)
    expect(f"everything due by then has happened ({key})", moved["isFinished"], True)
    for event in moved["events"]:
        if event["kind"] in ("renewed", "recovered"):
            renewals.add(event["transactionIdentifier"])
    return moved


def bought_by(token):
    """What the app knows of its purchases, by transaction identifier, all pages."""
    found = call("GET", "/v1/history", token)
    while found.get("next"):
        more = call("GET", f"/v1/history?{urllib.parse.urlencode({'after': found['next']})}", token)
        found = {"transactions": found["transactions"] + more["transactions"], "next": more.get("next")}
    return {item["transactionIdentifier"]: item for item in found["transactions"]}
