"""Keeps generated requests from spoiling the run they are part of; never changes what a request is a test of.

A request that is wrong on purpose is sent as it was generated.
"""

import hashlib
import json
import os
import time

import schemathesis
from schemathesis.core.parameters import ParameterLocation

# The app and account of the session that the run itself uses, and those that may be reset, sold out and deleted.
APP, SCRATCH_APP = "com.example.app", "com.example.contract"
ACCOUNT, SCRATCH_ACCOUNT = "contract", "contract-2"
DEVICE, SCRATCH_DEVICE = f"{ACCOUNT}-1", f"{SCRATCH_ACCOUNT}-1"

CHANGES = {"PUT", "POST", "DELETE"}

# What an operator asks and does of a subscription and leaves it alive, so that there is one to the end of the run.
OF_A_SUBSCRIPTION = {"/admin/v1/subscriptions/{id}/timeline"} | {
    f"/admin/v1/transactions/{{id}}/{verb}"
    for verb in ("renew", "extend", "enableAutoRenew", "disableAutoRenew", "failNextRenewal", "resolveBilling")
}


def is_sound(case, location):
    """Whether this part of the request is meant to be right."""
    return case.meta is None or not case.meta.is_negative_at(location)


@schemathesis.hook
def before_call(context, case, **kwargs):
    if is_sound(case, ParameterLocation.HEADER):
        give_time(case)
        own_key(case)
    if is_sound(case, ParameterLocation.QUERY) and case.operation.path == "/admin/v1/events/wait":
        short_wait(case)
    if is_sound(case, ParameterLocation.QUERY) and case.operation.path.endswith("/notifications/settled"):
        case.query = {**(case.query or {}), "timeout": "50ms"}
    if is_sound(case, ParameterLocation.PATH) and case.method in CHANGES and case.path.startswith("/admin/"):
        spare(case)
    if is_sound(case, ParameterLocation.PATH) and case.operation.path.startswith("/v1/downloads/"):
        one_there_is(case, "id", "d_", os.environ["STOREBUS_DOWNLOAD"])
    if is_sound(case, ParameterLocation.PATH) and case.operation.path.startswith("/v1/subscriptions/"):
        one_there_is(case, "originalTransactionIdentifier", "1", os.environ["STOREBUS_SUBSCRIPTION"])
    if is_sound(case, ParameterLocation.PATH) and case.operation.path.startswith("/v1/intents/"):
        one_there_is(case, "id", "i_", os.environ["STOREBUS_INTENT"])
    if is_sound(case, ParameterLocation.BODY) and case.operation.path == "/admin/v1/signing/ocsp":
        answering(case)
    if is_sound(case, ParameterLocation.PATH) and case.operation.path.startswith("/inApps/"):
        one_there_is(case, "transactionId", "2", os.environ["STOREBUS_SUBSCRIPTION"])
        one_there_is(case, "testNotificationToken", "0", os.environ["STOREBUS_TEST_NOTIFICATION"])
    if is_sound(case, ParameterLocation.PATH) and case.operation.path.endswith("/notifications/{notificationUUID}"):
        a_notification(case)
    if is_sound(case, ParameterLocation.BODY) and case.operation.path.endswith("/notifications/endpoint"):
        near(case)
    if is_sound(case, ParameterLocation.BODY) and case.operation.path.endswith("/notifications/lease"):
        soon(case)
    if is_sound(case, ParameterLocation.BODY) and case.operation.path.endswith("/notifications/trigger"):
        of_an_account(case)
    if is_sound(case, ParameterLocation.BODY) and case.operation.path == "/inApps/v1/notifications/history":
        of_late(case)
    if is_sound(case, ParameterLocation.PATH) and case.operation.path in OF_A_SUBSCRIPTION:
        one_there_is(case, "id", "1", os.environ["STOREBUS_SUBSCRIPTION"])


@schemathesis.serializer("application/ocsp-request")
def ocsp_request(context, value):
    return value if isinstance(value, bytes) else json.dumps(value, default=str).encode()


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what is wrong by name only."""
    # HTTP lets a client add header fields of its own, and a server ignore them.
    if "x-schemathesis-unknown-property" in (case.headers or {}):
        return False
    # A list of wrong entries that has none left is an empty list, which is right.
    lists = [(case.query or {}).get(name) for name in ("ids", "storefronts", "state")]
    return is_sound(case, ParameterLocation.QUERY) or not any(value in ("", []) for value in lists)


def short_wait(case):
    """Nothing happens while a single client waits, so a minute would only be a minute. And `after` is what an answer
    gave: a position never given is refused, and so is one of intents' events among transactions'."""
    query = {**(case.query or {}), "timeout": "50ms"}
    prefix = "ie_" if str(query.get("type", "")).startswith("intent") else "e_"
    if not str(query.get("after", "")).startswith(prefix):
        query.pop("after", None)
    case.query = query


def a_notification(case):
    """Half of those that are asked for exist, in the app of the run."""
    if len(str((case.path_parameters or {}).get("bundleId", ""))) % 2:
        known = os.environ["STOREBUS_TEST_NOTIFICATION"].split("_")[0]
        case.path_parameters = {**case.path_parameters, "bundleId": APP, "notificationUUID": known}


def near(case):
    """Notifications of the run go nowhere but to this machine, where no server listens on the port."""
    if isinstance(case.body, dict) and str(case.body.get("url", "")).startswith("http"):
        case.body = {**case.body, "url": "http://127.0.0.1:9/notifications"}


def soon(case):
    """Nothing becomes due while a single client waits."""
    if isinstance(case.body, dict) and isinstance(case.body.get("waitMs"), int):
        case.body = {**case.body, "waitMs": min(case.body["waitMs"], 50)}


def of_an_account(case):
    """Chance finds neither an account that has bought something nor one of its transactions."""
    if isinstance(case.body, dict) and case.body.get("account") is not None:
        case.body = {**{name: value for name, value in case.body.items() if name != "of"}, "account": ACCOUNT}


def of_late(case):
    """Most instants are before the history begins."""
    if isinstance(case.body, dict) and isinstance(case.body.get("startDate"), int) and case.body["startDate"] % 2:
        now = int(time.time() * 1000)
        case.body = {**case.body, "startDate": now - 86_400_000, "endDate": now + 86_400_000}


def answering(case):
    """A responder set to answer late or not at all would do so for the rest of the run."""
    if isinstance(case.body, dict) and case.body.get("mode") in ("unavailable", "slow"):
        case.body = {**case.body, "mode": "stale"}


def give_time(case):
    """A deadline of some milliseconds makes the answer a matter of how busy the machine is: 200 or 504."""
    deadline = (case.headers or {}).get("Sb-Timeout")
    if deadline is not None and deadline.isdigit() and int(deadline) < 5000:
        case.headers["Sb-Timeout"] = "5000"


def one_there_is(case, parameter, prefix, known):
    """Every other download, subscription and intent that is asked for exists: chance never finds one."""
    name = (case.path_parameters or {}).get(parameter)
    if isinstance(name, str) and not name.startswith(prefix) and len(name) % 2:
        case.path_parameters = {**case.path_parameters, parameter: known}


def own_key(case):
    """The same key with another payment is 422 `keyReused`, which no schema can say; the same key with the same payment
    is replayed. So each payment has its own set of keys."""
    key = (case.headers or {}).get("Idempotency-Key")
    if key is not None:
        payment = hashlib.sha256(json.dumps(case.body, sort_keys=True, default=str).encode()).hexdigest()[:16]
        case.headers["Idempotency-Key"] = f"{payment}{key}"[:255].rstrip()


def spare(case):
    """What the run learns from answers, it uses: without this it would soon have reset and emptied its own app."""
    spared = (
        ("bundleId", APP, SCRATCH_APP), ("account", ACCOUNT, SCRATCH_ACCOUNT), ("deviceId", DEVICE, SCRATCH_DEVICE),
    )
    for name, own, other in spared:
        # Only where it has to be: what is set here is judged anew, and by its escaped form.
        if (case.path_parameters or {}).get(name) == own:
            case.path_parameters = {**case.path_parameters, name: other}
