import base64
import datetime
import os
import uuid

from .endpoint import Endpoint
from .notifications import Notifications


class Store:
    """An isolated store: a catalogue, customers, a clock and notifications of its own, until it is closed."""

    def __init__(self, installation, made):
        self._installation = installation
        #: `t-7`.
        self.name = made["store"]
        #: The address whose paths all mean this store, as the test reaches it: `http://127.0.0.1:7430/s/t-7`.
        self.url = f"{installation.url}/s/{self.name}"
        self.bundle_id = made["bundleId"]
        #: The operator's token for this store's data.
        self.admin_key = made["adminKey"]
        #: The App Store Server API's, as Apple's libraries take them.
        self.issuer_id, self.key_id, self.private_key = made["issuerId"], made["keyId"], made["privateKey"]
        #: The certificate that verifies what the store signs, DER.
        self.root_certificate = base64.b64decode(made["rootCertificate"])
        self.seed = made["seed"]
        self.expires_at = made["expiresAt"]
        self._endpoint = Endpoint(self.url, self.admin_key)
        self._notifications = None
        self.clock = Clock(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Removes the store and all that it has. Closing it again does nothing."""
        if self._notifications:
            self._notifications.close()
        if self._installation:
            self._installation.request("DELETE", f"/admin/v1/stores/{self.name}")
            self._installation = None

    def fork(self, *, running=False, lifetime="1h"):
        """Makes another store with everything that this one has now. Doing the same in both shows the same."""
        return self._installation.fork(self.name, running=running, lifetime=lifetime)

    def snapshot(self, name, *, lifetime="7d"):
        """Keeps the store as it is now under a name, for `Installation.fork` and the fixture's `snapshot=`."""
        self._installation.request(
            "POST", f"/admin/v1/stores/{self.name}/snapshot", {"name": name, "ttl": lifetime})

    def request(self, method, path, body=None, *, query=None, key=None, token=None):
        """Sends an operator's request to the store: `request("GET", "/admin/v1/transactions")`."""
        return self._endpoint.request(method, path, body, query=query, key=key, token=token)

    @property
    def app_path(self):
        """Where the operator's paths of the store's app begin."""
        return f"/admin/v1/apps/{self.bundle_id}"

    def customer(self, account="alice", device=None):
        """A customer with the app on a device, by default `alice-1`."""
        return Customer(self, account, device or f"{account}-1")

    @property
    def notifications(self):
        """The notifications that the store sends, from the first use of this property on."""
        if self._notifications is None:
            self._notifications = Notifications(self)
        return self._notifications

    def environment(self):
        """The variables of `storebus env`, for a server that the test starts."""
        return {
            "STOREBUS_URL": self.url, "STOREBUS_STORE": self.name, "STOREBUS_BUNDLE_ID": self.bundle_id,
            "STOREBUS_ADMIN_KEY": self.admin_key, "STOREBUS_ISSUER_ID": self.issuer_id, "STOREBUS_KEY_ID": self.key_id,
            "STOREBUS_PRIVATE_KEY": self.private_key,
            "STOREBUS_ROOT_CERTIFICATE": base64.b64encode(self.root_certificate).decode()}

    def verifier(self):
        """Apple's `SignedDataVerifier` for what this store signs. It needs app-store-server-library."""
        from appstoreserverlibrary.models.Environment import Environment
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

        return SignedDataVerifier([self.root_certificate], False, Environment.SANDBOX, self.bundle_id)


class Clock:
    """The clock of a store, from which all its dates come."""

    def __init__(self, store):
        self._store = store

    def now(self):
        return datetime.datetime.fromisoformat(self._read()["now"].replace("Z", "+00:00"))

    def _read(self):
        return self._store.request("GET", f"{self._store.app_path}/clock")

    def advance(self, by):
        """Moves the clock by a timedelta, or by words such as `1mo`, `7d` or `90s`.

        Renewals, retries and expiries on the way happen in order, each at its own time. They have happened when it
        returns. Returns what the store says of them.
        """
        if isinstance(by, datetime.timedelta):
            by = f"{round(by.total_seconds())}s"
        return self._move({"by": by})

    def advance_to(self, instant):
        """Moves the clock to a datetime or to `2026-02-01T00:00:00Z`, as `advance`."""
        return self._move({"to": instant if isinstance(instant, str) else instant.isoformat()})

    def _move(self, body):
        key = str(uuid.uuid4())
        while True:
            moved = self._store.request("POST", f"{self._store.app_path}/clock/advance", body, key=key)
            # The same key asks how far it is.
            if moved["isFinished"]:
                return moved


class Customer:
    """A customer of a store, as the app on a device sees the store. Transactions are the API's JSON, as dicts."""

    def __init__(self, store, account, device):
        self._store = store
        self.account = account
        self.device = device
        self._token = None

    def request(self, method, path, body=None, *, query=None, key=None):
        """Sends an app's request: `request("GET", "/v1/subscriptions")`."""
        if self._token is None:
            session = {
                "bundleId": self._store.bundle_id, "account": self.account, "deviceId": self.device,
                "platform": "iOS", "osVersion": "18.0", "appVersion": "1.0"}
            self._token = self._store.request("POST", "/v1/sessions", session)["token"]
        return self._store.request(method, path, body, query=query, key=key, token=self._token)

    def buy(self, product, *, key=None, **members):
        """Buys a product once, and returns the transaction: look at its `transactionState`.

        `members` are those of `PaymentRequest`, such as `quantity=2` or `appAccountToken="…"`. Requests with one `key`
        are one purchase.
        """
        body = {"productIdentifier": product, **members}
        return self.request("POST", "/v1/payments", body, key=key or str(uuid.uuid4()))

    def finish(self, transaction):
        """Takes a transaction out of the queue, as an app does that has delivered it."""
        return self.request("POST", f"/v1/transactions/{transaction['id']}/finish")

    def unfinished(self):
        """The transactions in the queue, oldest first."""
        found, after = [], None
        while True:
            page = self.request("GET", "/v1/transactions", query={"after": after})
            found += page["transactions"]
            if not (after := page.get("after")):
                return found

    def receipt(self):
        """The receipt that the app sends to its server, base64."""
        return self.request("GET", "/v1/receipt")["receiptData"]

    def set(self, **settings):
        """Replaces the account's settings, such as `askToBuy=True` or `failRenewals=True`. None sets them all back."""
        return self._store.request("PUT", f"/admin/v1/testers/{self.account}", settings)
