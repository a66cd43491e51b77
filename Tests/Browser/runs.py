"""Reports of a run, as storebus chaos run makes them of itself."""

import datetime

SERVICES = ("broker", "catalog", "payment-queue", "gateway")
FAULTS = ((6, 8, "delay", "payment-queue"), (11, 11, "kill", "catalog"), (15, 21, "drop", "broker"), (18, 22, "partition", "gateway"), (27, 29, "reorder", "payment-queue"))
COMMAND = "storebus chaos run --seed 7 --duration 30s --target broker,payment-queue --faults kill,drop --rate 40"
INVARIANTS = (
    ("P1", "An acknowledged purchase is never lost.", "held", 41, 0), ("P3", "One idempotency key is one charge and one final answer.", "broken", 96, 2),
    ("O1", "An offer is claimed once.", "not exercised", 0, 0))


def step(second):
    """One second: some requests are declined on purpose, and under faults some are refused or have no outcome and all are slow."""
    under = any(began <= second <= ended for began, ended, _, _ in FAULTS)
    unknown = 6 + second % 3 if under else 0
    counts = {"succeeded": 34 - unknown + second % 5, "declined": 2 + second % 2, "refused": 2 if under else 0, "unknown": unknown}
    return {"second": second, "counts": counts, "p50Milliseconds": 180.5 if under else 3.2 + second % 4 / 2, "p99Milliseconds": 4100.0 if under else 11.5 + second % 7}


def report(name, phase, elapsed, **more):
    """What the run says of itself after so many seconds; `more` takes the place of what it would say."""
    now = datetime.datetime.now(datetime.UTC)
    written = [moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") for moment in (now - datetime.timedelta(seconds=elapsed), now)]
    steps = [step(second) for second in range(elapsed)]
    counts = {name: sum(one["counts"][name] for one in steps) for name in ("succeeded", "declined", "refused", "unknown")}
    begun = [(began, ended, fault, service) for began, ended, fault, service in FAULTS if began <= elapsed]
    over = {
        "verdict": "invalid", "lost": 0, "doubleCharges": 1, "worstRecoveryMilliseconds": 1900, "line": "INVALID 3 invariants, 1 broken", "report": "chaos-7/report.html", "gaps": [],
        "violations": [{"invariant": "P3", "subject": "key 97", "expected": "one charge", "found": "two charges", "lines": []}]}
    setup = {
        "id": name, "seed": "7", "app": f"chaos.{name}", "startedAt": written[0], "durationSeconds": 30, "workload": "mix", "rate": 40, "customers": 8, "devices": 2, "driver": "process",
        "targets": ["broker", "payment-queue"], "faultNames": ["kill", "drop"], "leftOut": [{"name": "clock-jump", "reason": "needs libfaketime"}], "database": "SQLite",
        "processes": [{"service": service, "count": 1 + (service == "payment-queue")} for service in SERVICES], "version": "0.1.0", "commit": "0123abcd",
        "machine": {"cores": 2, "processor": "A processor", "memoryBytes": 8 << 30}, "command": COMMAND}
    return {
        "setup": {**setup, **more.pop("setup", {})}, "updatedAt": written[1], "phase": phase, "elapsedSeconds": elapsed, "counts": counts, "operationKinds": [], "stepSeconds": 1, "steps": steps,
        "services": [{"service": service, "isUp": service != "catalog" or phase != "faults", "faults": [fault for began, ended, fault, at in begun if at == service and ended > elapsed],
                      "restarts": int(service == "catalog"), "lastRecoveryMilliseconds": 1200, "worstRecoveryMilliseconds": 1800} for service in SERVICES],
        "faults": [fault_of(number, began, ended, fault, service, elapsed) for number, (began, ended, fault, service) in enumerate(begun, 1)],
        "faultKinds": [{"fault": "kill", "count": 1, "services": ["catalog"], "recoveryP50Milliseconds": 1800, "recoveryMaxMilliseconds": 1800},
                       {"fault": "pause", "count": 0, "services": [], "reason": "the seed did not draw it"}, {"fault": "clock-jump", "count": 0, "services": [], "reason": "needs libfaketime"}],
        "money": [],
        "invariants": [dict(zip(("invariant", "statement", "outcome", "examined", "violations"), one)) for one in INVARIANTS if phase == "ended" or one[0] == "P1"],
        **(over if phase == "ended" else {}), **more,
    }


def fault_of(number, began, ended, fault, service, elapsed):
    """One fault with what failed meanwhile; the last one is never recovered from."""
    over = {"endedAtSecond": ended + 0.1, **({} if fault == "reorder" else {"recoveryMilliseconds": 1800})} if ended <= elapsed else {}
    return {"number": number, "fault": fault, "service": service, "beganAtSecond": began + 0.1, "operations": 80, "refused": 3, "unknown": 6, "retried": 5, "slow": 0, **over}
