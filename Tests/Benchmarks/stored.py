"""Rows of months of sales, for a store that is down: what its purchase path wrote of a few, many times."""
import csv, datetime, io, itertools, json, sqlite3, subprocess, sys, time, uuid

from harness import BUNDLE

# Journal and server events are pruned when they are older than 30 days.
KEPT_MS = 29 * 86_400_000
# Of the customers of the load each has so many, if there are enough.
SHARE = 1_000
# Of the others' sales every fiftieth of a customer is not finished.
UNFINISHED = 50
DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


class SQLite:
    """The files of a store's services, as schemas of one connection."""
    text = "TEXT"

    def __init__(self, data):
        self.connection = sqlite3.connect("", isolation_level=None)
        self.run("ATTACH '' AS bench")
        for service in ("payment-queue", "payment-processor", "app-store-server"):
            schema = service.replace("-", "_")
            self.run("ATTACH '%s/%s.sqlite' AS %s" % (data, service, schema))
            for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -524288"):
                self.run("PRAGMA %s.%s" % (schema, setting))

    def run(self, sql): self.connection.execute(sql)
    def rows(self, sql): return self.connection.execute(sql).fetchall()

    def load(self, table, width, rows):
        self.run("BEGIN")
        self.connection.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * width)), rows)
        self.run("COMMIT")

    def columns(self, schema, table):
        return [row[1] for row in self.rows("PRAGMA %s.table_info(%s)" % (schema, table))]

    def counter(self, name): return self.rows("SELECT value FROM payment_queue.counter WHERE name = '%s'" % name)[0][0]
    def count_on(self, name, value):
        self.run("UPDATE payment_queue.counter SET value = %d WHERE name = '%s'" % (value, name))
    def number_on(self, table, column): pass

    def close(self):
        broken = self.rows("PRAGMA payment_queue.foreign_key_check")
        if broken: sys.exit("rows without what they refer to: %s" % broken[:5])
        for schema in ("payment_queue", "payment_processor", "app_store_server"):
            self.run("PRAGMA %s.journal_mode = WAL" % schema)
        self.connection.close()


class PostgreSQL:
    """The schemas of a store's services, through psql."""
    text = 'TEXT COLLATE "C"'

    def __init__(self, url):
        self.url = url
        self.run("CREATE SCHEMA bench")

    def psql(self, sql, *flags, input=None):
        return subprocess.run(["psql", self.url, "-qXt", "-v", "ON_ERROR_STOP=1", *flags, "-c", sql], check=True,
                              stdout=subprocess.PIPE, input=input, text=True).stdout

    def run(self, sql): self.psql(sql)
    def rows(self, sql): return list(csv.reader(io.StringIO(self.psql(sql, "--csv"))))

    def load(self, table, width, rows):
        rows = iter(rows)
        while part := list(itertools.islice(rows, 100_000)):
            text = io.StringIO()
            csv.writer(text).writerows(part)
            self.psql("COPY %s FROM STDIN (FORMAT csv)" % table, input=text.getvalue())

    def columns(self, schema, table):
        return [row[0] for row in self.rows(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = '%s' AND table_name = '%s' "
            "ORDER BY ordinal_position" % (schema, table))]

    def counter(self, name): return int(self.rows("SELECT last_value FROM payment_queue.counter_%s" % name)[0][0])
    def count_on(self, name, value): self.run("SELECT setval('payment_queue.counter_%s', %d)" % (name, value))
    def number_on(self, table, column):
        self.run("SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT MAX(%s) FROM %s))" % (
            table, column, column, table))

    def close(self):
        self.run("SET client_min_messages = warning; DROP SCHEMA bench CASCADE")
        self.run("VACUUM (ANALYZE)")


class Customer:
    """An owner of stored sales, with what checks need: how many there are, and key, `id` and product of the first."""
    def __init__(self, identifier, account, device, number, head=0, modified=0):
        self.identifier, self.account, self.device, self.number = identifier, account, device, int(number)
        self.head = self.pruned = int(head)
        self.modified, self.count, self.unfinished, self.first = int(modified), 0, 0, None


# What makes a copy of a row the row of another sale `s`, where `o` is the sale that is copied; other columns are copied.
OWN = {"id": "s.id", "transaction_id": "s.id", "customer_identifier": "s.customer", "request_key": "s.request_key",
       "created_seq": "s.seq", "history_seq": "s.seq + t.history_seq - o.seq", "seq": "s.seq + t.seq - o.seq",
       "modified_seq": "s.modified", "transaction_number": "s.number", "is_finished": "s.is_finished",
       "origin_device_id": "s.device", "charge_key": "'purchase:' || s.id", "created_at": "s.at", "written_at": "s.at",
       "event_at": "s.at", "signed_at": "s.at", "account": "s.account", "uuid": "s.uuid"}
DEFAULT = {"xact", "charge_number"}
# Tables, the column that says which rows are copied, and whether only recent sales have one.
TABLES = [("payment_queue", "payment_transaction", "id", False),
          ("payment_processor", "charge", "charge_key", False), ("payment_queue", "journal", "position", True),
          ("payment_queue", "server_event", "position", True), ("app_store_server", "notification", "position", True),
          ("app_store_server", "notification_payload", "position", True)]
# In JSON: texts of the sale `o` and what they become.
TRANSACTION = ["id", "device", "request_key", "number", "at_text"]
EVENT = ["account", "app_number", "at_text", "number", "modified"]
JSON = {"payment_transaction": TRANSACTION, "journal": TRANSACTION, "server_event": EVENT,
        "notification_payload": ["uuid", *EVENT]}
SPELLED = {"account": "'\"account\":\"' || {} || '\"'", "modified": "'\"modifiedSeq\":' || {} || ','",
           "app_number": "CAST({} AS TEXT)"}


def replaced(column, members):
    text = "t." + column
    for member in members:
        spelled = SPELLED.get(member, "'\"' || {} || '\"'")
        text = "REPLACE(%s, %s, %s)" % (text, spelled.format("o." + member), spelled.format("s." + member))
    return text


def digits(value, count): return "".join(DIGITS[value >> 5 * place & 31] for place in range(count - 1, -1, -1))


def moment(ms):
    return datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + (
        ".%03dZ" % (ms % 1000))


def fill(database, count, events):
    """Multiplies what customers have bought once each and finished, until `count` sales of some 10 000 customers are
    stored, the last `events` of them of the last 29 days. Those alone still have their rows of the journal, their server
    events and notifications; of older ones the store would have removed the first two. The sales that were copied go.
    Returns three customers to be checked."""
    known = [Customer(*row) for row in database.rows(
        "SELECT c.customer_identifier, c.account, REPLACE(REPLACE(c.account, 'customer', 'customer-device'), 'reader', "
        "'reader-device'), c.app_transaction_number, c.head_seq, c.modified_seq FROM payment_queue.customer c "
        "WHERE c.bundle_id = '%s' ORDER BY c.customer_identifier" % BUNDLE)]
    app_number, number = database.counter("app_transaction"), database.counter("transaction")
    others = [Customer("c_" + digits(uuid.uuid4().int, 24), "stored%05d" % i, "stored-device%05d" % i, app_number + 1 + i)
              for i in range(max(1, count // 100))]
    now = int(time.time() * 1000)
    step = KEPT_MS // events
    templates = template(database)
    columns = ("n {0} PRIMARY KEY, template {0}, id {1}, customer {1}, account {1}, app_number {0}, device {1}, "
               "request_key {1}, number {0}, seq {0}, modified {0}, at {0}, at_text {1}, is_finished {0}, "
               "is_recent {0}, uuid {1}").format("BIGINT", database.text)
    database.run("CREATE TABLE bench.sale (%s)" % columns)
    database.load("bench.sale", 16, sales(count, events, known, others, templates, number, now, step))
    owners = known + others
    database.run("CREATE TABLE bench.owner (customer {1} PRIMARY KEY, account {1}, app_number {0}, head {0}, pruned {0}, "
                 "modified {0})".format("BIGINT", database.text))
    database.load("bench.owner", 6, [(one.identifier, one.account, one.number, one.head, one.pruned, one.modified)
                                     for one in owners])
    start = now - count * step
    database.run("INSERT INTO payment_queue.customer (bundle_id, customer_identifier, account, storefront, created_at, "
                 "opened_at, app_transaction_number) SELECT '%s', customer, account, 'USA', %d, %d, app_number "
                 "FROM bench.owner WHERE app_number > %d" % (BUNDLE, start, start, app_number))
    for schema, table, key, is_recent in TABLES: copy(database, schema, table, key, is_recent)
    for schema, table, key, _ in reversed(TABLES):
        database.run("DELETE FROM %s.%s WHERE %s IN (SELECT %s FROM bench.%s)" % (schema, table, key, key, table))
    of = "(SELECT %s FROM bench.owner o WHERE o.customer = customer.customer_identifier)"
    database.run("UPDATE payment_queue.customer SET created_at = %d, opened_at = %d, head_seq = %s, pruned_seq = %s, "
                 "modified_seq = %s" % (start, start, of % "head", of % "pruned", of % "modified"))
    database.count_on("transaction", number + count)
    database.count_on("app_transaction", app_number + len(others))
    database.number_on("app_store_server.notification", "position")
    xact, position = database.rows(
        "SELECT xact, position FROM payment_queue.server_event ORDER BY xact DESC, position DESC LIMIT 1")[0]
    place = "v_" + digits(int(xact), 13) + digits(int(position), 13)
    database.run("UPDATE payment_queue.server_event_reader SET position = '%s'" % place)
    database.run("UPDATE app_store_server.outbox_reader SET position = '%s' WHERE name = 'serverEvents'" % place)
    database.close()
    return [known[0], known[-1], others[len(others) // 2]]


def template(database):
    """The sales that are copied, as a table. Returns their number."""
    rows = []
    for body, *facts in database.rows(
            "SELECT t.body, t.id, t.customer_identifier, c.account, c.app_transaction_number, t.origin_device_id, "
            "t.request_key, t.transaction_number, t.created_seq, t.modified_seq, n.uuid "
            "FROM payment_queue.payment_transaction t "
            "JOIN payment_queue.customer c ON c.customer_identifier = t.customer_identifier "
            "JOIN app_store_server.notification n ON n.customer_identifier = t.customer_identifier "
            "WHERE t.is_finished = 1 ORDER BY t.id"):
        rows.append((len(rows), *facts, json.loads(body)["transactionDate"]))
    (waiting,), = database.rows("SELECT COUNT(*) FROM payment_processor.charge WHERE is_uncaptured <> 0")
    if not rows or len({row[2] for row in rows}) < len(rows) or int(waiting):
        sys.exit("not one sale of each customer, finished, captured and imported by app-store-server")
    database.run("CREATE TABLE bench.template (template {0} PRIMARY KEY, id {1}, customer {1}, account {1}, app_number {0}, "
                 "device {1}, request_key {1}, number {0}, seq {0}, modified {0}, uuid {1}, at_text {1})".format(
                     "BIGINT", database.text))
    database.load("bench.template", 12, rows)
    return len(rows)


def sales(count, events, known, others, templates, number, now, step):
    """Rows of bench.sale, oldest first, the owners' numbers counted on."""
    shared = min(SHARE * len(known), count // 4)
    share, rest = itertools.cycle(known), itertools.cycle(others)
    for n in range(count):
        is_shared = n * shared // count < (n + 1) * shared // count
        owner = next(share if is_shared else rest)
        is_finished = is_shared or owner.count % UNFINISHED != UNFINISHED - 1
        is_recent = n >= count - events
        at = now - (count - n) * step
        id, key = "t_" + digits(at, 10) + "%016d" % n, "%012x-%d" % (at, n)
        owner.count += 1
        owner.unfinished += not is_finished
        owner.modified += 1
        if owner.first is None: owner.first = key, id, n % templates
        yield (n, n % templates, id, owner.identifier, owner.account, owner.number, owner.device, key, number + 1 + n,
               owner.head + 1, owner.modified, at, moment(at), int(is_finished), int(is_recent),
               str(uuid.uuid4()) if is_recent else None)
        owner.head += 3 if is_finished else 2
        if not is_recent: owner.pruned = owner.head


def copy(database, schema, table, key, is_recent):
    """Inserts the rows of a table for all sales."""
    rows = "t.customer_identifier = o.customer"
    if table == "notification_payload":
        rows = "t.position = (SELECT position FROM bench.notification n WHERE n.template = o.template)"
    database.run("CREATE TABLE bench.%s AS SELECT o.template, t.* FROM bench.template o JOIN %s.%s t ON %s" % (
        table, schema, table, rows))
    own = dict(OWN)
    for column in ("body", "draft"):
        if table in JSON: own[column] = replaced(column, JSON[table])
    # A notification and its payload have the same place.
    own["position"] = "%s + s.n" % (int(database.rows("SELECT MAX(position) FROM bench.notification")[0][0]) + 1
                                    if table.startswith("notification") else 0)
    left_out = DEFAULT | (set() if table.startswith("notification") else {"position"})
    columns = [column for column in database.columns(schema, table) if column not in left_out]
    conditions = [condition for condition, holds in (
        ("s.is_recent = 1", is_recent), ("(s.is_finished = 1 OR t.kind <> 'removed')", table == "journal")) if holds]
    database.run("INSERT INTO %s.%s (%s) SELECT %s FROM bench.sale s JOIN bench.template o ON o.template = s.template "
                 "JOIN bench.%s t ON t.template = s.template %s ORDER BY s.n%s" % (
                     schema, table, ", ".join(columns), ", ".join(own.get(column, "t." + column) for column in columns),
                     table, "WHERE " + " AND ".join(conditions) if conditions else "",
                     ", t.seq" if table == "journal" else ""))
