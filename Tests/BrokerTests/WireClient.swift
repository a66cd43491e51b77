import BusProtocol
import EventLoop
import Glibc
import Logging

@testable import Broker

/// A client made of a blocking socket and hand-written frames: what a stranger would write from the protocol page.
///
/// Every wait has a deadline, so a broker that stays silent fails the test instead of hanging it.
final class WireClient {
    /// The broker said nothing, or closed, where the test expected something.
    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    private let socket: CInt
    private var input: [UInt8] = []
    private(set) var inbox = ""
    /// How often bytes have arrived.
    private(set) var reads = 0

    /// Connects to a port on loopback.
    init(port: Int) throws {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Silence(description: "connect: errno \(errno)") }
    }

    deinit { close(socket) }

    /// Connects and signs in.
    static func signedIn(port: Int, token: String? = nil, more: String = "") throws -> WireClient {
        let client = try WireClient(port: port)
        _ = try client.next()
        let auth = token.map { "{\"method\":\"token\",\"token\":\"\($0)\"}" } ?? #"{"method":"none"}"#
        try client.send(
            "{\"op\":\"connect\",\"v\":\"1\",\"name\":\"w\",\"lang\":\"c\",\"ver\":\"1\",\"auth\":\(auth)\(more)}")
        guard case .ok(let ok) = try client.next().message else { throw Silence(description: "no ok") }
        client.inbox = ok.inbox ?? ""
        return client
    }

    /// Sends one frame.
    func send(_ header: String, body: [UInt8] = []) throws { try send(bytes: Self.frame(header, body: body)) }

    static func frame(_ header: String, body: [UInt8] = []) -> [UInt8] {
        let length = { (value: Int, bytes: Int) in
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return [0] + length(header.utf8.count, 3) + length(body.count, 4) + Array(header.utf8) + body
    }

    /// Sends bytes as they are.
    func send(bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Silence(description: "send: errno \(errno)") }
            sent += count
        }
    }

    /// The next message.
    func next() throws -> CoreHarness.Received {
        let prefix = try take(8)
        let header = Int(prefix[1]) << 16 | Int(prefix[2]) << 8 | Int(prefix[3])
        let body = Int(prefix[4]) << 24 | Int(prefix[5]) << 16 | Int(prefix[6]) << 8 | Int(prefix[7])
        let bytes = try take(header)
        return CoreHarness.Received(message: try ServerMessage(bytes.span), body: try take(body))
    }

    /// The next messages as short text.
    func log(_ count: Int) throws -> [String] { try (0..<count).map { _ in try next().message.short } }

    /// Everything until the broker closes.
    func rest() throws -> [UInt8] {
        while try receive() {}
        defer { input = [] }
        return input
    }

    /// Whether a read would not block.
    var isReadable: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Our end of the stream, without closing it.
    func finish() { shutdown(socket, CInt(SHUT_WR)) }

    private func take(_ count: Int) throws -> [UInt8] {
        while input.count < count {
            guard try receive() else { throw Silence(description: "closed after \(input.count) of \(count) bytes") }
        }
        defer { input.removeFirst(count) }
        return Array(input[..<count])
    }

    /// False at the end of the stream.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno != ECONNRESET { throw Silence(description: "recv: errno \(errno)") }
        if count > 0 {
            input += buffer[..<count]
            reads += 1
        }
        return count > 0
    }
}

extension WireClient {
    /// Runs a body against a broker on a free port, then closes broker and loop.
    ///
    /// The body is `@concurrent`, because its sockets block: on the loop's own thread they would never end. Swift
    /// 6.3.1 leaves an ordinary body there, for it drops the hop back when a nonisolated call follows an actor's.
    static func withBroker(
        _ configuration: BrokerConfiguration,
        _ body: @Sendable @concurrent (_ broker: BrokerServer, _ port: Int) async throws -> Void
    ) async throws {
        let loop = try UVLoop.start(name: "broker-test")
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let broker = BrokerServer(configuration: configuration, loop: loop, logger: quiet)
        do {
            let address = try await broker.start()
            try await body(broker, address.port)
        } catch {
            await broker.kill()
            await loop.close()
            throw error
        }
        await broker.kill()
        await loop.close()
    }
}
