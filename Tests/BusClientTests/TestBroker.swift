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
    private let server: Locked<BrokerServer>
    private let clients = Locked<[SBPClient]>([])
    /// The broker's thread waits for it while the broker is frozen.
    private let thawed = DispatchSemaphore(value: 0)

    private init(token: String?) async throws {
        self.token = token
        brokerLoop = try UVLoop.start(name: "broker")
        clientLoop = try UVLoop.start(name: "clients")
        let server = Self.server(port: 0, token: token, loop: brokerLoop)
        port = try await server.start().port
        self.server = Locked(server)
    }

    static func with(token: String? = nil, _ body: (TestBroker) async throws -> Void) async throws {
        let broker = try await TestBroker(token: token)
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
        var configuration = SBPClient.Configuration(
            url: BusURL(port: port, token: token ?? self.token), name: name, instance: instance,
            random: SplitMix64(seed: 1))
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
        let next = Self.server(port: port, token: token, loop: brokerLoop)
        server.withLock { $0 = next }
        _ = try await next.start()
    }

    private func end() async {
        for client in clients.withLock({ $0 }) { await client.close() }
        await kill()
        await clientLoop.close()
        await brokerLoop.close()
    }

    private static func server(port: Int, token: String?, loop: UVLoop) -> BrokerServer {
        var configuration = BrokerConfiguration(host: "127.0.0.1", port: port, version: "test")
        configuration.token = token
        return BrokerServer(configuration: configuration, loop: loop, logger: silent)
    }
}

/// A logger that says nothing.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
