import ArgumentParser
import Glibc
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Several processes of a service, and the database they need.
@Suite struct CommandReplicaTests {
    // MARK: --replicas

    @Test(arguments: [
        (["payment-queue"], "SERVICE=N"), (["payment-queue=0"], "a number from 1 to 16"),
        (["payment-queue=17"], "a number from 1 to 16"), (["payment-queue=x"], "a number from 1 to 16"),
        (["payment-quue=2"], "did you mean 'payment-queue'?"), (["broker=2"], "the broker is one process"),
        (["="], "there is no service ''"),
    ])
    func `what cannot be is refused with the remedy`(words: [String], sentence: String) {
        let error = #expect(throws: CLIError.self) { try Replicas(words) }
        #expect(error?.status == .usage)
        #expect(error?.text.contains(sentence) == true, "\(error?.text ?? "")")
    }

    @Test func `one of a service is no replica, and several words add up`() throws {
        let replicas = try Replicas(["payment-queue=2,eligibility=3", "catalog=1"])
        #expect(replicas.words == ["eligibility=3", "payment-queue=2"])
        #expect(replicas.count("catalog") == 1 && replicas.count("payment-queue") == 2)
    }

    private func plan(_ replicas: [String], _ databaseURL: String? = nil, _ environment: [String: String] = [:]) throws
    {
        let command = try UpCommand.parse(
            ["--data", "/nowhere", "--port", "auto", "--bus-port", "auto"] + replicas.flatMap { ["--replicas", $0] }
                + (databaseURL.map { ["--database-url", $0] } ?? []))
        _ = try UpPlan.make(command, environment: environment, executableDirectory: "/nowhere")
    }

    @Test func `replicas of what stores need a PostgreSQL, and say why`() {
        for service in Replicas.storing {
            let error = #expect(throws: CLIError.self) { try plan(["\(service)=2"]) }
            #expect(error?.code == .replicasNeedDatabase)
            #expect(error?.message == "2 of \(service) cannot share its SQLite file, which one process at a time holds")
            #expect(error?.hints.first?.text.contains("--database-url postgres://") == true)
        }
        // With one, what is wrong is only that this directory has no executables.
        for attempt in [
            (["eligibility=3"], nil, [:]), (["payment-queue=2"], "postgres://u@h/db", [:]),
            (["payment-queue=2"], nil, ["DATABASE_URL": "postgresql://u:p@h/db"]),
        ] as [([String], String?, [String: String])] {
            let error = #expect(throws: CLIError.self) { try plan(attempt.0, attempt.1, attempt.2) }
            #expect(error?.code == .executableMissing)
        }
    }

    // MARK: --database-url

    @Test(arguments: [
        ("postgres://storebus@db.example/store", "storebus@db.example/store"),
        ("postgres://storebus:secret@db.example:5433/store?sslmode=require", "storebus@db.example:5433/store"),
        ("postgres:///store?host=/run/postgresql", "/run/postgresql/store"),
        ("postgresql://%2Frun%2Fpostgresql/store", "/run/postgresql/store"),
        ("postgres://a%40b:secret@h/store?password=secret", "a@b@h/store"),
        ("postgres://one:5433,two/store", "one:5433,two/store"), ("postgres:///store?user=u", "u@localhost/store"),
        ("postgres://u:secret@[::1]:5434/store", "u@::1:5434/store"),
    ])
    func `a database is named by its address, without secrets`(url: String, place: String) throws {
        let address = try DatabaseAddress(url, origin: "DATABASE_URL")
        #expect(address.location == place)
        #expect(!address.location.contains("secret"))
        #expect(address.hasPassword == url.contains("secret"))
    }

    @Test func `servers are where libpq would look for them`() throws {
        #expect(
            try DatabaseAddress("postgres://a,b:5433/db?port=6000", origin: "x").servers == [
                .address(host: "a", port: "6000"), .address(host: "b", port: "5433"),
            ])
        #expect(
            try DatabaseAddress("postgres:///db?host=/run/pg&port=6000", origin: "x").servers
                == [.socket("/run/pg/.s.PGSQL.6000")])
    }

    @Test(arguments: ["", "mysql://h/db", "postgres://h", "postgres://h/", "postgres:/h/db", "store.sqlite"])
    func `what is no such URL is refused, and not repeated`(url: String) {
        let error = #expect(throws: CLIError.self) { try DatabaseAddress(url, origin: "DATABASE_URL") }
        #expect(error?.code == .databaseUnusable)
        #expect(error?.status == .badConfiguration)
        if !url.isEmpty { #expect(error?.text.contains(url) == false) }
    }

    @Test func `a password on the command line is refused, in a variable it is not`() throws {
        let error = #expect(throws: CLIError.self) {
            try DatabaseAddress.find(flag: "postgres://u:secret@h/db", [:])
        }
        #expect(error?.status == .usage)
        #expect(error?.text.contains("secret") == false)
        #expect(error?.text.contains("DATABASE_PASSWORD_FILE") == true)
        #expect(try DatabaseAddress.find(flag: nil, ["DATABASE_URL": "postgres://u:secret@h/db"])?.hasPassword == true)
        #expect(
            try DatabaseAddress.find(flag: "postgres://a/db", ["DATABASE_URL": "postgres://b/db"])?.location == "a/db")
        #expect(try DatabaseAddress.find(flag: nil, ["DATABASE_URL": ""]) == nil)
    }

    @Test func `the banner names replicas and the database, never its password`() throws {
        let database = try DatabaseAddress("postgres://u:secret@h/db", origin: "DATABASE_URL")
        let banner = Banner(
            url: "http://127.0.0.1:7430", gateways: ["gateway#2": "http://127.0.0.1:41005"],
            bus: .init(
                url: "storebus://127.0.0.1:7420", monitorPort: 7421, services: ["payment-queue", "payment-queue#2"]),
            locations: .init(
                dataDirectory: "/d", database: "\(database.location)  from \(database.origin)",
                adminKey: "/d/admin.key"),
            app: .init(bundleId: "com.example.app"), startedIn: .seconds(1))
        #expect(banner.text.contains("2 services: payment-queue payment-queue#2\n"))
        #expect(banner.text.contains("  Database       u@h/db  from DATABASE_URL\n"))
        #expect(banner.text.contains("    gateway#2    http://127.0.0.1:41005\n"))
        #expect(!banner.text.contains("secret"))
    }

    // MARK: status, ready and logs

    /// Prepares the directory of a store with two payment queues.
    /// - Parameter hasSecond: Whether the second has written its ready file.
    private func store(_ place: TemporaryDirectory, hasSecond: Bool) throws -> DataDirectory {
        let directory = DataDirectory(place.file(".storebus"))
        try directory.prepare()
        try RunRecord(
            pid: getpid(), url: "http://store", busURL: "storebus://h", monitorPort: 1, dataDirectory: directory.path,
            startedAt: .wallClock(), version: StorebusVersion.number, replicas: ["payment-queue": 2]
        ).write(to: directory)
        func ready(_ name: String, _ instance: String, _ pid: Int) throws {
            let text = #"{"service":"payment-queue","pid":\#(pid),"instance":"\#(instance)","monitorPort":\#(pid)}"#
            try FileAccess.write(Array(text.utf8), to: directory.readyFile(name), mode: 0o600)
        }
        try ready("payment-queue", "i1", 101)
        if hasSecond { try ready("payment-queue#2", "i2", 102) }
        return directory
    }

    private func onBus(_ identifiers: String...) -> FakeStore {
        let store = FakeStore()
        let services = identifiers.map { identifier -> JSONValue in
            ["name": "payment-queue", "id": .string(identifier), "version": "0.1.0", "status": "pass"]
        }
        store.answer("GET /admin/v1/services", ["bus": "connected", "services": .array(services)])
        return store
    }

    private func rows(_ store: FakeStore, _ directory: TemporaryDirectory) async throws -> [[String?]] {
        let (_, said) = await Recorder.run(
            ["status", "-o", "json"], variables: ["STOREBUS_ADMIN_KEY": "admin"], directory: directory.path,
            transport: store)
        let rows = try #require(StrictJSON.parse(Array(said.result.utf8))["data"]?["services"]?.arrayValue)
        return rows.filter { $0["service"]?.stringValue?.hasPrefix("payment-queue") == true }.map { row in
            [row["service"]?.stringValue, row["health"]?.stringValue, row["pid"]?.intValue.map { "\($0)" }]
        }
    }

    @Test func `status names each process, in order, and one that is away`() async throws {
        let place = try TemporaryDirectory()
        _ = try store(place, hasSecond: true)
        #expect(
            try await rows(onBus("i2", "i1"), place) == [
                ["payment-queue", "pass", "101"], ["payment-queue#2", "pass", "102"],
            ])
        #expect(
            try await rows(onBus("i2"), place) == [
                ["payment-queue", "away", "101"], ["payment-queue#2", "pass", "102"],
            ])
        let other = try TemporaryDirectory()
        _ = try store(other, hasSecond: false)
        #expect(
            try await rows(onBus("i1"), other) == [
                ["payment-queue", "pass", "101"], ["payment-queue#2", "away", nil],
            ])
    }

    @Test func `status says when each process started, and how often it was restarted`() async throws {
        let place = try TemporaryDirectory()
        let directory = try store(place, hasSecond: false)
        try FileAccess.write(Array("2\n".utf8), to: directory.restartFile("payment-queue"), mode: 0o600)
        let said = await Recorder.run(
            ["status"], variables: ["STOREBUS_ADMIN_KEY": "admin"], directory: place.path, transport: FakeStore()
        ).said
        let lines = said.result.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let catalog = try #require(lines.first { $0.first == "catalog" })
        #expect(catalog[2...4] == ["2026-11-21", "10:00:00Z", "-"])
        #expect(try #require(lines.first { $0.first == "payment-queue" })[2...3] == ["-", "2"])
    }

    @Test func `a service's logs are those of its replicas, or of the one that is named`() async throws {
        let place = try TemporaryDirectory()
        let directory = try store(place, hasSecond: true)
        for (name, second) in [("payment-queue", "01"), ("payment-queue#2", "02")] {
            let line = #"{"time":"2026-11-21T10:00:\#(second).000Z","level":"info","message":"of \#(name)"}"# + "\n"
            try FileAccess.write(Array(line.utf8), to: directory.logFile(name), mode: 0o600)
        }
        let both = await Recorder.run(["logs", "payment-queue"], directory: place.path).said.result
        #expect(both.split(separator: "\n").map { $0.contains("payment-queue#2") } == [false, true])
        let one = await Recorder.run(["logs", "payment-queue#2"], directory: place.path).said.result
        #expect(one.split(separator: "\n").count == 1 && one.contains("of payment-queue#2"))
        #expect(await Recorder.run(["logs", "payment-quue#2"], directory: place.path).status == .usage)
    }
}
