"""Reports of a run, as storebus chaos run makes them of itself."""

import datetime

SERVICES = ("broker", "catalog", "payment-queue", "gateway")
FAULTS = ((6, 8, "delay", "payment-queue"), (11, 11, "kill", "catalog"), (15, 21, "drop", "broker"), (18, 22, "partition", "gateway"), (27, 29, "reorder", "payment-queue"))
INVARIANTS = (
    ("P1", "An acknowledged purchase is never lost.", "held", 41, 0), ("P3", "One idempotency key is one charge and one final answer.", "broken", 96, 2),
    ("O1", "An offer is claimed once.", "not exercised", 0, 0))


def step(second):
    """One second: some requests are refused, and under faults some have no outcome and all are slow."""
    under = any(began <= second <= ended for began, ended, _, _ in FAULTS)
    unknown = 6 + second % 3 if under else 0
    return {"second": second, "succeeded": 34 - unknown + second % 5, "refused": 2 + second % 2, "unknown": unknown,
            "p50Milliseconds": 180.5 if under else 3.2 + second % 4 / 2, "p99Milliseconds": 4100.0 if under else 11.5 + second % 7}


def report(name, phase, elapsed, **more):
    """What the run says of itself after so many seconds; `more` takes the place of what it would say."""
    now = datetime.datetime.now(datetime.UTC)
    written = [moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") for moment in (now - datetime.timedelta(seconds=elapsed), now)]
    steps = [step(second) for second in range(elapsed)]
    counts = {name: sum(one[name] for one in steps) for name in ("succeeded", "refused", "unknown")}
    begun = [(began, ended, fault, service) for began, ended, fault, service in FAULTS if began <= elapsed]
    over = {"verdict": "invalid", "lost": 0, "doubleCharges": 1, "worstRecoveryMilliseconds": 1900, "line": "INVALID 3 invariants, 1 broken", "report": "chaos-7/report.html"}
    return {
        "id": name, "seed": "7", "app": f"chaos-{name}.example", "startedAt": written[0], "updatedAt": written[1], "phase": phase, "elapsedSeconds": elapsed,
        "durationSeconds": 30, "targets": ["broker", "payment-queue"], "faultNames": ["kill", "drop"], "workload": "mix", "rate": 40,
        "operations": sum(counts.values()), **counts, "stepSeconds": 1, "steps": steps,
        "services": [{"service": service, "isUp": service != "catalog" or phase != "faults", "faults": [fault for began, ended, fault, at in begun if at == service and ended > elapsed],
                      "worstRecoveryMilliseconds": 1800} for service in SERVICES],
        "faults": [{"number": number, "fault": fault, "service": service, "beganAtSecond": began + 0.1, **({"endedAtSecond": ended + 0.1} if ended <= elapsed else {})}
                   for number, (began, ended, fault, service) in enumerate(begun, 1)],
        "invariants": [dict(zip(("invariant", "statement", "outcome", "examined", "violations"), one)) for one in INVARIANTS if phase == "ended" or one[0] == "P1"],
        **(over if phase == "ended" else {}), **more,
    }
