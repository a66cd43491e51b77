import StoreModels
import Testing

@testable import Notifier

/// Goal: an app's server can do nothing to the notifier but answer, and each attempt names what went wrong.
@Suite(.serialized) struct HTTPSenderTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Posts to a server that answers as given.
    private func post(
        _ answers: RawServer.Answer..., path: String = "/hook", timeout: Duration = .seconds(5),
        reach: TargetPolicy.Reach = .any, _ check: (AttemptOutcome, RawServer) throws -> Void
    ) async throws {
        let server = try await RawServer { answers[min($0, answers.count - 1)] }
        let sender = HTTPSender(targets: TargetPolicy(reach: reach))
        let outcome = await sender.post("a.b.c", to: "http://127.0.0.1:\(server.port)\(path)", timeout: timeout)
        try await sender.shutdown()
        try await server.stop()
        try check(outcome, server)
    }

    @Test func `a notification is a JSON object with the signed payload`() async throws {
        try await post(.text(Self.ok)) { outcome, server in
            #expect(outcome.result == .success)
            #expect(outcome.httpStatus == 200)
            #expect(outcome.bodyStart == "ok")
            #expect(outcome.durationMs != nil)
            let request = try #require(server.requests.first)
            #expect(request.hasPrefix("POST /hook HTTP/1.1\r\n"))
            #expect(request.lowercased().contains("content-type: application/json\r\n"))
            #expect(request.hasSuffix("\r\n\r\n" + #"{"signedPayload":"a.b.c"}"#))
        }
    }

    @Test(arguments: [(199, false), (206, true), (207, false), (404, false), (500, false)])
    func `statuses from 200 to 206 are success`(_ status: Int, _ isSuccess: Bool) async throws {
        guard status >= 200 else { return }
        try await post(.text("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")) { outcome, _ in
            #expect(outcome.result == (isSuccess ? .success : .unsuccessfulResponse))
            #expect(outcome.httpStatus == status)
        }
    }

    @Test func `a server that hangs is given up at the timeout`() async throws {
        try await post(.nothing, timeout: .milliseconds(200)) { outcome, _ in #expect(outcome.result == .timedOut) }
    }

    @Test func `a body that does not end is read only so far, and the status counts`() async throws {
        try await post(.endless("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")) { outcome, _ in
            #expect(outcome.result == .success)
            #expect(outcome.bodyStart?.utf8.count == AttemptOutcome.bodyStartMax)
        }
    }

    @Test func `a server that hangs up, cuts its body or speaks no HTTP is named so`() async throws {
        try await post(.close) { outcome, _ in #expect(outcome.result == .noResponse) }
        try await post(.textAndClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")) { outcome, _ in
            #expect(outcome.result == .prematureClose)
        }
        try await post(.textAndClose("220 smtp ready\r\n")) { outcome, _ in
            #expect(outcome.result == .invalidResponse)
        }
    }

    @Test func `a closed port and an unknown host are socket issues`() async throws {
        let server = try await RawServer { _ in .close }
        try await server.stop()
        let sender = HTTPSender(targets: TargetPolicy(reach: .any))
        // It ends at once, and not at the timeout.
        let closed = await sender.post("a", to: "http://127.0.0.1:\(server.port)/", timeout: .seconds(3_600))
        #expect(closed.result == .socketIssue)
        #expect(closed.bodyStart == "the connection was refused")
        let unknown = await sender.post("a", to: "http://nowhere.invalid/", timeout: .seconds(5))
        #expect(unknown.result == .socketIssue)
        #expect(unknown.bodyStart == "host 'nowhere.invalid' was not found")
        try await sender.shutdown()
    }

    @Test func `a server without TLS behind https is a TLS issue`() async throws {
        let server = try await RawServer { _ in .text(Self.ok) }
        let sender = HTTPSender(targets: TargetPolicy(reach: .any))
        // The handshake's first bytes are no request, so the server says nothing until it is closed.
        let outcome = await sender.post("a", to: "https://127.0.0.1:\(server.port)/", timeout: .milliseconds(500))
        #expect([.tlsIssue, .timedOut].contains(outcome.result))
        try await sender.shutdown()
        try await server.stop()
    }

    // MARK: Redirects

    private static func redirect(to location: String, _ status: Int = 307) -> RawServer.Answer {
        .textAndClose("HTTP/1.1 \(status) X\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is followed with the same body`(_ status: Int) async throws {
        try await post(Self.redirect(to: "/other", status), .text(Self.ok)) { outcome, server in
            #expect(outcome.result == .success)
            #expect(server.requests.last?.hasPrefix("POST /other ") == true)
            #expect(server.requests.last?.hasSuffix(#"{"signedPayload":"a.b.c"}"#) == true)
        }
    }

    @Test func `redirects in a circle, and more than five, end`() async throws {
        try await post(Self.redirect(to: "/b"), Self.redirect(to: "/hook")) { outcome, server in
            #expect(outcome.result == .circularRedirect)
            #expect(server.requests.count == 2)
        }
        let many = (0..<9).map { Self.redirect(to: "/\($0)") }
        try await post(many[0], many[1], many[2], many[3], many[4], many[5], many[6]) { outcome, server in
            #expect(outcome.result == .circularRedirect)
            #expect(server.requests.count == HTTPSender.redirectsMax + 1)
        }
    }

    @Test func `a redirect to an address that is refused sends nothing there`() async throws {
        try await post(Self.redirect(to: "http://169.254.169.254/latest/meta-data")) { outcome, _ in
            #expect(outcome.result == .socketIssue)
            #expect(outcome.bodyStart?.contains("169.254.169.254 is a link-local address") == true)
        }
    }

    @Test func `public-only refuses this machine, by name too`() async throws {
        try await post(.text(Self.ok), reach: .publicOnly) { outcome, server in
            #expect(outcome.result == .socketIssue)
            #expect(server.requests.isEmpty)
        }
        let sender = HTTPSender(targets: TargetPolicy(reach: .publicOnly))
        let outcome = await sender.post("a", to: "http://localhost:1/", timeout: .seconds(1))
        #expect(outcome.bodyStart == "host 'localhost' is not of the public Internet; nothing was sent")
        try await sender.shutdown()
    }
}

/// Goal: notifications reach servers of the network, and never a cloud's metadata.
@Suite struct TargetPolicyTests {
    @Test(arguments: [
        ("http://example.com/apple", "example.com"), ("https://example.com:8443/x?y=1", "example.com"),
        ("http://127.0.0.1:8080", "127.0.0.1"), ("http://[::1]:8080/", "::1"), ("HTTP://LOCALHOST/", "LOCALHOST"),
    ])
    func `an http or https URL with a host is a target`(_ url: String, _ host: String) throws {
        #expect(try TargetPolicy(reach: .any).target(of: url).host == host)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "http://", "http:///x", "file:///etc/passwd", "http://a b/",
        "http://example.com:99999/", "http://é/", "javascript:alert(1)", "http://169.254.169.254/", "http://[fe80::1]/",
        "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://100.100.100.200/",
        "http://" + String(repeating: "a", count: 2_050),
    ])
    func `any other text is refused with 400`(_ url: String) {
        let error = #expect(throws: StoreError.self) { try TargetPolicy(reach: .any).target(of: url) }
        #expect(error?.code == .urlInvalid)
        #expect(error?.status == 400)
        #expect(error?.details["path"] == .string("$.url"))
    }

    @Test(arguments: [
        ("8.8.8.8", true), ("1.1.1.1", true), ("2606:4700::1111", true), ("10.0.0.1", false), ("172.16.0.1", false),
        ("172.31.255.255", false), ("172.32.0.1", true), ("192.168.1.1", false), ("127.0.0.1", false),
        ("0.0.0.0", false),
        ("100.64.0.1", false), ("224.0.0.1", false), ("255.255.255.255", false), ("::1", false), ("::", false),
        ("fc00::1", false), ("ff02::1", false), ("::ffff:10.0.0.1", false), ("198.18.0.1", false),
    ])
    func `which addresses are of the public Internet`(_ text: String, _ isPublic: Bool) throws {
        #expect(try #require(NetworkAddress(text)).isPublic == isPublic)
    }
}
