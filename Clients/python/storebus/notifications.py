import base64
import http.server
import json
import threading
import time


class Notification:
    """A version 2 notification. Its parts are read and not verified: `Store.verifier()` verifies `signed`."""

    def __init__(self, signed):
        #: The signedPayload, as a server gets it.
        self.signed = signed
        self.payload = decoded(signed)
        self.type, self.subtype = self.payload["notificationType"], self.payload.get("subtype")
        self.uuid = self.payload["notificationUUID"]
        data = self.payload.get("data", {})
        #: What signedTransactionInfo and signedRenewalInfo have inside, or None.
        self.transaction = decoded(data["signedTransactionInfo"]) if "signedTransactionInfo" in data else None
        self.renewal = decoded(data["signedRenewalInfo"]) if "signedRenewalInfo" in data else None

    def __repr__(self):
        return " ".join(filter(None, (self.type, self.subtype, (self.transaction or {}).get("productId"))))


def decoded(jws):
    """The payload of a JWS."""
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Notifications:
    """A server on a free port that takes what a store sends to the app's server."""

    def __init__(self, store):
        self._store = store
        self._condition = threading.Condition()
        #: All that came, in order.
        self.received = []
        self._taken = set()
        # A store in a container comes from another address than this machine's own.
        name = store._installation.this_machine
        self._server = http.server.ThreadingHTTPServer(("" if name else "127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://{name or '127.0.0.1'}:{self._server.server_port}/"
        store.request("PUT", f"{store.app_path}/notifications/endpoint", {"url": self.url, "retry": "fast"})

    def _handler(self):
        notifications = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                notifications._take(Notification(body["signedPayload"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        return Handler

    def _take(self, notification):
        with self._condition:
            # A store sends a notification again if it has not seen the response.
            if all(known.uuid != notification.uuid for known in self.received):
                self.received.append(notification)
                self._condition.notify_all()

    def wait(self, type, subtype=None, *, where=None, timeout=10.0):
        """Waits for a notification that no earlier call has returned, and returns it.

        `subtype` None matches any. `where` is a function of the notification. TimeoutError names what came instead.
        """
        end = time.monotonic() + timeout
        with self._condition:
            while True:
                for one in self.received:
                    if one.uuid not in self._taken and one.type == type and subtype in (None, one.subtype) and (
                            where is None or where(one)):
                        self._taken.add(one.uuid)
                        return one
                if not self._condition.wait(end - time.monotonic()):
                    came = ", ".join(
                        f"{one!r}" + (" (returned before)" if one.uuid in self._taken else "") for one in self.received)
                    raise TimeoutError(
                        f"no {type}{f'.{subtype}' if subtype else ''} within {timeout:g} s; came: {came or 'nothing'}")

    def settle(self, timeout=20.0):
        """Waits until the store has no notification left to send by its clock. What it sent is in `received` then."""
        end = time.monotonic() + timeout
        while True:
            left = max(0.0, min(end - time.monotonic(), 4.0))
            state = self._store.request(
                "GET", f"{self._store.app_path}/notifications/settled", query={"timeout": f"{int(left * 1000)}ms"})
            if state["settled"]:
                return self.received
            if left == 0:
                raise TimeoutError(f"{state['pending']} notifications are not delivered after {timeout:g} s")

    def close(self):
        self._server.shutdown()
        self._server.server_close()
