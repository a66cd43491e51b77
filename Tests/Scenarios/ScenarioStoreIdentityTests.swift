import BusService
import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: what does not belong to a store stays off its bus, says so and ends. Method: real processes beside a store.
@Suite(.process) struct ScenarioStoreIdentityTests {
    @Test func `all databases of a store belong to it soon after its first start`() async throws {
        try await StoreStack.run { store in
            let identity = try await Self.storeOnBus(store)
            #expect(identity.count == 24)
        }
    }

    @Test func `a second payment queue with another database does not join`() async throws {
        try await StoreStack.run { store in
            let (status, output) = try await Stranger.run(
                "payment-queue", ["--data", store.directory.file("other")], beside: store)
            #expect(status == 78, "\(output)")
            #expect(output.contains("another payment-queue is on the bus with database"))
            #expect(output.contains("DATABASE_URL"))
        }
    }

    @Test func `a catalogue of another store does not join, and both stores are named`() async throws {
        try await StoreStack.run { store in
            let own = try await Self.storeOnBus(store)
            try await StoreStack.run { other in
                let foreign = try await Self.storeOnBus(other)
                #expect(foreign != own)
                let copy = store.directory.file("copy")
                try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
                for file in ["catalog.sqlite", "catalog.sqlite-wal"] {
                    try FileManager.default.copyItem(atPath: other.directory.file(file), toPath: "\(copy)/\(file)")
                }
                let (status, output) = try await Stranger.run("catalog", ["--data", copy], beside: store)
                #expect(status == 78, "\(output)")
                #expect(output.contains("belongs to store \(foreign)"))
                #expect(output.contains("the store on the bus is \(own)"))
            }
        }
    }

    @Test func `a store has one broker, and the second says who holds the lock`() async throws {
        let directory = try TemporaryDirectory(prefix: "storebus-broker")
        let lock = directory.file("broker.lock")
        let ready = directory.file("broker.ready")
        let first = Process()
        first.executableURL = URL(fileURLWithPath: try Executables.path(of: "broker"))
        let arguments = ["--port", "0", "--monitor-port", "0", "--lock-file", lock]
        first.arguments = arguments + ["--ready-file", ready]
        first.standardError = FileHandle.nullDevice
        try first.run()
        defer { first.terminate() }
        try await eventually("the first broker listens", within: .seconds(10)) {
            FileManager.default.fileExists(atPath: ready)
        }
        let (status, output) = try await Stranger.run("broker", arguments, in: directory, environment: [:])
        #expect(status == 73, "\(output)")
        #expect(output.contains("the store has a broker: pid \(first.processIdentifier) (broker) holds \(lock)"))
        #expect(output.contains("nats://"))
    }

    @Test func `a monitoring port is where its address says`() async throws {
        try await StoreStack.run { store in
            let ready = store.directory.file("eligibility.second.ready")
            let process = try Stranger.start(
                "eligibility", ["--monitor-port", "0", "--monitor-host", "127.0.0.2", "--ready-file", ready],
                output: store.directory.file("eligibility.out"), environment: try Stranger.environment(of: store))
            defer { process.terminate() }
            try await eventually("the second eligibility serves", within: .seconds(10)) {
                FileManager.default.fileExists(atPath: ready)
            }
            struct Facts: Decodable { let monitorPort: Int }
            let facts = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: URL(fileURLWithPath: ready)))
            let page = try await store.request(.GET, "/metrics", at: "http://127.0.0.2:\(facts.monitorPort)")
            #expect(page.status == 200)
        }
    }

    /// The store all databases on the bus have, once they have one.
    private static func storeOnBus(_ store: StoreStack) async throws -> String {
        try await store.withBus("identity") { bus in
            var found: Set<String?> = []
            try await eventually("every database has the store's identity", within: .seconds(20)) {
                let databases = try await ServiceDiscovery(bus).ping().filter { $0.metadata["database"] != nil }
                found = Set(databases.map { $0.metadata["store"] })
                return databases.count == 6 && found.count == 1 && !found.contains(nil)
            }
            return found.compactMap(\.self).first ?? ""
        }
    }
}

/// A process that is no part of the store it runs beside.
private enum Stranger {
    /// - Returns: how it ended, and what it said.
    static func run(
        _ program: String, _ arguments: [String], beside store: StoreStack
    ) async throws -> (status: Int32, output: String) {
        try await run(program, arguments, in: store.directory, environment: environment(of: store))
    }

    static func run(
        _ program: String, _ arguments: [String], in directory: TemporaryDirectory, environment: [String: String]
    ) async throws -> (status: Int32, output: String) {
        let output = directory.file("\(program).stranger")
        let process = try start(program, arguments, output: output, environment: environment)
        defer { if process.isRunning { process.terminate() } }
        try await eventually("\(program) ends", within: .seconds(15)) { !process.isRunning }
        return (process.terminationStatus, try String(contentsOfFile: output, encoding: .utf8))
    }

    static func start(
        _ program: String, _ arguments: [String], output: String, environment: [String: String]
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Executables.path(of: program))
        process.arguments = arguments
        process.environment = environment
        try Data().write(to: URL(fileURLWithPath: output))
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: output)
        try process.run()
        return process
    }

    static func environment(of store: StoreStack) throws -> [String: String] {
        struct Facts: Decodable { let busURL: String }
        let facts = try JSONDecoder().decode(
            Facts.self, from: Data(contentsOf: URL(fileURLWithPath: store.directory.file("run/up.json"))))
        return ["BUS_URL": facts.busURL, "BUS_CREDENTIALS_FILE": store.directory.file("bus.token")]
    }
}
