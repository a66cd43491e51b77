import BusClient
import EventLoop
import Testing

/// A running bus and ways to join it; ends everything when the body is done, and fails when that hangs.
struct BusFixture {
    /// How a client joins.
    struct Join {
        var name: String
        var echo = true
        var instance: String?
        /// nil for the right one, if the bus wants one.
        var token: String?
    }

    /// What can be done to a broker.
    struct Broker {
        /// As SIGKILL would.
        let kill: () async throws -> Void
        /// Where the one that was killed had been.
        let restart: () async throws -> Void
        /// As SIGSTOP would.
        let freeze: () async throws -> Void
        let thaw: () async throws -> Void
    }

    let makeClient: @Sendable (Join) -> any BusClient
    /// nil for a bus without a broker.
    var broker: Broker?

    /// A connected client.
    func client(_ name: String, echo: Bool = true) async throws -> any BusClient {
        let client = makeClient(Join(name: name, echo: echo))
        try await client.waitUntilConnected(timeout: .seconds(10))
        return client
    }

    /// Runs one case of the suite over a transport, and counts it.
    ///
    /// - Parameters:
    ///   - name: `C31 key affinity`.
    ///   - needs: capabilities without which the case is skipped, by name.
    ///   - token: what the broker asks of its clients.
    static func with(
        _ transport: BusTransport, _ name: String, needs: Set<BusCapability> = [], broker: Bool = false,
        token: String? = nil, _ body: @escaping (BusFixture) async throws -> Void
    ) async throws {
        if let missing = needs.subtracting(transport.capabilities).map(\.rawValue).sorted().first {
            try Conformance.skip(name, on: transport, "capability \(missing)")
        }
        if broker, !transport.hasBroker { try Conformance.skip(name, on: transport, "it has no broker") }
        try await Conformance.run(name, on: transport) { try await run(transport, token: token, body) }
    }

    private static func run(
        _ transport: BusTransport, token: String?, _ body: (BusFixture) async throws -> Void
    ) async throws {
        switch transport {
        case .inMemory:
            let bus = InMemoryBus()
            try await body(BusFixture { bus.client(name: $0.name, echo: $0.echo) })
        case .inMemoryOnLoop:
            let loop = try UVLoop.start(name: "test")
            let bus = InMemoryBus(loop: loop)
            try await body(BusFixture { bus.client(name: $0.name, echo: $0.echo) })
            await loop.close()
        case .sbp, .sbpOverTLS:
            try await TestBroker.with(token: token, tls: transport == .sbp ? nil : try TestTLS()) { broker in
                try await body(
                    BusFixture(
                        makeClient: {
                            broker.client($0.name, instance: $0.instance, token: $0.token, echo: $0.echo)
                        },
                        broker: Broker(
                            kill: { await broker.kill() }, restart: { try await broker.restart() },
                            freeze: { broker.freeze() }, thaw: { broker.thaw() })))
            }
        case .nats:
            try await TestNATS.with(token: token) { server in
                try await body(
                    BusFixture(
                        makeClient: { server.client($0.name, token: $0.token, echo: $0.echo) },
                        broker: Broker(
                            kill: { try await server.kill() }, restart: { try await server.restart() },
                            freeze: { try await server.freeze() }, thaw: { server.thaw() })))
            }
        }
    }
}
