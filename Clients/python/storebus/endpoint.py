"""Requests to a gateway. Each has a connection of its own, so objects may be used from several threads."""

import http.client
import json
import urllib.parse

from .errors import StoreError

#: Seconds until a request that gets no response fails.
TIMEOUT = 30


class Endpoint:
    """The address of an installation or of an isolated store, with the token that its requests have."""

    def __init__(self, url, token=None):
        self.url = url.rstrip("/")
        self.token = token
        self._parts = urllib.parse.urlsplit(self.url)
        if self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise ValueError(f"{url!r} is not the address of a store, such as http://127.0.0.1:7430")

    def request(self, method, path, body=None, *, query=None, key=None, token=None):
        """Sends a request and returns the response's JSON, or None for a response without a body.

        `body` is JSON, or bytes that are sent as they are. `key` is the Idempotency-Key.
        """
        target = self._parts.path + path
        values = {name: value for name, value in (query or {}).items() if value is not None}
        if values:
            target += "?" + urllib.parse.urlencode(values)
        headers = {"Accept": "application/json"}
        if token or self.token:
            headers["Authorization"] = f"Bearer {token or self.token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
            if not isinstance(body, bytes):
                body = json.dumps(body).encode()
        https = self._parts.scheme == "https"
        connection = (http.client.HTTPSConnection if https else http.client.HTTPConnection)(
            self._parts.hostname, self._parts.port, timeout=TIMEOUT)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            data = response.read()
        finally:
            connection.close()
        if response.status < 300:
            return json.loads(data) if data else None
        try:
            problem = json.loads(data)
        except ValueError:
            problem = {"detail": data[:200].decode(errors="replace")}
        raise StoreError(response.status, problem, f"{method} {target}")
