import Foundation
import Glibc
import StoreModels
import StorebusTesting

@testable import StoreKitClient

/// A gateway of the test's own, on a free port: real sockets and real HTTP, so that broken connections are broken ones.
///
/// It opens sessions and streams by itself, and answers everything else as the test says. An unexpected request is
/// answered with 501, which no test passes over.
final class FakeGateway: Sendable {
    typealias Handler = @Sendable (FakeRequest) -> FakeAnswer

    private struct State {
        var handlers: [String: Handler] = [:]
        var requests: [FakeRequest] = []
        /// Those that are not over, by their numbers. Each has a descriptor. When none is left, libdispatch ends the
        /// process with signal 4, because it reads a file of each thread once a second.
        var connections: [Int: FakeConnection] = [:]
        var nextConnection = 0
        var sessions = 0
        var isStopped = false
    }

    let url: URL
    /// The contents of the apps.
    let directory: TemporaryDirectory
    /// Leaves it to the other side to close.
    private let keepsConnections: Bool
    private let listener: Int32
    /// Bound to the same port and not listening: when the gateway has stopped, the port is refused instead of given to
    /// another test's gateway.
    private let holder: Int32
    private let state = LockedValue(State())

    init(keepsConnections: Bool = false) throws {
        self.keepsConnections = keepsConnections
        directory = try TemporaryDirectory(prefix: "storebus-client")
        holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.bind(holder, port: 0), Self.share(holder), Self.share(listener),
            Self.bind(listener, port: port) != nil, listen(listener, 64) == 0,
            let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw POSIXError(.EADDRINUSE) }
        self.url = url
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                let connection = FakeConnection(descriptor)
                guard let self else { break }
                self.serve(connection)
            }
            close(listener)
        }
    }

    deinit {
        stop()
        close(holder)
    }

    /// - Returns: The port.
    private static func bind(_ descriptor: Int32, port: UInt16) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Lets another socket have the same port.
    private static func share(_ descriptor: Int32) -> Bool {
        var isOn: Int32 = 1
        return setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Closes everything. Once: by the second time the listener's number may be another descriptor's.
    func stop() {
        let connections: [FakeConnection]? = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped ? nil : Array(state.connections.values)
        }
        guard let connections else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { connection.shut() }
    }

    /// Sets the answers to requests: `"POST /v1/payments"`; a last part `*` matches any.
    func on(_ line: String, _ handler: @escaping Handler) { state.withLock { $0.handlers[line] = handler } }

    /// Answers requests with `answers` in order, and all later ones with the last.
    func on(_ line: String, _ answers: [FakeAnswer]) {
        let rest = LockedValue(answers)
        on(line) { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    /// Connections that neither side has closed.
    var openConnections: Int { state.withLock { $0.connections.count } }

    /// What was asked so far.
    func requests(_ line: String) -> [FakeRequest] { state.withLock { $0.requests.filter { $0.line == line } } }

    private func serve(_ connection: FakeConnection) {
        let number: Int? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.nextConnection += 1
            state.connections[state.nextConnection] = connection
            return state.nextConnection
        }
        guard let number else { return connection.shut() }
        Thread.detachNewThread { [weak self, keepsConnections] in
            while var request = connection.readRequest() {
                request.connection = number
                guard let answer = self?.answer(request) else { break }
                // As a server may: closed, without a header that announces it.
                let isLast = request.headers["connection"]?.lowercased() == "close"
                guard Self.carryOut(answer, connection), !isLast || keepsConnections else { break }
            }
            connection.shut()
            _ = self?.state.withLock { $0.connections.removeValue(forKey: number) }
        }
    }

    /// - Returns: Whether the connection goes on.
    private static func carryOut(_ answer: FakeAnswer, _ connection: FakeConnection) -> Bool {
        switch answer {
        case .drop: return false
        case .silence:
            connection.waitForClose()
            return false
        case .stream(let stream):
            stream.serve(connection)
            return false
        case .answer(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) Status\r\ncontent-length: \(body.count)\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            return connection.write(Array("\(head)\r\n".utf8) + body)
        }
    }

    private func answer(_ request: FakeRequest) -> FakeAnswer {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handlers[request.line] ?? state.handlers[Self.pattern(of: request.line)]
        }
        if let handler { return handler(request) }
        switch request.line {
        case "POST /v1/sessions": return openSession()
        case "GET /v1/transactions/stream": return .stream(.beginning())
        default: return .problem(.notImplemented, request.line)
        }
    }

    /// `POST /v1/transactions/t1/finish` → `POST /v1/transactions/*/finish`
    private static func pattern(of line: String) -> String {
        var parts = line.components(separatedBy: "/")
        if parts.count > 3 { parts[3] = "*" }
        return parts.joined(separator: "/")
    }

    private func openSession() -> FakeAnswer {
        let number = state.withLock { state in
            state.sessions += 1
            return state.sessions
        }
        return .session(token: "token-\(number)")
    }
}

extension FakeAnswer {
    static func session(
        token: String, storefront: String = "USA", canMakePayments: Bool = true, environment: JSONValue? = "Sandbox",
        device: UUID? = nil, root: JSONValue? = nil
    ) -> FakeAnswer {
        var members: [String: JSONValue] = [
            "token": .string(token), "expiresAt": "2026-11-22T10:00:00.000Z", "canMakePayments": .bool(canMakePayments),
            "storefront": .object(["countryCode": .string(storefront), "identifier": "143441"]), "degraded": .array([]),
            "deviceVerificationId": .string(device?.uuidString ?? "9b1f3f0e-2f0b-5e0a-8c0e-4f5a1b2c3d4e"),
        ]
        members["environment"] = environment
        members["rootCertificate"] = root
        return .json(members, status: 201)
    }
}
