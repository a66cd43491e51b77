"""A store in containers, and customers who buy from it: what scripts/kill-matrix and scripts/compose-drill share."""

import collections
import http.client
import json
import os
import pathlib
import subprocess
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = "com.example.fishingHotSpots"


class Store:
    """A project of `docker compose`, named by the environment, whose door is at `port`."""

    def __init__(self, port, files=(), scales=(), environment=None):
        self.port = port
        self.files = [word for file in files for word in ("-f", file)]
        self.scales = dict(scale.split("=") for scale in scales)
        self.environment = os.environ | (environment or {})

    def compose(self, *words, quiet=False):
        result = subprocess.run(
            ["docker", "compose", *self.files, *words], cwd=ROOT, env=self.environment, capture_output=True, text=True)
        if result.returncode and not quiet:
            raise SystemExit(f"docker compose {' '.join(words)}: {result.stderr}")
        return result.stdout

    def up(self, **more):
        scales = self.scales | more
        words = [word for service, count in scales.items() for word in ("--scale", f"{service}={count}")]
        self.compose("up", "--wait", "--no-build", "--no-recreate", "--wait-timeout", "120", *words)

    def down(self):
        self.compose("--profile", "cli", "down", "--volumes", "--timeout", "5", quiet=True)

    def services(self):
        return self.compose("config", "--services").split()

    def container(self, service):
        return self.compose("ps", "--all", "--quiet", service).split()[0]

    def kill(self, service):
        subprocess.run(["docker", "kill", self.container(service)], check=True, capture_output=True)

    def crash(self, service):
        pid = subprocess.run(
            ["docker", "inspect", "--format", "{{.State.Pid}}", self.container(service)], check=True,
            capture_output=True, text=True).stdout.strip()
        os.kill(int(pid), 9)

    def call(self, method, path, body=None, headers=None, timeout=10):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(
                method, path, json.dumps(body) if body is not None else None,
                {"Content-Type": "application/json", **(headers or {})} if body is not None else headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def token(self, account):
        body = {"bundleId": "com.example.app", "deviceId": f"d-{account}", "account": account, "platform": "iOS",
                "osVersion": "18.0", "appVersion": "1.0"}
        return json.loads(self.call("POST", "/v1/sessions", body)[1])["token"]

    def keys(self):
        """How often each key was sold."""
        admin = self.compose("exec", "-T", "gateway", "cat", "/var/lib/storebus/secrets/admin.key").strip()
        found, after = collections.Counter(), ""
        while True:
            path = "/admin/v1/transactions?limit=100" + (f"&after={after}" if after else "")
            status, body = self.call("GET", path, headers={"Authorization": f"Bearer {admin}"}, timeout=30)
            if status != 200:
                raise SystemExit(f"{path}: {status} {body!r}")
            page = json.loads(body)
            for transaction in page["transactions"]:
                if transaction["transactionState"] == "purchased":
                    found[transaction["payment"]["requestIdentifier"]] += 1
            after = page.get("after")
            if not after:
                return found


class Load:
    """So many workers that buy until they are stopped. Each opens a connection for each call, and repeats a purchase
    with the same key every 0.2 s until it is acknowledged with 201."""

    def __init__(self, store, workers):
        self.store, self.is_over = store, False
        self.lock = threading.Lock()
        self.failures = collections.Counter()
        self.acknowledged, self.given_up, self.instants = [], [], []
        self.tokens = [store.token(f"worker-{number}") for number in range(workers)]

    def __enter__(self):
        self.begin = time.monotonic()
        self.threads = [threading.Thread(target=self.work, args=(token,)) for token in self.tokens]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def work(self, token):
        while not self.is_over:
            self.buy(token, str(uuid.uuid4()))

    def buy(self, token, key):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            outcome = self.attempt(token, key)
            now = time.monotonic()
            with self.lock:
                if outcome == "201":
                    self.acknowledged.append(key)
                    self.instants.append(now)
                    return
                self.failures[outcome] += 1
            time.sleep(0.2)
        with self.lock:
            self.given_up.append(key)

    def attempt(self, token, key):
        try:
            status, _ = self.store.call(
                "POST", "/v1/payments", {"productIdentifier": PRODUCT, "quantity": 1},
                {"Authorization": f"Bearer {token}", "Idempotency-Key": key}, timeout=40)
            return str(status)
        except ConnectionRefusedError:
            return "refused"
        except OSError:
            return "disconnected"
        except http.client.HTTPException:
            return "disconnected"

    def gap(self, since=None):
        """The longest time without an acknowledged purchase."""
        begin, end = self.longest(since)
        return end - begin

    def longest(self, since=None):
        """The instants between which nothing was acknowledged for the longest time."""
        begin = since or self.begin
        instants = [begin] + sorted(instant for instant in list(self.instants) if instant > begin)
        return max(zip(instants, instants[1:]), key=lambda pair: pair[1] - pair[0], default=(begin, begin))

    def wait_for_purchase(self, seconds=60):
        """Returns once something was bought that was not begun before."""
        number = len(self.instants) + len(self.threads)
        deadline = time.monotonic() + seconds
        while len(self.instants) <= number:
            if time.monotonic() > deadline:
                raise SystemExit(f"no purchase within {seconds} s: {self.refusals()}")
            time.sleep(0.1)

    def verdict(self):
        """Acknowledged keys that the store does not have, keys it has twice, and keys without an acknowledgement."""
        sold = self.store.keys()
        lost = [key for key in self.acknowledged if not sold[key]]
        return lost, [key for key, count in sold.items() if count > 1], self.given_up

    def refusals(self):
        """What was answered other than 201."""
        return ", ".join(f"{count} x {code}" for code, count in self.failures.most_common()) or "-"
