import Dispatch
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: an app's server can do nothing to AppStoreServer but answer, and each attempt names what went wrong, in time.
@Suite(.serialized) struct HTTPSenderTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    /// A timeout that nothing but a server that hangs reaches.
    private static let long: Duration = .seconds(3_600)
    private static let enough: Duration = .seconds(3)
    private static let short: Duration = .milliseconds(200)

    /// Posts to a server that answers as given.
    private func post(
        _ answers: RawServer.Behavior..., path: String = "/hook", timeout: Duration = HTTPSenderTests.long,
        reach: TargetPolicy.Reach = .any, waitsForRequest: Bool = true,
        _ check: (AttemptOutcome, RawServer) throws -> Void
    ) async throws {
        let server = try await RawServer.start(waitsForRequest: waitsForRequest) { answers[min($0, answers.count - 1)] }
        let sender = try HTTPSender(targets: TargetPolicy(reach: reach))
        let outcome = await sender.post(
            "a.b.c", to: "http://127.0.0.1:\(server.port)\(path)", of: "app", timeout: timeout)
        await sender.shutdown()
        await server.stop()
        try check(outcome, server)
    }

    @Test func `a notification is a JSON object with the signed payload`() async throws {
        try await post(.text(Self.ok)) { outcome, server in
            #expect(outcome.result == .success)
            #expect(outcome.httpStatus == 200)
            #expect(outcome.bodyStart?.text == "ok")
            #expect(outcome.durationMs != nil)
            let request = try #require(server.requests.first)
            #expect(request.hasPrefix("POST /hook HTTP/1.1\r\n"))
            #expect(request.lowercased().contains("content-type: application/json\r\n"))
            #expect(request.lowercased().contains("content-length: 25\r\n"))
            #expect(!request.lowercased().contains("expect:"))
            #expect(request.hasSuffix("\r\n\r\n" + #"{"signedPayload":"a.b.c"}"#))
        }
    }

    @Test(arguments: [(200, true), (206, true), (207, false), (404, false), (500, false), (999, false)])
    func `statuses from 200 to 206 are success`(_ status: Int, _ isSuccess: Bool) async throws {
        try await post(.text("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")) { outcome, _ in
            #expect(outcome.result == (isSuccess ? .success : .unsuccessfulResponse))
            #expect(outcome.httpStatus == status)
        }
    }

    // MARK: What goes wrong

    @Test(
        arguments: [
            (.close, .noResponse, nil),
            (.reset, .noResponse, nil),
            (.textAndClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .prematureClose, 200),
            (.textAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"), .prematureClose, 200),
            (.text("HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n"), .prematureClose, 500),
            (.textAndClose("220 smtp ready\r\n"), .invalidResponse, nil),
            (.text("HTTP/1.1 2000 OK\r\n\r\n"), .invalidResponse, nil),
            (.text("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), .invalidResponse, nil),
            (.text("HTTP/1.1 307 X\r\nLocation: http://[::bad\r\n\r\n"), .invalidResponse, 307),
            (.textAndClose("HTTP/1.1 204 No Content\r\n\r\n"), .success, 204),
            // What ends with its connection is whole.
            (.textAndClose("HTTP/1.1 200 OK\r\n\r\nwhole"), .success, 200),
            (.textAndClose("HTTP/1.0 503 X\r\n\r\nbusy"), .unsuccessfulResponse, 503),
            (.text("HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .success, 200),
        ] as [(RawServer.Behavior, SendAttemptResult, Int?)])
    func `each failure has its name, and ends the attempt at once`(
        _ answer: RawServer.Behavior, _ result: SendAttemptResult, _ status: Int?
    ) async throws {
        try await post(answer) { outcome, server in
            #expect(outcome.result == result, "\(outcome)")
            #expect(outcome.httpStatus == status, "\(outcome)")
            // Nothing is sent again within an attempt.
            #expect(server.connections.all == 1)
        }
    }

    @Test func `a server that stalls anywhere is given up at the timeout`() async throws {
        let (noHead, noBody) = ("no response in time", "the body of the response did not end in time")
        let stalls: [(answer: RawServer.Behavior, status: Int?, reason: String)] = [
            (.nothing, nil, noHead), (.text("HTTP/1.1 200 OK\r\nContent-"), nil, noHead),
            (.drip("HTTP/1.1 200 OK\r\nX: "), nil, noHead),
            (.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), 200, noBody),
            (.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), 200, noBody),
            (.text("HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n"), 500, noBody),
            (.drip("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"), 200, noBody),
        ]
        // All at once, each with time enough for a loaded machine to get as far as its server lets it.
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stall in stalls {
                group.addTask {
                    let server = try await RawServer.start { _ in stall.answer }
                    let outcome = await sender.post(
                        "a", to: "http://127.0.0.1:\(server.port)/", of: "app", timeout: Self.enough)
                    #expect(outcome.result == .timedOut, "\(stall)")
                    #expect(outcome.httpStatus == stall.status, "\(stall)")
                    #expect(outcome.bodyStart?.text == stall.reason, "\(stall)")
                    await server.stop()
                }
            }
            try await group.waitForAll()
        }
        await sender.shutdown()
    }

    @Test func `the timeout is the whole attempt's, redirects included`() async throws {
        let server = try await RawServer.start { number in
            number == 0 ? Self.redirect(to: "/next") : .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        }
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any))
        let outcome = await sender.post(
            "a", to: "http://127.0.0.1:\(server.port)/", of: "app", timeout: Self.enough)
        #expect(outcome.result == .timedOut)
        try await eventually("AppStoreServer ends the connection") { server.connections == (2, 2) }
        await sender.shutdown()
        await server.stop()
    }

    @Test func `a body that does not end is read only so far, and the status counts`() async throws {
        try await post(.endless("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", "a")) { outcome, _ in
            #expect(outcome.result == .success)
            #expect(outcome.bodyStart?.text.utf8.count == PrintableText.bytesMax)
        }
    }

    @Test(arguments: [("", "HTTP/1.1 100 Continue\r\n\r\n"), ("HTTP/1.1 200 OK\r\n", "X-Header: a\r\n")])
    func `heads without an end are read only so far`(_ first: String, _ line: String) async throws {
        try await post(.endless(first, line)) { outcome, _ in
            #expect(outcome.result == .invalidResponse)
            #expect(outcome.bodyStart?.text == "the response's head is larger than 65536 bytes")
        }
    }

    @Test func `what a response says is kept as printable text`() async throws {
        let gzip: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0x41, 0xFF, 0x1B, 0x5B]
        let head = Array("HTTP/1.1 400 X\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n".utf8)
        try await post(.bytes(head + gzip)) { outcome, _ in
            #expect(outcome.result == .unsuccessfulResponse)
            #expect(outcome.bodyStart?.text == "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}A\u{FFFD}\u{FFFD}[")
        }
    }

    @Test func `a closed port and an unknown host are socket issues`() async throws {
        let server = try await RawServer.start { _ in .close }
        await server.stop()
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any))
        // It ends at once, and not at the timeout.
        let closed = await sender.post("a", to: "http://127.0.0.1:\(server.port)/", of: "app", timeout: Self.long)
        #expect(closed.result == .socketIssue)
        #expect(closed.bodyStart?.text == "the connection was refused")
        let unknown = await sender.post("a", to: "http://nowhere.invalid/", of: "app", timeout: Self.long)
        #expect(unknown.result == .socketIssue)
        #expect(unknown.bodyStart?.text == "host 'nowhere.invalid' was not found")
        await sender.shutdown()
    }

    @Test func `a server without TLS behind https is a TLS issue`() async throws {
        let server = try await RawServer.start(waitsForRequest: false) { _ in .textAndClose(Self.ok) }
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any))
        let outcome = await sender.post("a", to: "https://127.0.0.1:\(server.port)/", of: "app", timeout: Self.long)
        #expect(outcome.result == .tlsIssue)
        await sender.shutdown()
        await server.stop()
    }

    @Test func `one that hangs during TLS is given up at the timeout`() async throws {
        let server = try await RawServer.start { _ in .nothing }
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any))
        let outcome = await sender.post("a", to: "https://127.0.0.1:\(server.port)/", of: "app", timeout: Self.short)
        #expect(outcome.result == .timedOut)
        await sender.shutdown()
        await server.stop()
    }

    @Test func `an attempt ends with its task, and with AppStoreServer`() async throws {
        let server = try await RawServer.start { _ in .nothing }
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any))
        let url = "http://127.0.0.1:\(server.port)/"
        let cancelled = Task { await sender.post("a", to: url, of: "app", timeout: Self.long) }
        try await eventually("the first request is there") { server.requests.count == 1 }
        cancelled.cancel()
        #expect(await cancelled.value.result == .other)
        let other = Task { await sender.post("a", to: url, of: "app", timeout: Self.long) }
        try await eventually("the second request is there") { server.requests.count == 2 }
        await sender.shutdown()
        #expect(await other.value.result == .other)
        #expect(await sender.post("a", to: url, of: "app", timeout: Self.long).result == .other)
        await server.stop()
    }

    // MARK: Look-ups

    /// A resolver of the system's that lasts as long as a test wants, by the beginning of the host's name.
    private final class SlowResolver: Sendable {
        private let state = Locked<(underWay: [String], most: Int)>(([], 0))
        private let gate = DispatchGroup()

        init() { gate.enter() }

        var underWay: [String] { state.withLock { $0.underWay } }
        var most: Int { state.withLock { $0.most } }

        func release() { gate.leave() }

        /// Called on a thread that may block.
        func resolve(_ host: String) -> [NetworkAddress] {
            guard host.hasPrefix("slow") else { return [NetworkAddress("127.0.0.1")!] }
            state.withLock { state in
                state.underWay.append(host)
                state.most = max(state.most, state.underWay.count)
            }
            gate.wait()
            state.withLock { state in state.underWay.removeAll { $0 == host } }
            return [NetworkAddress("127.0.0.1")!]
        }
    }

    @Test func `names that resolve slowly cost only their attempts, and their app's share`() async throws {
        let server = try await RawServer.start { _ in .text(Self.ok) }
        let resolver = SlowResolver()
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any)) { resolver.resolve($0) }
        let slow = (0..<8).map { number in
            Task {
                await sender.post(
                    "a", to: "http://slow\(number).test:\(server.port)/", of: "slow", timeout: Self.short)
            }
        }
        for attempt in slow {
            let outcome = await attempt.value
            #expect(outcome.result == .timedOut)
            #expect(outcome.bodyStart?.text == "the host's address was not found in time")
        }
        // The look-ups last, and hold up neither another app nor the loop.
        try await eventually("the app's share is used") { resolver.underWay.count == HostLookups.shareMax }
        for name in ["other.test", "slow0.test"] {
            let waits = Task {
                await sender.post("a", to: "http://\(name):\(server.port)/", of: "other", timeout: Self.long)
            }
            if name == "other.test" {
                #expect(await waits.value.result == .success)
            } else {
                try await eventually("the other app looks it up itself") {
                    resolver.underWay.count == HostLookups.shareMax + 1
                }
                waits.cancel()
                #expect(await waits.value.result == .other)
            }
        }
        // Who left is not looked up for any more; the app's next name has a place when a look-up ends.
        let next = Task {
            await sender.post("a", to: "http://quick.test:\(server.port)/", of: "slow", timeout: Self.long)
        }
        resolver.release()
        #expect(await next.value.result == .success)
        #expect(resolver.most == HostLookups.shareMax + 1)
        await sender.shutdown()
        await server.stop()
    }

    @Test func `attempts at one name wait for one look-up`() async throws {
        let server = try await RawServer.start { _ in .text(Self.ok) }
        let resolver = SlowResolver()
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any)) { resolver.resolve($0) }
        let attempts = (0..<8).map { _ in
            Task { await sender.post("a", to: "http://slow.test:\(server.port)/", of: "app", timeout: Self.long) }
        }
        try await eventually("it is looked up") { resolver.underWay == ["slow.test"] }
        resolver.release()
        for attempt in attempts { #expect(await attempt.value.result == .success) }
        #expect(resolver.most == 1)
        #expect(server.requests.allSatisfy { $0.lowercased().contains("host: slow.test:\(server.port)\r\n") })
        await sender.shutdown()
        await server.stop()
    }

    @Test func `a closed port leads to the host's next address`() async throws {
        let server = try await RawServer.start { _ in .text(Self.ok) }
        let addresses = ["127.0.0.2", "127.0.0.1", "::1"].compactMap { NetworkAddress($0) }
        let sender = try HTTPSender(targets: TargetPolicy(reach: .any)) { _ in addresses }
        let outcome = await sender.post("a", to: "http://Two.test:\(server.port)/", of: "app", timeout: Self.long)
        #expect(outcome.result == .success, "\(outcome)")
        await sender.shutdown()
        await server.stop()
    }

    // MARK: Redirects

    private static func redirect(to location: String, _ status: Int = 307) -> RawServer.Behavior {
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

    @Test func `a redirect is followed at the end of its head`() async throws {
        let stalled = "HTTP/1.1 302 X\r\nlocation:\t/other \r\nContent-Length: 9\r\n\r\n"
        try await post(.text(stalled), .text(Self.ok)) { outcome, server in
            #expect(outcome.result == .success)
            #expect(server.requests.last?.hasPrefix("POST /other ") == true)
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

    @Test func `a target as large as a head may be ends there, and little of it is kept`() async throws {
        let target = "http://127.0.0.1:1/" + String(repeating: "a", count: 60_000)
        try await post(Self.redirect(to: target)) { outcome, server in
            #expect(outcome.result == .socketIssue)
            #expect((outcome.bodyStart?.text.utf8.count ?? 0) <= PrintableText.bytesMax)
            #expect(server.connections.all == 1)
        }
    }

    @Test(arguments: [
        ("http://169.254.169.254/latest/meta-data", "169.254.169.254 is a link-local address"),
        ("http://0xa9fea9fe/", "169.254.169.254 is a link-local address"),
        ("http://[64:ff9b::a9fe:a9fe]/", "is a link-local address"),
        ("file:///etc/passwd", "is not an http or https URL"),
        ("gopher://127.0.0.1/", "is not an http or https URL"),
    ])
    func `a redirect to what is refused sends nothing there`(_ target: String, _ reason: String) async throws {
        try await post(Self.redirect(to: target)) { outcome, server in
            #expect(outcome.result == .socketIssue)
            #expect(outcome.bodyStart?.text.contains(reason) == true, "\(outcome)")
            #expect(server.connections.all == 1)
        }
    }

    @Test(arguments: TargetPolicy.Reach.allCases)
    func `the address that is connected to is judged, whatever name led to it`(_ reach: TargetPolicy.Reach) async throws
    {
        let server = try await RawServer.start { _ in .text(Self.ok) }
        let refused = reach == .any ? ["169.254.1.1", "fe80::1", "fd20:ce::254"] : ["127.0.0.1", "::1", "10.0.0.1"]
        for address in refused {
            let sender = try HTTPSender(targets: TargetPolicy(reach: reach)) { _ in [NetworkAddress(address)!] }
            let outcome = await sender.post(
                "a", to: "http://webhook.test:\(server.port)/", of: "app", timeout: Self.long)
            #expect(outcome.result == .socketIssue)
            #expect(outcome.bodyStart?.text.hasSuffix("; nothing was sent") == true, "\(outcome)")
            await sender.shutdown()
        }
        #expect(server.connections.all == 0)
        await server.stop()
    }

    @Test func `public-only refuses this machine, by name too`() async throws {
        let sender = try HTTPSender(targets: TargetPolicy(reach: .publicOnly))
        let outcome = await sender.post("a", to: "http://localhost:1/", of: "app", timeout: Self.long)
        #expect(outcome.result == .socketIssue)
        #expect(outcome.bodyStart?.text == "host 'localhost' is not of the public Internet; nothing was sent")
        await sender.shutdown()
    }
}

/// Goal: notifications reach servers of the network, and never a cloud's metadata.
@Suite struct TargetPolicyTests {
    @Test(arguments: [
        ("http://example.com/apple", "example.com", 80), ("https://example.com:8443/x?y=1", "example.com", 8_443),
        ("http://127.0.0.1:8080", "127.0.0.1", 8_080), ("http://[::1]:8080/", "::1", 8_080),
        ("HTTPS://LOCALHOST/", "LOCALHOST", 443), ("http://0x7f.1/", "127.0.0.1", 80),
    ])
    func `an http or https URL with a host is a target`(_ url: String, _ host: String, _ port: Int) throws {
        let target = try TargetPolicy(reach: .any).target(of: url)
        #expect(target == TargetPolicy.Target(url: url, host: host, port: port))
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "http://", "http:///x", "http:/x", "file:///etc/passwd",
        "http://a b/", "http://example.com:99999/", "http://example.com:0/", "http://é/", "javascript:alert(1)",
        "http://169.254.169.254/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://2852039166/",
        "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://100.100.100.200/",
        "http://" + String(repeating: "a", count: 2_050),
    ])
    func `any other text is refused with 400`(_ url: String) {
        let error = #expect(throws: StoreError.self) { try TargetPolicy(reach: .any).target(of: url) }
        #expect(error?.code == .urlInvalid)
        #expect(error?.status == 400)
        #expect(error?.details["path"] == .string("$.url"))
    }

    /// Which literals are allowed everywhere, which only where private networks are, and which nowhere.
    private static let literals: [(allowed: String, of: [String])] = [
        (
            "everywhere",
            [
                "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.1", "169.253.0.1",
                "192.0.1.1", "192.31.196.1", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
                "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111", "2001:200::1", "2001:4860:4860::8888",
                "2003::1", "2620:4f:8000::1", "3ffe::1",
            ]
        ),
        (
            "in private networks",
            [
                "0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
                "127.255.255.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.0.170", "192.0.2.1",
                "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
                "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1",
                "::ffff:127.0.0.1", "::8.8.8.8", "::127.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::10.0.0.1",
                "64:ff9b::127.0.0.1", "64:ff9b:1::8.8.8.8", "100::1", "100:0:0:1::1", "2001::1", "2001:2::1",
                "2001:10::1", "2001:20::1", "2001:db8::1", "2002:808:808::1", "2002:7f00:1::1", "3fff::1", "4000::1",
                "5f00::1", "fc00::1", "fd12:3456::1", "fec0::1", "feff::1", "ff02::1", "ff0e::1",
            ]
        ),
        (
            "nowhere",
            [
                "169.254.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
                "::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b::169.254.169.254",
                "64:ff9b::168.63.129.16", "64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::",
                "64:ff9b:1:a9fe:a9:fe00::1", "2002:a9fe:a9fe::1", "2002:6464:64c8::", "2001:0:a9fe:a9fe::1",
                "2001:0:808:808::5601:5601", "2606:4700::5efe:169.254.169.254", "fe80::1", "febf::1",
                "fd00:ec2::254", "fd20:ce::254",
            ]
        ),
    ]

    @Test(arguments: literals) func `which addresses notifications are sent to`(
        _ allowed: String, _ literals: [String]
    ) throws {
        for text in literals {
            let address = try #require(NetworkAddress(text), "\(text)")
            let places = TargetPolicy.Reach.allCases.filter { TargetPolicy(reach: $0).refusal(of: address) == nil }
            #expect(
                places == (["everywhere": [.any, .publicOnly], "in private networks": [.any]][allowed] ?? []), "\(text)"
            )
        }
    }
}
