import Dispatch
import Glibc
import StoreModels
import Testing

@testable import Storebus

/// What servers do to a notification, and Apple's words for it.
@Suite struct NotificationForwarderTests {
    /// A server that answers each connection with the next of these bytes, then closes it.
    private final class Server: Sendable {
        let port: Int
        private let descriptor: Int32

        /// - Parameter isSilent: Whether connections stay open without an answer.
        init(_ answers: [String], isSilent: Bool = false) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            try #require(isBound)
            self.descriptor = descriptor
            port = Int(in_port_t(bigEndian: address.sin_port))
            guard !isSilent else { return }
            DispatchQueue(label: "app server").async {
                for answer in answers {
                    let connection = accept(descriptor, nil, nil)
                    Self.read(connection)
                    let bytes = Array(answer.utf8)
                    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    shutdown(connection, Int32(SHUT_RDWR))
                    close(connection)
                }
            }
        }

        /// Reads a request: its head, and the body if there is one, which ends with a brace.
        private static func read(_ connection: Int32) {
            var text = ""
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while !(text.hasSuffix("}") || text.hasSuffix("\r\n\r\n") && !text.contains("ontent-")) {
                let count = recv(connection, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                text += String(decoding: bytes[..<count], as: UTF8.self)
            }
        }

        deinit { close(descriptor) }
    }

    private func post(_ answers: [String], time: Duration = .seconds(3600)) async throws -> ForwardOutcome? {
        let server = try Server(answers)
        defer { withExtendedLifetime(server) {} }
        return await HTTPNotificationForwarder().post(
            "a.b.c", to: "http://127.0.0.1:\(server.port)/", within: time)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", SendAttemptResult.success, 200 as Int?, "ok" as String?),
        ("HTTP/1.1 204 No Content\r\n\r\n", .success, 204, nil),
        (
            "HTTP/1.1 400 X\r\nContent-Length: 4\r\n\r\n\u{1F}\0\u{1B}[", .unsuccessfulResponse, 400,
            "\u{FFFD}\u{FFFD}\u{FFFD}["
        ),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\nfire", .unsuccessfulResponse, 500, "fire"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", .prematureClose, 200, "the response ended early"),
        ("", .noResponse, nil, "it closed the connection"),
        ("SSH-2.0-OpenSSH\r\n\r\n", .invalidResponse, nil, "what came back is no HTTP"),
    ])
    func `an answer has its word`(
        answer: String, result: SendAttemptResult, status: Int?, body: String?
    ) async throws {
        let outcome = try #require(await post([answer]))
        #expect(outcome.result == result, "\(outcome)")
        #expect(outcome.status == status)
        #expect(outcome.bodyStart == body)
    }

    @Test func `a closed port, a silent server and a name that is none`() async throws {
        let server = try Server([], isSilent: true)
        let url = "http://127.0.0.1:\(server.port)/"
        let silent = await HTTPNotificationForwarder().post("a.b.c", to: url, within: .milliseconds(200))
        #expect(silent?.result == .timedOut && silent?.bodyStart == "no answer in 200 ms")
        let closed = await HTTPNotificationForwarder().post("a.b.c", to: "http://127.0.0.1:1/", within: .seconds(3600))
        #expect(closed?.result == .socketIssue, "\(String(describing: closed))")
        let plain = await HTTPNotificationForwarder().post(
            "a.b.c", to: "http://storebus.invalid/", within: .seconds(3600))
        #expect(plain?.result == .socketIssue, "\(String(describing: plain))")
        withExtendedLifetime(server) {}
    }

    @Test func `a server without TLS is an issue of TLS`() async throws {
        let server = try Server(["HTTP/1.1 400 Bad Request\r\n\r\n"])
        let url = "https://127.0.0.1:\(server.port)/"
        let outcome = await HTTPNotificationForwarder().post("a.b.c", to: url, within: .milliseconds(500))
        // The server waits for a request's end, which a handshake does not have.
        #expect([.tlsIssue, .timedOut].contains(outcome?.result), "\(String(describing: outcome))")
    }

    @Test func `redirects are followed, and a circle is not`() async throws {
        let there = "HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
        let followed = try await post([there, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
        #expect(followed?.result == .success)
        let back = "HTTP/1.1 307 Back\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
        let circle = try await post([there, back, there, back])
        #expect(circle?.result == .circularRedirect, "\(String(describing: circle))")
    }

    @Test func `Ctrl-C leaves no outcome`() async throws {
        let server = try Server([], isSilent: true)
        let url = "http://127.0.0.1:\(server.port)/"
        let work = Task { await HTTPNotificationForwarder().post("a.b.c", to: url, within: .seconds(60)) }
        work.cancel()
        #expect(await work.value == nil)
        withExtendedLifetime(server) {}
    }
}
