"""The store behind the console: the operator's requests, and an app that buys and finishes."""

import base64
import contextlib
import http.server
import json
import pathlib
import threading
import urllib.error
import urllib.parse
import urllib.request

# The store is on loopback: a proxy of the environment has no part in it.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
APP = "com.example.app"


def claims(jws):
    """What a JWS says."""
    body = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


@contextlib.contextmanager
def receiver(statuses):
    """An app's server: its address, and the payloads it is sent. It answers with these statuses, then with 200."""
    received, left = [], list(statuses)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(json.loads(body)["signedPayload"])
            status = left.pop(0) if left else 200
            answer = b"out of order" if status >= 400 else b""
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/apple", received
    finally:
        server.shutdown()
        server.server_close()


class Store:
    def __init__(self, url, data):
        self.url, self.data = url, pathlib.Path(data)
        self.key = (self.data / "admin.key").read_text().strip()

    def ask(self, method, path, body=None, token=None, key=None):
        headers = {"Authorization": f"Bearer {token or self.key}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with OPENER.open(request, timeout=30) as response:
                text = response.read()
        except urllib.error.HTTPError as problem:
            raise AssertionError(f"{method} {path}: {problem.code} {problem.read().decode()}") from None
        return json.loads(text) if text else None

    def session(self, account, client="app", device=None):
        body = {"client": client, "bundleId": APP, "deviceId": device or f"{account}-1", "account": account,
                "platform": "iOS", "osVersion": "18.0"}
        if client == "app":
            body |= {"appVersion": "1.0", "promotedPurchases": "delegate"}
        return self.ask("POST", "/v1/sessions", body)["token"]

    def buy(self, account, product, key, **more):
        body = {"productIdentifier": product, **more}
        return self.ask("POST", "/v1/payments", body, token=self.session(account), key=key)

    def tester(self, account, **settings):
        return self.ask("PUT", f"/admin/v1/testers/{urllib.parse.quote(account)}", settings)

    def transactions(self, **query):
        return self.ask("GET", f"/admin/v1/transactions?{urllib.parse.urlencode(query)}")

    def pid(self, service):
        return json.loads((self.data / f"run/{service}.1.ready").read_text())["pid"]

    @contextlib.contextmanager
    def app(self, account):
        """An app that runs: its open stream, as events come. It continues promoted purchases and finishes what is bought."""
        token = self.session(account)
        request = urllib.request.Request(f"{self.url}/v1/transactions/stream", headers={"Authorization": f"Bearer {token}"})
        stream = OPENER.open(request, timeout=60)
        finished = []

        def follow():
            # The end of the stream closes it below this thread.
            name = None
            with contextlib.suppress(OSError, ValueError, AttributeError):
                for line in stream:
                    line = line.decode().rstrip("\n")
                    if line.startswith("event: "):
                        name = line.removeprefix("event: ")
                    elif line.startswith("data: "):
                        took(name, json.loads(line.removeprefix("data: ")))

        def took(name, data):
            if name == "promotedPurchase":
                intent = data["intent"]["intentIdentifier"]
                self.ask("POST", f"/v1/intents/{intent}/decision", {"decision": "continue"}, token=token)
            for transaction in data.get("transactions", []):
                if transaction["transactionState"] in ("purchased", "failed") and transaction["id"] not in finished:
                    self.ask("POST", f"/v1/transactions/{transaction['id']}/finish", {}, token=token)
                    finished.append(transaction["id"])

        threading.Thread(target=follow, daemon=True).start()
        try:
            yield finished
        finally:
            stream.close()
