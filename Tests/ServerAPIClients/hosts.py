"""Apple's own host names: the library as it is, on a machine whose names lead here and that trusts the store's root.

What /etc/hosts does, and a port in place of 443, is done to this process's resolver; REQUESTS_CA_BUNDLE is what the
documentation says. Nothing of the library is changed, not even its address.
"""

import os
import socket
import ssl

import requests
from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment

from store import ADMIN, APP, buy, call, decoded, expect, section, session

HOSTS = ["api.storekit-sandbox.itunes.apple.com", "api.storekit-sandbox.apple.com", "sandbox.itunes.apple.com"]


def main():
    section("Apple's host names, by HTTPS")
    port = int(os.environ["STOREBUS_HTTPS_PORT"])
    resolve = socket.getaddrinfo

    def here(host, *more, **named):
        return resolve("127.0.0.1", port, *more[1:], **named) if host in HOSTS else resolve(host, *more, **named)

    socket.getaddrinfo = here
    os.environ["REQUESTS_CA_BUNDLE"] = os.path.abspath(".storebus/root.pem")
    try:
        key = call("POST", f"/admin/v1/apps/{APP}/keys", ADMIN, {"kind": "inAppPurchase"})
        api = AppStoreServerAPIClient(
            key["secret"].encode(), key["keyIdentifier"], key["issuerId"], APP, Environment.SANDBOX)
        bought = buy(session("henry", APP), "com.example.fishingHotSpots", "h-spots")
        signed = api.get_transaction_info(bought["transactionIdentifier"]).signedTransactionInfo
        found = decoded("transaction", "by Apple's name", signed)
        expect("the transaction", found.transactionId, bought["transactionIdentifier"])
        for host in HOSTS:
            answer = requests.get(f"https://{host}/inApps/v1/transactions/1", timeout=30)
            expect(f"{host}: without a token", (answer.status_code, answer.text.strip()), (401, "Unauthenticated"))
        receipt = requests.post("https://sandbox.itunes.apple.com/verifyReceipt", json={"receipt-data": ""}, timeout=30)
        expect("verifyReceipt, too", receipt.status_code, 200)
        answer = requests.get(f"https://localhost:{port}/openapi.json", timeout=30)
        expect("by this machine's name", answer.status_code, 200)
        expect("TLS 1.2", tls(port, ssl.TLSVersion.TLSv1_2), "TLSv1.2")
        expect("TLS 1.1", tls(port, ssl.TLSVersion.TLSv1_1), None)
    finally:
        socket.getaddrinfo = resolve
        del os.environ["REQUESTS_CA_BUNDLE"]


def tls(port, version):
    """The version that a client gets that has no later one; None when it is refused."""
    context = ssl.create_default_context(cafile=".storebus/root.pem")
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as wrapped:
                return wrapped.version()
    except (ssl.SSLError, OSError):
        return None
