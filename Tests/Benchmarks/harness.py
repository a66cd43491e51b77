"""What the benchmarks share: a catalogue, running stacks, meters, and cells that are measured until the machine is quiet."""
import contextlib, importlib.machinery, importlib.util, json, os, platform, pwd, statistics, subprocess, sys
import tempfile, time, urllib.request, uuid

HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLE = "com.example.shop"
LOOKED_AT = ["com.example.shop.item%03d" % i for i in range(200)]
CUSTOMERS = 64
BOUGHT = ["com.example.shop.coins%02d" % i for i in range(CUSTOMERS)]
QUIET_CORES = 0.10
# An introductory offer is used once in a group: so many customers buy in one group after the other.
NEWCOMERS, OFFERS = 2_000, 100
# Scenarios of the load whose customers or products are not those who buy and what they buy.
CROWDS = {"unfinished": "readers", "trial": "newcomers", "offer": "newcomers"}
LISTS = {"products": "products", "trial": "trial", "offer": "offer"}


def catalogue():
    """What is looked at: 200 products, 80 of them subscriptions with a trial; and what is bought: 64 consumables."""
    def entry(i, id, title, type):
        return {"productID": id, "internalID": id, "type": type, "referenceName": title,
                "displayPrice": "%d.99" % (i % 30), "familyShareable": i % 3 == 0,
                "localizations": [{"locale": "en_US", "displayName": title, "description":
                                   "%s – what it is and what you get, in the customer's own language." % title}]}
    kinds = ["Consumable", "NonConsumable", "RecurringSubscription", "RecurringSubscription", "Consumable"]
    items = [entry(i, id, "Magic item %d" % i, kinds[i % 5]) for i, id in enumerate(LOOKED_AT)]
    coins = [entry(i, id, "Coins %d" % i, "Consumable") for i, id in enumerate(BOUGHT)]
    groups = {}
    for i, item in enumerate(items):
        if item["type"] == "RecurringSubscription":
            group = groups.setdefault("group%02d" % (i % 20), [])
            trial = {"internalID": "trial%d" % i, "numberOfPeriods": 1, "paymentMode": "free", "subscriptionPeriod": "P1W"}
            group.append({**item, "adHocOffers": [], "codeOffers": [], "groupNumber": len(group) + 1,
                          "introductoryOffer": trial, "recurringSubscriptionPeriod": "P1M"})
    for name, subscriptions in groups.items():
        for subscription in subscriptions: subscription["subscriptionGroupID"] = name
    return {
        "version": {"major": 4, "minor": 0}, "identifier": "BENCH000", "nonRenewingSubscriptions": [],
        "products": [item for item in items if item["type"] != "RecurringSubscription"] + coins,
        "subscriptionGroups": [{"id": name, "name": name, "localizations": [], "subscriptions": subscriptions}
                               for name, subscriptions in groups.items()],
    }


def offering():
    """The catalogue with groups of one subscription each, which begins with a free trial or three cheaper months."""
    contents = catalogue()
    for mode, terms in (("trial", {"paymentMode": "free", "numberOfPeriods": 1, "subscriptionPeriod": "P1W"}),
                        ("offer", {"paymentMode": "payAsYouGo", "numberOfPeriods": 3, "subscriptionPeriod": "P1M",
                                   "displayPrice": "0.99"})):
        for id in offered(mode):
            subscription = {
                "productID": id, "internalID": id, "type": "RecurringSubscription", "referenceName": id,
                "displayPrice": "4.99", "familyShareable": False, "adHocOffers": [], "codeOffers": [], "groupNumber": 1,
                "introductoryOffer": {"internalID": id + ".intro", **terms}, "recurringSubscriptionPeriod": "P1M",
                "subscriptionGroupID": id,
                "localizations": [{"locale": "en_US", "displayName": id, "description": "What you get."}]}
            contents["subscriptionGroups"].append(
                {"id": id, "name": id, "localizations": [], "subscriptions": [subscription]})
    return contents


def offered(mode): return ["com.example.shop.%s%03d" % (mode, i) for i in range(OFFERS)]


# What the machine and a stack's processes have used.

def cpu_seconds(pids):
    """Run time of the processes in seconds, to the nanosecond, of threads that have ended, too."""
    total = 0
    for pid in pids:
        # The clock that clock_getcpuclockid gives for another process.
        with contextlib.suppress(OSError): total += time.clock_gettime(~pid << 3 | 2)
    return total


def written_bytes(pids):
    """What the processes gave to storage: whole pages of files that became dirty, each again when it was written since."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open("/proc/%d/io" % pid) as file:
            total += int(next(line for line in file if line.startswith("write_bytes:")).split()[1])
    return total


def busy_seconds():
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def family(pid):
    """A process and its children: PostgreSQL has one for each connection."""
    members = [pid]
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open("/proc/%s/stat" % name) as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == pid: members.append(int(name))
    return members


class Meter:
    """CPU of a stack and of everybody else while a block runs, and what the stack wrote. Of a database server all its
    processes count."""
    def __init__(self, pids, postmaster=None): self.pids, self.postmaster = pids, postmaster
    def all(self): return self.pids + (family(self.postmaster) if self.postmaster else [])
    def spent(self): return cpu_seconds(self.all())
    def __enter__(self):
        self.given = written_bytes(self.all())
        self.stack, self.busy, self.own, self.start = self.spent(), busy_seconds(), os.times(), time.time()
        return self
    def __exit__(self, *_):
        own = os.times()
        self.used = self.spent() - self.stack
        self.written = written_bytes(self.all()) - self.given
        self.load = own.children_user + own.children_system - self.own.children_user - self.own.children_system
        mine = self.load + own.user + own.system - self.own.user - self.own.system
        self.foreign = max(0.0, (busy_seconds() - self.busy - self.used - mine) / (time.time() - self.start))


# The two stacks.

def post(url, path, body, headers=None):
    request = urllib.request.Request(url + path, json.dumps(body).encode(),
                                     {"Content-Type": "application/json", **(headers or {})}, method="POST")
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)


class Stack:
    """A running store: where it is, which processes it has, and two crowds of customers: those who look and buy, and
    readers with three unfinished transactions each."""
    def __init__(self, name, url, pids, directory, postmaster=None, finish_by="id", crowds=True):
        self.name, self.url, self.pids, self.directory, self.postmaster = name, url, pids, directory, postmaster
        self.finish_by, self.names, self.used = finish_by, {}, {}
        if crowds: self.gather()

    def gather(self):
        url, directory = self.url, self.directory
        for name, ids in (("products", LOOKED_AT), ("buy", BOUGHT)):
            with open(directory + "/" + name, "w") as file: file.write("\n".join(ids) + "\n")
        self.sessions("buyers", "customer")
        readers = self.sessions("readers", "reader")
        for i, token in enumerate(readers):
            for j in range(3):
                post(url, "/v1/payments", {"productIdentifier": BOUGHT[j], "quantity": 1},
                     {"Authorization": "Bearer " + token, "Idempotency-Key": uuid.uuid4().hex})

    def sessions(self, crowd, prefix, count=CUSTOMERS):
        tokens = []
        for i in range(count):
            session = {"bundleId": BUNDLE, "deviceId": "%s-device%d" % (prefix, i), "account": "%s%d" % (prefix, i),
                       "platform": "iOS", "osVersion": "17.0", "appVersion": "1.0"}
            tokens.append(post(self.url, "/v1/sessions", session)["token"])
        with open(self.directory + "/" + crowd, "w") as file: file.write("\n".join(tokens) + "\n")
        return tokens

    def newcomers(self):
        """Opens the accounts that use offers, and sees that an offer is what they get."""
        tokens = self.sessions("newcomers", "newcomer", NEWCOMERS)
        for mode, price in (("trial", 0), ("offer", 0.99)):
            ids = offered(mode)
            with open(self.directory + "/" + mode, "w") as file: file.write("\n".join(ids) + "\n")
            bought = post(self.url, "/v1/payments", {"productIdentifier": ids[0], "quantity": 1},
                          {"Authorization": "Bearer " + tokens[0], "Idempotency-Key": uuid.uuid4().hex})
            if float(bought["price"]["amount"]) != price: sys.exit("not the %s: %s" % (mode, bought))
            self.used[mode] = 1

    def drive(self, scenario, connections, seconds, pause=0):
        """wrk's result. `pause`: milliseconds each connection waits between two requests."""
        if scenario in ("trial", "offer") and not self.used: self.newcomers()
        environment = dict(os.environ, SCENARIO=scenario, RUN=uuid.uuid4().hex[:12], PAUSE=str(pause),
                           TOKENS=self.directory + "/" + CROWDS.get(scenario, "buyers"),
                           IDS=self.directory + "/" + LISTS.get(scenario, "buy"),
                           FINISH_BY=self.finish_by, USED=str(self.used.get(scenario, 0)))
        command = ["wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds, "--timeout", "5s", "-s", HERE + "/load.lua"]
        output = subprocess.run(command + [self.url], capture_output=True, text=True, env=environment)
        for line in output.stdout.splitlines():
            if line.startswith("RESULT "):
                result = json.loads(line[7:])
                # Each connection had one more under way.
                if scenario in self.used: self.used[scenario] += result["requests"] + 2 * connections
                return result
        sys.exit("wrk failed: " + output.stdout + output.stderr)


@contextlib.contextmanager
def storebus(binaries, name="storebus", environment=None, postmaster=None, contents=None, crowds=True, before=None):
    """`storebus up` with release executables. `environment`: further settings of the services; `contents`: another
    catalogue; `crowds`: whether the customers are there already; `before`: called with the store, which then runs
    without crowds, and what it returns is called with the store down."""
    with tempfile.TemporaryDirectory(prefix="storebus-bench") as directory:
        with open(directory + "/bench.storekit", "w") as file: json.dump(contents or catalogue(), file)
        if before:
            with up(binaries, name, directory, environment, postmaster, crowds=False) as stack: down = before(stack)
            down()
        with up(binaries, name, directory, environment, postmaster, crowds) as stack: yield stack


@contextlib.contextmanager
def up(binaries, name, directory, environment, postmaster, crowds=True):
    data = directory + "/data"
    log = open(directory + "/up.log", "w")
    process = subprocess.Popen([binaries + "/storebus", "up", "--port", "auto", "--bus-port", "auto", "--data", data,
                                "--import", directory + "/bench.storekit", "--bundle-id", BUNDLE],
                               stdout=log, stderr=log, cwd=directory, env=dict(os.environ, **(environment or {})))
    try:
        wait(lambda: "ready in" in open(directory + "/up.log").read(), process, directory + "/up.log")
        with open(data + "/run/up.json") as file: record = json.load(file)
        run = data + "/run/"
        pids = {name.split(".")[0]: int(open(run + name).read()) for name in os.listdir(run) if name.endswith(".pid")}
        stack = Stack(name, record["url"], list(pids.values()) + [process.pid], directory, postmaster, crowds=crowds)
        stack.names, stack.data = pids, data
        stack.bus_port = int(record["busURL"].rsplit(":", 1)[1].strip("/"))
        stack.token_file = data + "/bus.token"
        yield stack
    finally:
        process.terminate()
        process.wait(60)


@contextlib.contextmanager
def peer(module, name, port, store, environment):
    with tempfile.TemporaryDirectory(prefix="storebus-bench") as directory:
        os.chmod(directory, 0o755)  # its PostgreSQL runs as another user
        running = module.Peer(directory + "/peer", port, store, "new", environment).start()
        try:
            names = running.pids()
            postmaster = names.pop("postgres", None)
            stack = Stack(name, "http://127.0.0.1:%d" % port, list(names.values()), directory, postmaster,
                          finish_by="transactionIdentifier")
            stack.names = names
            yield stack
        finally:
            running.stop()


@contextlib.contextmanager
def postgres():
    """A PostgreSQL cluster on a socket of its own, with the settings of the peer's.
    Yields the database's URL and the postmaster's process identifier."""
    programs = max((os.path.join("/usr/lib/postgresql", version, "bin")
                    for version in os.listdir("/usr/lib/postgresql")), default="")
    with tempfile.TemporaryDirectory(prefix="storebus-bench-pg") as directory:
        account = {}
        if os.getuid() == 0:
            # PostgreSQL does not run as root.
            account = {"user": "postgres", "group": "postgres", "extra_groups": []}
            os.chown(directory, pwd.getpwnam("postgres").pw_uid, pwd.getpwnam("postgres").pw_gid)
        os.chmod(directory, 0o755)
        subprocess.run([programs + "/initdb", "-D", directory + "/data", "-A", "trust", "-U", "storebus", "-E", "UTF8"],
                       check=True, stdout=subprocess.DEVNULL, cwd="/", **account)
        server = subprocess.Popen(
            [programs + "/postgres", "-D", directory + "/data", "-k", directory, "-c", "listen_addresses=",
             "-c", "shared_buffers=256MB", "-c", "max_wal_size=2GB"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **account)
        try:
            wait(lambda: subprocess.run([programs + "/pg_isready", "-q", "-h", directory, "-U", "storebus"],
                                        stdout=subprocess.DEVNULL).returncode == 0, server, os.devnull)
            subprocess.run([programs + "/createdb", "-h", directory, "-U", "storebus", "storebus"], check=True)
            yield "postgres://storebus@/storebus?host=" + directory, server.pid
        finally:
            server.send_signal(2)
            server.wait(30)


def wait(condition, process, log):
    for _ in range(600):
        with contextlib.suppress(OSError):
            if condition(): return
        if process.poll() is not None: break
        time.sleep(0.05)
    sys.exit("did not start:\n" + open(log).read())


def load_module(directory, name):
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), directory + "/" + name)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


# The cells.

def http_cell(stack, scenario, connections, seconds, pause=0):
    stack.drive(scenario, connections, 1, pause)
    before = {name: cpu_seconds([pid]) for name, pid in stack.names.items()}
    with Meter(stack.pids, stack.postmaster) as meter:
        result = stack.drive(scenario, connections, seconds, pause)
    requests = max(1, result["requests"])
    return {"rps": requests / (result["us"] / 1e6), "p50": result["p50us"] / 1e3, "p99": result["p99us"] / 1e3,
            "cpu": meter.used / requests * 1e3, "bad": result["bad"], "foreign": meter.foreign,
            "written": meter.written / requests,
            "shares": {name: (cpu_seconds([pid]) - before[name]) / requests * 1e3 for name, pid in stack.names.items()}}


@contextlib.contextmanager
def child(command, environment=None, until=None):
    process = subprocess.Popen(command, stdout=subprocess.PIPE if until else subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment, text=True)
    try:
        if until: process.stdout.readline()
        else: time.sleep(0.5)
        yield process
    finally:
        process.terminate()
        process.wait(10)


def quietest(measure, tries=4):
    best = None
    for attempt in range(tries):
        result = measure()
        if best is None or result["foreign"] < best["foreign"]: best = result
        if best["foreign"] <= QUIET_CORES or attempt + 1 == tries: break
        time.sleep(2)
    return best


# What is printed.

def note(options, round, what, connections, stack, result):
    """One measurement as a row, told on the way."""
    row = {"round": round, "what": what, "connections": connections, "stack": stack, **result}
    if options.json:
        with open(options.json, "a") as file: file.write(json.dumps(row) + "\n")
    print("%d %-10s x%-3d %-36s %8.0f/s  p50 %6.2f ms  p99 %7.2f ms  cpu %.3f ms  bad %d  foreign %.2f" % (
        round, what, connections, stack, row["rps"], row["p50"], row["p99"], row["cpu"], row["bad"], row["foreign"]),
        file=sys.stderr, flush=True)
    return row


# The stack of an earlier build.
BEFORE = "storebus before"


def key(row): return row["what"], row["connections"], row["stack"]


def medians(rows, names=("rps", "p50", "p99", "cpu")):
    """By (what, connections, stack), in the order they were first measured."""
    return {one: {name: statistics.median(row[name] for row in rows if key(row) == one)
                  for name in names} for one in dict.fromkeys(map(key, rows))}


def place():
    """Machine, date and commit, which figures come with."""
    revision = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return "%s, %d cores, %s; commit %s; %s\n" % (
        model, os.cpu_count(), platform.platform(terse=True), revision.stdout.strip() or "?",
        time.strftime("%Y-%m-%d", time.gmtime()))


def table(rows):
    print("| what | stack | req/s | spread | p50 ms | p99 ms | CPU ms/request | foreign cores | bad |")
    print("|---|---|---|---|---|---|---|---|---|")
    order = list(dict.fromkeys((row["what"], row["connections"]) for row in rows))
    for one, values in sorted(medians(rows).items(), key=lambda item: order.index(item[0][:2])):
        same = [row for row in rows if key(row) == one]
        rates = [row["rps"] for row in same]
        print("| %s ×%d | %s | %.0f | %.0f–%.0f | %.2f | %.2f | %.3f | %.2f | %d |" % (
            *one, values["rps"], min(rates), max(rates), values["p50"], values["p99"], values["cpu"],
            max(row["foreign"] for row in same), sum(row["bad"] for row in same)))


def shares(rows, stacks):
    print("\nWhere ours goes, CPU ms per request (medians):\n")
    for one in medians(rows):
        if one[2] not in stacks: continue
        all = [row["shares"] for row in rows if key(row) == one and "shares" in row]
        if not all: continue
        line = {name: statistics.median(share[name] for share in all) for name in all[0]}
        print("- %s ×%d, %s: %s" % (*one, ", ".join(
            "%s %.3f" % item for item in sorted(line.items(), key=lambda item: -item[1]) if item[1] >= 0.0005)))
