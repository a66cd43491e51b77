import BusClient
import EventLoop
import Glibc
import NATSClient
import StorebusTesting

/// A nats-server of a test's own, and a loop for its clients. It can be killed and come back on the same port.
final class TestNATS: Sendable {
    let clientLoop: UVLoop
    let token: String?
    let port: Int
    private let server: Locked<TemporaryNATS>
    private let clients = Locked<[NATSClient]>([])

    private init(token: String?) async throws {
        self.token = token
        let server = try await TemporaryNATS(token: token)
        clientLoop = try UVLoop.start(name: "clients")
        port = server.port
        self.server = Locked(server)
    }

    static func with(token: String? = nil, _ body: (TestNATS) async throws -> Void) async throws {
        let server = try await TestNATS(token: token)
        do {
            try await body(server)
        } catch {
            await server.end()
            throw error
        }
        await server.end()
    }

    /// A client that has begun to connect.
    func client(_ name: String, token: String? = nil, echo: Bool = true) -> NATSClient {
        var url = NATSURL(servers: [.init(host: "127.0.0.1", port: port)])
        if let token = token ?? self.token { url.add(secret: token) }
        var configuration = NATSClient.Configuration(url: url, name: name)
        configuration.echo = echo
        let client = NATSClient(configuration: configuration, loop: clientLoop, logger: silent)
        clients.withLock { $0.append(client) }
        client.start()
        return client
    }

    func kill() async throws { try await server.withLock { $0 }.killed() }
    func freeze() async throws { try await server.withLock { $0 }.frozen() }
    func thaw() { server.withLock { $0 }.signal(SIGCONT) }

    /// Comes back on the same port.
    func restart() async throws {
        let next = try await TemporaryNATS(port: port, token: token)
        server.withLock { $0 = next }
    }

    private func end() async {
        for client in clients.withLock({ $0 }) { await client.close() }
        server.withLock { $0 }.stop()
        await clientLoop.close()
    }
}
