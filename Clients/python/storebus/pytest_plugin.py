"""The fixtures `store` and `storebus_installation`."""

import os

import pytest

from .errors import StoreError
from .installation import Installation
from .store import Store


def pytest_addoption(parser):
    group = parser.getgroup("storebus")
    group.addoption("--storebus", metavar="PATH", help="starts a store with this executable for the run")
    group.addoption("--storebus-image", metavar="IMAGE", help="starts a container of this image for the run")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "storebus(catalogue=None, snapshot=None, app='com.example.app', clock=None, running=False, seed=None): "
        "the store that the fixture `store` makes. A catalogue's path is relative to the test's file")


@pytest.fixture(scope="session")
def storebus_installation(pytestconfig):
    """The installation of STOREBUS_URL, or one that lasts as long as the run."""
    if image := pytestconfig.getoption("--storebus-image"):
        from .testcontainers import StorebusContainer

        with StorebusContainer(image) as container:
            yield container.installation
        return
    executable = pytestconfig.getoption("--storebus")
    if not executable and os.environ.get("STOREBUS_ADMIN_KEY"):
        yield Installation.from_environment()
        return
    try:
        installation = Installation.start(executable)
    except FileNotFoundError:
        pytest.fail(
            "no store: put storebus on PATH, pass --storebus PATH, or start one and "
            'eval "$(storebus env)"', pytrace=False)
    with installation:
        yield installation


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    store = getattr(item, "funcargs", {}).get("store")
    if report.when == "call" and report.failed and isinstance(store, Store):
        came = "\n".join(map(repr, store.notifications.received)) or "none"
        report.sections.append((f"notifications of {store.name}, {store.url}", came))
    return report


@pytest.fixture
def store(request, storebus_installation):
    """An isolated store with its clock and its notifications, removed after the test."""
    marker = request.node.get_closest_marker("storebus")
    options = dict(marker.kwargs) if marker else {}
    if marker and marker.args:
        options["catalogue"] = marker.args[0]
    if isinstance(options.get("catalogue"), (str, os.PathLike)):
        options["catalogue"] = request.path.parent / options["catalogue"]
    try:
        made = storebus_installation.store(**options)
    except (StoreError, OSError, TypeError) as error:
        pytest.fail(f"the test's store: {error}", pytrace=False)
    with made:
        # It listens before the test does anything.
        made.notifications
        yield made
