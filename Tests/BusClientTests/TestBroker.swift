import Broker
import BusClient
import Dispatch
import EventLoop
import Logging
import StorebusTesting

/// A broker in this process, with a loop for its clients. A test can stop it and restart it on the same port.
final class TestBroker: Sendable {
    let brokerLoop: UVLoop
    let clientLoop: UVLoop
    let port: Int
    let token: String?
    private let tls: TestTLS?
    private let limits: BrokerLimits
    private let server: Locked<BrokerServer>
    private let clients = Locked<[SBPClient]>([])
    /// The broker's thread waits for it while the broker is frozen.
    private let thawed = DispatchSemaphore(value: 0)

    private init(token: String?, tls: TestTLS?, limits: BrokerLimits) async throws {
        self.token = token
        self.tls = tls
        self.limits = limits
        brokerLoop = try UVLoop.start(name: "broker")
        clientLoop = try UVLoop.start(name: "clients")
        let server = Self.server(port: 0, token: token, tls: tls, limits: limits, loop: brokerLoop)
        port = try await server.start().port
        self.server = Locked(server)
    }

    /// - Parameter tls: The files of both sides; nil for plain TCP.
    static func with(
        token: String? = nil, tls: TestTLS? = nil, limits: BrokerLimits = BrokerLimits(),
        _ body: (TestBroker) async throws -> Void
    ) async throws {
        let broker = try await TestBroker(token: token, tls: tls, limits: limits)
        do {
            try await body(broker)
        } catch {
            await broker.end()
            throw error
        }
        await broker.end()
    }

    /// A client that has begun to connect.
    func client(
        _ name: String, instance: String? = nil, token: String? = nil, echo: Bool = true
    ) -> SBPClient {
        let url = BusURL(port: port, token: token ?? self.token, tls: tls?.client)
        return client(name, url: url, instance: instance, echo: echo)
    }

    /// A client that has begun to connect to an address of the test's choice.
    func client(_ name: String, url: BusURL, instance: String? = nil, echo: Bool = true) -> SBPClient {
        var configuration = SBPClient.Configuration(
            url: url, name: name, instance: instance, random: SplitMix64(seed: 1))
        configuration.echo = echo
        let client = SBPClient(configuration: configuration, loop: clientLoop, logger: silent)
        clients.withLock { $0.append(client) }
        client.start()
        return client
    }

    /// Cuts every connection and stops listening, as a crash would.
    func kill() async { await server.withLock { $0 }.kill() }

    /// Keeps the broker from doing anything, as SIGSTOP would.
    func freeze() { brokerLoop.execute { [thawed] in thawed.wait() } }

    /// Lets it go on after `freeze`.
    func thaw() { thawed.signal() }

    /// Comes back on the same port.
    func restart() async throws {
        let next = Self.server(port: port, token: token, tls: tls, limits: limits, loop: brokerLoop)
        server.withLock { $0 = next }
        _ = try await next.start()
    }

    private func end() async {
        for client in clients.withLock({ $0 }) { await client.close() }
        await kill()
        await clientLoop.close()
        await brokerLoop.close()
    }

    private static func server(
        port: Int, token: String?, tls: TestTLS?, limits: BrokerLimits, loop: UVLoop
    ) -> BrokerServer {
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: port, token: token, limits: limits, version: "test")
        configuration.tls = tls?.broker
        return BrokerServer(configuration: configuration, loop: loop, logger: silent)
    }
}

/// The files for TLS of a broker and its clients.
final class TestTLS: Sendable {
    let authority: TestAuthority
    let broker: TLSFiles
    let client: TLSFiles

    /// - Parameters:
    ///   - names: Of the broker's certificate.
    ///   - days: Its validity, counted from now.
    ///   - wantsCertificates: Whether the broker asks its clients for certificates.
    init(
        names: [String] = ["localhost", "127.0.0.1"], days: ClosedRange<Int> = -1...1,
        wantsCertificates: Bool = false
    ) throws {
        authority = try TestAuthority()
        let identity = try authority.identity("broker", names: names, days: days)
        broker = TLSFiles(
            authorities: wantsCertificates ? authority.certificate : nil, certificate: identity.certificate,
            key: identity.key)
        client = TLSFiles(authorities: authority.certificate)
    }
}

/// A logger that says nothing.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
