"""A store in a container. `--storebus-image` names its image."""

import json

import pytest


@pytest.fixture
def image(pytestconfig):
    return pytestconfig.getoption("--storebus-image") or pytest.skip("needs --storebus-image")


def test_a_container_imports_its_catalogues(image, tmp_path):
    from storebus.testcontainers import StorebusContainer

    product = {
        "productID": "com.example.gem", "type": "Consumable", "displayPrice": "0.99", "referenceName": "Gem",
        "localizations": [{"locale": "en_US", "displayName": "Gem", "description": "One gem"}]}
    catalogue = {"version": {"major": 4, "minor": 0}, "products": [product]}
    tmp_path.chmod(0o755)
    (tmp_path / "10-com.example.gems.storekit").write_text(json.dumps(catalogue))
    with StorebusContainer(image).with_catalogues(tmp_path) as container:
        with container.installation.store(app="com.example.gems") as store:
            assert store.notifications.received == []
            assert store.customer("alice").buy("com.example.gem")["transactionState"] == "purchased"
            store.notifications.wait("ONE_TIME_CHARGE")


def test_a_refused_catalogue_ends_the_start_with_its_reason(image, tmp_path):
    from storebus.testcontainers import StorebusContainer

    tmp_path.chmod(0o755)
    (tmp_path / "com.example.gems.storekit").write_text('{"products": [{')
    with pytest.raises(RuntimeError, match="com.example.gems.storekit"):
        StorebusContainer(image).with_catalogues(tmp_path).start()
