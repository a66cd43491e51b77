import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What servers do to a notification, and Apple's words for it.
@Suite struct NotificationForwarderTests {
    /// Posts to a server that answers each connection with the next of these bytes, then closes it.
    private func post(_ answers: [String]) async throws -> (ForwardOutcome?, requests: [String]) {
        let server = try await RawServer.start { .textAndClose(answers[min($0, answers.count - 1)]) }
        let outcome = await HTTPNotificationForwarder().post(
            "a.b.c", to: "http://127.0.0.1:\(server.port)/", within: .seconds(3600))
        await server.stop()
        return (outcome, server.requests)
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
        ("SSH-2.0-OpenSSH\r\n\r\n", .invalidResponse, nil, "the response is not HTTP"),
    ])
    func `an answer has its word`(
        answer: String, result: SendAttemptResult, status: Int?, body: String?
    ) async throws {
        let outcome = try #require(await post([answer]).0)
        #expect(outcome.result == result, "\(outcome)")
        #expect(outcome.status == status)
        #expect(outcome.bodyStart == body)
    }

    @Test func `a closed port, a silent server and a name that is none`() async throws {
        let server = try await RawServer.start { _ in .nothing }
        let url = "http://127.0.0.1:\(server.port)/"
        let silent = await HTTPNotificationForwarder().post("a.b.c", to: url, within: .milliseconds(200))
        #expect(silent?.result == .timedOut && silent?.bodyStart == "no answer in 200 ms")
        let closed = await HTTPNotificationForwarder().post("a.b.c", to: "http://127.0.0.1:1/", within: .seconds(3600))
        #expect(closed?.result == .socketIssue, "\(String(describing: closed))")
        let plain = await HTTPNotificationForwarder().post(
            "a.b.c", to: "http://storebus.invalid/", within: .seconds(3600))
        #expect(plain?.result == .socketIssue && plain?.bodyStart == "no such host", "\(String(describing: plain))")
        await server.stop()
    }

    @Test func `a server without TLS is an issue of TLS`() async throws {
        let server = try await RawServer.start(waitsForRequest: false) { _ in .textAndClose("HTTP/1.1 400 X\r\n\r\n") }
        let outcome = await HTTPNotificationForwarder().post(
            "a.b.c", to: "https://127.0.0.1:\(server.port)/", within: .seconds(3600))
        #expect(outcome?.result == .tlsIssue, "\(String(describing: outcome))")
        await server.stop()
    }

    @Test func `redirects are followed, and a circle is not`() async throws {
        let there = "HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
        let (followed, requests) = try await post([there, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
        #expect(followed?.result == .success)
        #expect(requests.last?.hasPrefix("POST /there ") == true)
        #expect(requests.last?.hasSuffix(#"{"signedPayload":"a.b.c"}"#) == true)
        let back = "HTTP/1.1 307 Back\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
        let (circle, all) = try await post([there, back, there, back])
        #expect(circle?.result == .circularRedirect && all.count == 2, "\(String(describing: circle))")
        #expect(circle?.bodyStart == "its redirects go in a circle")
    }

    @Test func `Ctrl-C leaves no outcome`() async throws {
        let server = try await RawServer.start { _ in .nothing }
        let url = "http://127.0.0.1:\(server.port)/"
        let work = Task { await HTTPNotificationForwarder().post("a.b.c", to: url, within: .seconds(60)) }
        work.cancel()
        #expect(await work.value == nil)
        await server.stop()
    }
}
