"""Counts what requests cost each service of a store: counts.c, compiled and preloaded into the services."""
import contextlib, mmap, struct, subprocess, tempfile

from harness import *

NAMES = ["allocations", "bytes allocated", "SQLite statements", "writes to the log", "bytes to the log",
         "other writes", "other bytes", "flushes", "PostgreSQL statements", "round trips"]
# A page of SQLite's log with its header.
LOG_PAGE = 4096 + 24


@contextlib.contextmanager
def counted(binaries, environment=None, postmaster=None, contents=None):
    """A store whose services count. Needs a C compiler."""
    with tempfile.TemporaryDirectory(prefix="storebus-counts") as directory:
        preload = directory + "/counts.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", preload, HERE + "/counts.c", "-ldl"], check=True)
        environment = {**(environment or {}), "LD_PRELOAD": preload, "COUNTS": directory}
        with storebus(binaries, "storebus", environment, postmaster, contents) as stack:
            stack.counts = directory
            yield stack


def read(directory, pid):
    """A process's counts since its start, in the order of counts.c."""
    with open("%s/%d" % (directory, pid), "rb") as file, \
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        return struct.unpack("%dQ" % len(NAMES), memory[:8 * len(NAMES)])


def count(stack, scenario, connections, seconds):
    """The number of requests, and by service what one of them cost, in the order of `NAMES`."""
    stack.drive(scenario, connections, 1)
    before = {name: read(stack.counts, pid) for name, pid in stack.names.items()}
    result = stack.drive(scenario, connections, seconds)
    after = {name: read(stack.counts, pid) for name, pid in stack.names.items()}
    requests = max(1, result["requests"])
    return requests, {name: [(now - then) / requests for now, then in zip(after[name], before[name])]
                      for name in after}


def costs(rows, counts):
    """Prints what a request wrote in the timed rounds, and what it asked where that was counted: `counts` has the sums
    of all services by (what, connections, stack)."""
    columns = ["SQLite statements", "bytes to the log", "flushes", "PostgreSQL statements", "round trips"]
    print("\n| one request | stack | bytes to storage | SQLite statements | pages to SQLite's log | flushes of services "
          "| PostgreSQL statements | PostgreSQL round trips |")
    print("|---|---|---|---|---|---|---|---|")
    for one, values in medians(rows, ["written"]).items():
        asked = counts.get(one)
        cells = ["–"] * len(columns)
        if asked:
            asked = [asked[NAMES.index(name)] / (LOG_PAGE if name == "bytes to the log" else 1) for name in columns]
            cells = ["%.2f" % value if value >= 0.005 else "0" for value in asked]
        print("| %s ×%d | %s | %.0f | %s |" % (*one, values["written"], " | ".join(cells)))
    print("\nBytes to storage are the kernel's `write_bytes` of all processes, a database server's included: whole pages "
          "of files that became dirty, each counted again once it was flushed. The rest is counted in a pass of its own, "
          "what services ask while idle included.")


def sums(services): return [sum(values) for values in zip(*services.values())]
