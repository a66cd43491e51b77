"""What the libraries of other languages send otherwise than Python's, as their sources have it.

Node.js has a `?` behind every path, with or without a query. Java and Node.js send an empty body with a POST that has
none, Java without a type. Swift and Java repeat a parameter for each of its values. All want JSON back, whatever happens.
"""

import http.client
import json
import shutil
import subprocess
import os
import sys
import urllib.parse

from store import ADMIN, APP, URL, buy, call, expect, section, session
from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "Examples", "app-servers")


def main():
    section("as the libraries of other languages ask")
    key = call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"})
    api = AppStoreServerAPIClient(
        key["secret"].encode(), key["keyIdentifier"], key["issuerId"], APP, Environment.SANDBOX)
    bought = buy(session("shane", APP), "com.example.fishingHotSpots", "s-spots")["transactionIdentifier"]

    def ask(method, path, headers=(), body=None):
        host = urllib.parse.urlsplit(URL).netloc
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.putrequest(method, path, skip_accept_encoding=True)
        connection.putheader("Authorization", "Bearer " + api._generate_token())
        for name, value in (("Accept", "application/json"), *headers):
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), json.loads(answer.read())

    status, kind, found = ask("GET", f"/inApps/v1/transactions/{bought}?", [("User-Agent", "app-store-server-library/node/3.1.0")])
    expect("node: an empty query", (status, list(found)), (200, ["signedTransactionInfo"]))
    expect("node: JSON", kind.split(";")[0], "application/json")
    status, _, found = ask("GET", "/inApps/v1/transactions/1?")
    expect("node: an error is JSON with its number", (status, found["errorCode"]), (404, 4040010))
    history = f"/inApps/v2/history/{bought}?"
    status, _, found = ask("GET", history + "productId=com.example.fishingHotSpots&productId=other&sort=DESCENDING")
    expect("java, swift: a parameter once for each value", (status, len(found["signedTransactions"])), (200, 1))
    status, _, found = ask("GET", history + "productId=other")
    expect("and it filters", (status, len(found["signedTransactions"])), (200, 0))
    call("PUT", f"/admin/v1/apps/{APP}/notifications/endpoint", ADMIN, {"url": "http://127.0.0.1:9/"})
    for name, headers in (("java: an empty body without a type", []), ("node: with one", [("Content-Type", "application/json")])):
        status, _, found = ask("POST", "/inApps/v1/notifications/test", headers, b"")
        expect(name, (status, list(found)), (200, ["testNotificationToken"]))
    call("DELETE", f"/admin/v1/apps/{APP}/notifications/endpoint", ADMIN)
    examples(key, bought)


def examples(key, bought):
    """The examples that this machine has the libraries for, in a directory as their README makes it."""
    with open("AuthKey.p8", "w") as file:
        file.write(key["secret"])
    with open(".storebus/root.cer", "rb") as root, open("root.cer", "wb") as file:
        file.write(root.read())
    environment = dict(
        os.environ, STOREBUS_URL=URL, KEY_ID=key["keyIdentifier"], ISSUER_ID=key["issuerId"], BUNDLE_ID=APP)
    commands = [[sys.executable, f"{EXAMPLES}/check.py"], [f"{EXAMPLES}/check.sh"]]
    if shutil.which("go"):
        environment.update(GO111MODULE="off", GOCACHE=os.path.abspath("go"))
        commands.append(["go", "run", f"{EXAMPLES}/check.go"])
    for command in commands:
        done = subprocess.run(command + [bought], env=environment, capture_output=True, text=True, timeout=60)
        expect(os.path.basename(command[-1]), done.stdout + done.stderr, "com.example.fishingHotSpots\n")
