"""A store in a container, by Testcontainers: `pip install 'storebus[testcontainers]'`.

    with StorebusContainer().with_catalogues("Catalogues") as container:
        with container.installation.store() as store:
            store.customer("alice").buy("com.example.pro.monthly")
"""

import json
import pathlib
import secrets
import time
import urllib.error
import urllib.request

from testcontainers.core.container import DockerContainer

from .installation import STARTUP, Installation

PORT = 7430
#: The name by which the container reaches this machine.
THIS_MACHINE = "host.docker.internal"


class StorebusContainer(DockerContainer):
    """A container with a whole store, on a free port. It is ready, with its catalogues, when `start` returns."""

    def __init__(self, image="localhost/storebus/storebus:0.1.0", **options):
        super().__init__(image, **options)
        self._key = secrets.token_hex(32)
        self.with_exposed_ports(PORT)
        self.with_env("STOREBUS_ADMIN_KEY", self._key)
        self.with_kwargs(extra_hosts={THIS_MACHINE: "host-gateway"}, read_only=True, cap_drop=["ALL"])

    def with_catalogues(self, directory):
        """Imports the catalogues of a directory at the start. A file is the app's that its name says."""
        return self.with_volume_mapping(str(pathlib.Path(directory).resolve()), "/etc/storebus/init.d", "ro")

    def start(self):
        """Starts the container and waits for its store. RuntimeError says why a catalogue was refused."""
        super().start()
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise
        return self

    @property
    def url(self):
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    @property
    def installation(self):
        """The store as its operator reaches it, which makes isolated stores."""
        return Installation(self.url, self._key, this_machine=THIS_MACHINE)

    def _wait(self):
        end, said = time.monotonic() + STARTUP, "nothing"
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):
                    return
            except urllib.error.HTTPError as response:
                said = response.read().decode(errors="replace")
                if refused := [one for one in imports(said) if one["status"] == "refused"]:
                    raise RuntimeError("\n".join(one.get("error", one["file"]) for one in refused)) from None
            except OSError as error:
                said = str(error)
            time.sleep(0.05)
        out, log = self.get_logs()
        raise RuntimeError(f"the store is not ready after {STARTUP} s: {said}\n{(out + log).decode(errors='replace')[-2000:]}")


def imports(text):
    """The files that a response of /readyz names."""
    try:
        return json.loads(text).get("imports", [])
    except ValueError:
        return []
