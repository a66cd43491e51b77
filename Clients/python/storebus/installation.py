import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from urllib.parse import quote

from .endpoint import Endpoint
from .store import Store

#: Seconds that a store has to start.
STARTUP = 30


class Installation:
    """A running Storebus, as its operator reaches it."""

    def __init__(self, url, admin_key, *, this_machine=None):
        #: The name by which the store reaches servers of this machine. None for a store on it.
        self.this_machine = this_machine
        self._endpoint = Endpoint(url, admin_key)
        self._process = None
        self._directory = None

    @property
    def url(self):
        return self._endpoint.url

    @classmethod
    def from_environment(cls):
        """The installation that `storebus env` names."""
        url, key = os.environ.get("STOREBUS_URL", "http://127.0.0.1:7430"), os.environ.get("STOREBUS_ADMIN_KEY")
        if not key:
            raise ValueError('STOREBUS_ADMIN_KEY is not set: start a store with storebus up, then eval "$(storebus env)"')
        # The variable may name an isolated store.
        return cls(url.partition("/s/")[0], key)

    @classmethod
    def start(cls, executable=None):
        """Starts an installation of its own, on free ports and in a directory that `stop` removes.

        `executable` is the command line, by default the `storebus` of PATH.
        """
        found = executable or shutil.which("storebus")
        if not found:
            raise FileNotFoundError("there is no storebus on PATH; make build, or name the executable")
        directory = pathlib.Path(tempfile.mkdtemp(prefix="storebus-"))
        with open(directory / "up.json", "wb") as out, open(directory / "up.log", "wb") as log:
            process = subprocess.Popen(
                [found, "up", "--data", directory / "data", "--port", "auto", "--bus-port", "auto", "-o", "json"],
                stdout=out, stderr=log, cwd=directory)
        end = time.monotonic() + STARTUP
        while not (directory / "up.json").read_text().endswith("\n"):
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                process.wait()
                said = (directory / "up.log").read_text()[-2000:]
                shutil.rmtree(directory, ignore_errors=True)
                raise RuntimeError(f"{found} up did not start:\n{said}")
            time.sleep(0.05)
        url = json.loads((directory / "up.json").read_text())["data"]["url"]
        installation = cls(url, (directory / "data/admin.key").read_text().strip())
        installation._process, installation._directory = process, directory
        return installation

    def stop(self):
        """Stops an installation that `start` has started, and removes its directory. Does nothing for others."""
        if self._process:
            self._process.terminate()
            self._process.wait()
            shutil.rmtree(self._directory, ignore_errors=True)
            self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def request(self, method, path, body=None, *, query=None, key=None):
        """Sends an operator's request: `request("GET", "/admin/v1/apps")`."""
        return self._endpoint.request(method, path, body, query=query, key=key)

    def fork(self, source, *, running=False, lifetime="1h"):
        """Makes an isolated store with everything that a store or snapshot has: `fork("subscribed")`, `fork("t-7")`."""
        body = {"running": running, "ttl": lifetime}
        return Store(self, self.request("POST", f"/admin/v1/stores/{quote(source, safe='')}/fork", body))

    def store(
            self, catalogue=None, *, snapshot=None, app="com.example.app", clock=None, running=False, lifetime="1h",
            seed=None):
        """Makes an isolated store.

        `snapshot` is the name of a snapshot, which the store is a fork of. Then only `running` and `lifetime` apply.

        `catalogue` is a `.storekit` file, as a path or as the file's JSON. Without one the store has a copy of the
        installation's `app`. `clock` is a datetime or `2026-01-01T00:00:00Z`, now without it. The clock moves by
        `store.clock` alone, unless it is `running`. Stores of equal seeds show equal identifiers.
        """
        if snapshot is not None:
            if catalogue is not None or clock is not None or seed is not None:
                raise TypeError("a snapshot has a catalogue, a time and a seed; leave them out")
            return self.fork(snapshot, running=running, lifetime=lifetime)
        values = {
            "clock": clock if clock is None or isinstance(clock, str) else clock.isoformat(),
            "ttl": lifetime, "seed": seed}
        if catalogue is None:
            body = {"from": {"bundleId": app}, "running": running}
            body.update({name: value for name, value in values.items() if value is not None})
            made = self.request("POST", "/admin/v1/stores", body)
        else:
            name = None
            if isinstance(catalogue, dict):
                content = json.dumps(catalogue).encode()
            else:
                name, content = pathlib.Path(catalogue).name, pathlib.Path(catalogue).read_bytes()
            query = {"bundleId": app, "fileName": name, "running": str(running).lower(), **values}
            made = self.request("POST", "/admin/v1/stores/file", content, query=query)
        return Store(self, made)
