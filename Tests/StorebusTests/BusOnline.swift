import Broker
import BusClient
import BusService
import EventLoop
import Logging
import StoreModels

@testable import Storebus

/// A broker on a free port with one client, for one test.
struct BusOnline: Sendable {
    /// The broker's address, such as `storebus://127.0.0.1:40123`.
    let url: String
    /// Another client on the bus.
    let other: SBPClient

    static func run(
        token: String? = nil, _ body: (BusOnline) async throws -> Void
    ) async throws {
        let loop = try UVLoop.start(name: "bus-online")
        var silent = Logger(label: "test")
        silent.logLevel = .critical
        let broker = BrokerServer(
            configuration: BrokerConfiguration(port: 0, token: token, version: "test"), loop: loop, logger: silent)
        let address = try await broker.start()
        let client = SBPClient(
            configuration: .init(url: BusURL(port: address.port, token: token), name: "other"), loop: loop,
            logger: silent)
        client.start()
        let outcome: Result<Void, any Error>
        do {
            try await client.waitUntilConnected(timeout: .seconds(10))
            try await body(BusOnline(url: "storebus://127.0.0.1:\(address.port)", other: client))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await client.close()
        await broker.kill()
        await loop.close()
        try outcome.get()
    }

    /// Runs `storebus bus …` against this broker.
    func storebus(
        _ arguments: [String], variables: [String: String] = [:], terminal: Terminal = .none
    ) async -> (status: CLIExit, said: Recorder) {
        await Recorder.run(
            ["bus"] + arguments + ["--bus-url", url], variables: variables, terminal: terminal, transport: FakeStore())
    }

    /// Answers as a service of one instance does.
    func serve() async throws {
        let answers: [(String, JSONValue)] = [
            ("PING", ["type": "io.nats.micro.v1.ping_response"]),
            (
                "STATS",
                [
                    "type": "io.nats.micro.v1.stats_response", "started": "2026-11-21T10:00:00.000Z",
                    "endpoints": [
                        [
                            "name": "app.get", "subject": "sb.catalog.v1.app.get", "queue_group": "q",
                            "num_requests": 12, "num_errors": 1, "last_error": "", "processing_time": 3_000_000,
                            "average_processing_time": 250_000,
                        ]
                    ],
                ]
            ),
        ]
        for (verb, more) in answers {
            let identity: [String: JSONValue] = [
                "name": "catalog", "id": "i1", "version": "0.1.0", "metadata": .object([:]),
            ]
            let body = Array(
                JSONText.line(.object(identity.merging(more.objectValue ?? [:]) { $1 })).utf8)
            for subject in ["$SRV.\(verb)", "$SRV.\(verb).catalog", "$SRV.\(verb).catalog.i1"] {
                let client = other
                _ = try await client.subscribe(subject) { try? client.respond(to: $0, body: body) }
            }
        }
    }
}
