"""Prepares a store for a run, and prints the credentials as lines a shell can read.

    python prepare.py http://127.0.0.1:7430      (STOREBUS_ADMIN_KEY is set)

Writes the gateway's document to openapi.json. Sells the sample catalogue in a second app, which the run may reset and
change. Leaves purchases that wait for a parent, so that there are prompts to answer, one of hosted content, so that there
are downloads, a subscription, a purchase that began in the store, and a test notification that was delivered.
"""

import json
import os
import sys
import time
import urllib.request

import jwt
from hooks import ACCOUNT, APP, SCRATCH_APP

URL = sys.argv[1]
GUIDE = "com.example.contract.guide"
ADMIN = os.environ["STOREBUS_ADMIN_KEY"]


def call(method, path, token=None, body=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    if data is not None and "Content-Type" not in headers:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def session(account, **members):
    body = {"bundleId": APP, "deviceId": f"{account}-1", "account": account, "platform": "iOS", "osVersion": "17.4"}
    return json.loads(call("POST", "/v1/sessions", body={**body, **members}))["token"]


def buy(token, product, key):
    payment = {"productIdentifier": product, "quantity": 1}
    return json.loads(call("POST", "/v1/payments", token, payment, Idempotency_Key=key))


with open("openapi.json", "wb") as file:
    file.write(call("GET", "/openapi.json"))

call("PUT", f"/admin/v1/apps/{SCRATCH_APP}/catalog", ADMIN, call("GET", f"/admin/v1/apps/{APP}/catalog", ADMIN))
app = session(ACCOUNT, appVersion="1.0")
store = session(ACCOUNT, client="store")
key = json.loads(call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "api"}))["secret"]

signing = json.loads(call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"}))
now = int(time.time())
server = jwt.encode(
    {"iss": signing["issuerId"], "iat": now, "exp": now + 3600, "aud": "appstoreconnect-v1", "bid": APP},
    signing["secret"], algorithm="ES256", headers={"kid": signing["keyIdentifier"]},
)

product = json.loads(call("GET", f"/admin/v1/apps/{APP}/products", ADMIN))["products"][0]["productIdentifier"]
call("PUT", "/admin/v1/testers/child", ADMIN, {"askToBuy": True})
child = session("child", appVersion="1.0")
for number in range(8):
    buy(child, product, f"prompt-{number}")

catalog = json.loads(call("GET", f"/admin/v1/apps/{APP}/catalog", ADMIN))
catalog["products"].append(
    {
        "type": "NonConsumable",
        "productID": GUIDE,
        "displayPrice": "1.99",
        "localizations": [{"locale": "en_US", "displayName": "Guide", "description": "A guide to keep."}],
        "hostedContent": {"version": "1.0", "lengths": [1000]},
    }
)
call("PUT", f"/admin/v1/apps/{APP}/catalog", ADMIN, catalog)
call(
    "PUT", f"/admin/v1/apps/{APP}/products/{GUIDE}/content?version=1.0", ADMIN, bytes(1000),
    Content_Type="application/octet-stream",
)
download = buy(app, GUIDE, "guide")["downloads"][0]["id"]
subscription = buy(app, "com.example.pro.monthly", "subscription")["transactionIdentifier"]

started = call("POST", "/v1/store-page/purchase", store, {"productIdentifier": "com.example.hiddenBeaches"})
intent = json.loads(started)["intentIdentifier"]

# A test notification with an attempt that has ended.
notifications = f"/admin/v1/apps/{APP}/notifications"
call("PUT", f"{notifications}/endpoint", ADMIN, {"url": "listen:"})
test = json.loads(call("POST", "/inApps/v1/notifications/test", server))["testNotificationToken"]
sent = False
for _ in range(10):
    leased = json.loads(call("POST", f"{notifications}/lease", ADMIN, {"max": 32, "waitMs": 2000}))["attempts"]
    for attempt in leased:
        report = f"{notifications}/attempts/{attempt['attemptIdentifier']}"
        call("POST", report, ADMIN, {"sendAttemptResult": "SUCCESS"})
        sent = sent or test.startswith(attempt["notificationUUID"])
    if sent:
        break
else:
    sys.exit("error: the test notification was not leased within 20 s; is app-store-server running?")

print(f"export STOREBUS_APP_TOKEN={app} STOREBUS_STORE_TOKEN={store} STOREBUS_API_KEY={key}")
print(f"export STOREBUS_SERVER_TOKEN={server} STOREBUS_TEST_NOTIFICATION={test}")
print(f"export STOREBUS_DOWNLOAD={download} STOREBUS_SUBSCRIPTION={subscription} STOREBUS_INTENT={intent}")
