import BusProtocol
import EventLoop
import Glibc
import Logging
import StorebusTesting
import Testing

@testable import Broker

/// Goal: a real broker on a real port, spoken to in plain sockets.
@Suite(.serialized) struct WireTests {
    /// Runs a body against a broker on a free port.
    private func withBroker(
        limits: BrokerLimits = BrokerLimits(), token: String? = nil, users: [BrokerUser]? = nil, tls: TLSFiles? = nil,
        _ body: @Sendable @concurrent (_ broker: BrokerServer, _ port: Int) async throws -> Void
    ) async throws {
        var configuration = BrokerConfiguration(
            port: 0, token: token, users: users, limits: limits, version: "test")
        configuration.tls = tls
        try await WireClient.withBroker(configuration, body)
    }

    @Test func `a request and its answer, over two sockets`() async throws {
        try await withBroker { _, port in
            let (asks, answers) = (try WireClient.signedIn(port: port), try WireClient.signedIn(port: port))
            try answers.send(#"{"op":"sub","sid":1,"subject":"echo","queue":"q","seq":1}"#)
            #expect(try answers.log(1) == ["ok sub 1"])
            try asks.send("{\"op\":\"sub\",\"sid\":9,\"subject\":\"\(asks.inbox).>\"}")
            try asks.send("{\"op\":\"pub\",\"subject\":\"echo\",\"reply\":\"\(asks.inbox).1\"}", body: Array("hi".utf8))
            let request = try answers.next()
            guard case .msg(let message) = request.message else { throw WireClient.Silence(description: "no msg") }
            try answers.send(
                "{\"op\":\"pub\",\"subject\":\"\(message.reply ?? "")\"}", body: request.body + request.body)
            let answer = try asks.next()
            #expect(answer.message.short == "msg 9 \(asks.inbox).1" && answer.body == Array("hihi".utf8))
        }
    }

    @Test func `C9 eight bodies of one MiB arrive to the byte`() async throws {
        try await withBroker { _, port in
            var random = SplitMix64.seeded()
            let client = try WireClient.signedIn(port: port)
            try client.send(#"{"op":"sub","sid":1,"subject":"big"}"#)
            for _ in 0..<8 {
                let seed = UInt8.random(in: 0 ... .max, using: &random)
                let body = (0..<BusLimits.bodyBytesMax).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
                try client.send(#"{"op":"pub","subject":"big"}"#, body: body)
                #expect(try client.next().body == body)
            }
        }
    }

    @Test func `C22 order is kept over thirty thousand messages`() async throws {
        try await withBroker { _, port in
            let (reader, writer) = (try WireClient.signedIn(port: port), try WireClient.signedIn(port: port))
            try reader.send(#"{"op":"sub","sid":1,"subject":"n","seq":1}"#)
            _ = try reader.next()
            let total = 30_000
            let batch = 1000
            for start in stride(from: 0, to: total, by: batch) {
                var bytes: [UInt8] = []
                for number in start..<(start + batch) {
                    bytes += WireClient.frame(#"{"op":"pub","subject":"n"}"#, body: Array("\(number)".utf8))
                }
                try writer.send(bytes: bytes)
                for number in start..<(start + batch) {
                    let body = try reader.next().body
                    if body != Array("\(number)".utf8) { #expect(body == Array("\(number)".utf8)); return }
                }
            }
        }
    }

    @Test func `C1 a stream cut anywhere means the same`() async throws {
        try await withBroker { _, port in
            let client = try WireClient.signedIn(port: port)
            let stream =
                WireClient.frame(#"{"op":"sub","sid":1,"subject":"a","seq":1}"#)
                + WireClient.frame(#"{"op":"pub","subject":"a","seq":2}"#, body: [1, 2, 3])
            for byte in stream { try client.send(bytes: [byte]) }
            #expect(try client.log(3) == ["ok sub 1", "msg 1 a", "ok pub 2 delivered=1"])
        }
    }

    @Test func `C2 a length that is too long is answered before the bytes for it come`() async throws {
        try await withBroker { _, port in
            for (prefix, answer) in [
                ([0, 0, 0x20, 1, 0, 0, 0, 0], "err header_too_large!"),
                ([0, 0, 0, 60, 0, 0x10, 0, 1], "err body_too_large!"),
            ] as [([UInt8], String)] {
                let client = try WireClient.signedIn(port: port)
                try client.send(bytes: prefix)
                #expect(try client.log(1) == [answer])
                client.finish()
                #expect(try client.rest().isEmpty)
            }
        }
    }

    @Test func `C20 C21 users of a users file, over sockets`() async throws {
        let service = PermissionRules(pub: .init(allow: []), sub: .init(allow: [try SubjectPattern("work")]))
        let users = [BrokerUser(name: "app", token: "one"), BrokerUser(name: "service", token: "two", rules: service)]
        try await withBroker(users: users) { _, port in
            let (app, worker) = (
                try WireClient.signedIn(port: port, token: "one"), try WireClient.signedIn(port: port, token: "two")
            )
            try worker.send(#"{"op":"sub","sid":1,"subject":"*","queue":"q","seq":1}"#)
            try worker.send(#"{"op":"sub","sid":1,"subject":"work","queue":"q","seq":2}"#)
            try worker.send("{\"op\":\"sub\",\"sid\":2,\"subject\":\"\(app.inbox).>\",\"seq\":3}")
            try worker.send("{\"op\":\"pub\",\"subject\":\"\(app.inbox).1\",\"seq\":4}")
            #expect(try worker.log(4) == ["err perm_sub 1", "ok sub 2", "err perm_sub 3", "err perm_pub 4"])
            try app.send("{\"op\":\"sub\",\"sid\":1,\"subject\":\"\(app.inbox).>\"}")
            try app.send("{\"op\":\"pub\",\"subject\":\"work\",\"reply\":\"\(app.inbox).1\"}")
            #expect(try worker.log(1) == ["msg 1 work"])
            for seq in 5...6 {
                try worker.send("{\"op\":\"pub\",\"subject\":\"\(app.inbox).1\",\"seq\":\(seq)}", body: [1])
            }
            #expect(try worker.log(2) == ["ok pub 5 delivered=1", "err perm_pub 6"])
            #expect(try app.log(1) == ["msg 1 \(app.inbox).1"])
            #expect(throws: WireClient.Silence.self) { try WireClient.signedIn(port: port, token: "three") }
        }
    }

    @Test func `a fatal error reaches the client before the end of the stream`() async throws {
        try await withBroker { _, port in
            let client = try WireClient.signedIn(port: port)
            // More input follows the mistake; it must not turn the close into a reset that loses the answer.
            try client.send(bytes: [0, 0, 0, 1] + [UInt8](repeating: 9, count: 100_000))
            #expect(try client.log(1) == ["err bad_frame!"])
            client.finish()
            #expect(try client.rest().isEmpty)
        }
    }

    @Test func `C3 HTTP gets 426, TLS is closed, and the broker lives on`() async throws {
        try await withBroker { broker, port in
            let http = try WireClient(port: port)
            try http.send(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            http.finish()
            #expect(String(decoding: try http.rest(), as: UTF8.self).contains("HTTP/1.1 426 Upgrade Required\r\n"))
            let tls = try WireClient(port: port)
            try tls.send(bytes: [0x16, 3, 1, 0, 200])
            tls.finish()
            #expect(try tls.rest().count > 8, "hello, and nothing after it")
            _ = try WireClient.signedIn(port: port)
        }
    }

    @Test func `a port with TLS answers what is no TLS with one error in the clear, and with no hello`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.identity("broker")
        var limits = BrokerLimits()
        limits.connectTimeout = .milliseconds(200)
        try await withBroker(
            limits: limits, tls: TLSFiles(certificate: identity.certificate, key: identity.key)
        ) { broker, port in
            for greeting in [[], Array("GET / HTTP/1.1\r\n\r\n".utf8), WireClient.frame(#"{"op":"ping"}"#)] {
                let client = try WireClient(port: port)
                try client.send(bytes: greeting)
                #expect(try client.log(1) == ["err tls_required!"])
                client.finish()
                #expect(try client.rest().isEmpty)
            }
            // One that begins a handshake and does not finish it ends at the same limit, with nothing in the clear.
            let half = try WireClient(port: port)
            try half.send(bytes: [0x16, 3, 1, 0, 200, 1])
            #expect(try half.rest().isEmpty)
            try await eventually("the closed connections have their reasons") {
                let closed = try #require(await broker.page("/connz", query: ["state": "closed"]))
                let text = String(decoding: closed.body, as: UTF8.self)
                return text.contains("\"reason\" : \"tls\"") && text.contains("\"reason\" : \"auth_timeout\"")
            }
        }
        withExtendedLifetime(authority) {}
    }

    @Test func `a broker whose files for TLS cannot be used does not start, and names them`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.identity("broker")
        for (files, words) in [
            (TLSFiles(certificate: identity.certificate), "--tls-key"),
            (TLSFiles(authorities: authority.certificate), "--tls-cert"),
            (TLSFiles(certificate: "/nowhere/b.pem", key: identity.key), "/nowhere/b.pem, does not exist"),
        ] {
            let error = await #expect(throws: BrokerStartError.self) { try await withBroker(tls: files) { _, _ in } }
            #expect(error?.description.contains(words) == true && error?.isUnavailable == false)
        }
    }

    @Test func `C5 a token is asked for`() async throws {
        try await withBroker(token: "s3cret") { _, port in
            let client = try WireClient(port: port)
            _ = try client.next()
            try client.send(
                #"{"op":"connect","v":"1","name":"w","lang":"c","ver":"1","auth":{"method":"token","token":"s3cret"}}"#)
            #expect(try client.log(1) == ["ok connect"])
            #expect(throws: WireClient.Silence.self) { try WireClient.signedIn(port: port) }
        }
    }

    @Test func `C6 a client that does not sign in gets an error and is closed`() async throws {
        var limits = BrokerLimits()
        limits.connectTimeout = .milliseconds(100)
        try await withBroker(limits: limits) { _, port in
            let client = try WireClient(port: port)
            #expect(try client.log(2) == ["hello", "err auth_timeout!"])
            client.finish()
            #expect(try client.rest().isEmpty)
        }
    }

    @Test func `C30 the same instance again closes the older socket`() async throws {
        try await withBroker { _, port in
            let older = try WireClient.signedIn(port: port, more: ",\"inst\":\"i\"")
            let newer = try WireClient.signedIn(port: port, more: ",\"inst\":\"i\"")
            #expect(try older.log(1) == ["err replaced!"])
            try newer.send(#"{"op":"ping","t":1}"#)
            #expect(try newer.log(1) == ["pong 1"])
        }
    }

    @Test func `C26 a reader that does not read is closed, and the publisher is not slowed`() async throws {
        var limits = BrokerLimits()
        limits.hardPendingBytes = 4 << 20
        limits.byeTimeout = .milliseconds(200)
        try await withBroker(limits: limits) { broker, port in
            let (slow, writer) = (try WireClient.signedIn(port: port), try WireClient.signedIn(port: port))
            try slow.send(#"{"op":"sub","sid":1,"subject":"a","seq":1}"#)
            _ = try slow.next()
            let body = [UInt8](repeating: 7, count: 1 << 18)
            for number in 1...100 {
                try writer.send("{\"op\":\"pub\",\"subject\":\"a\",\"seq\":\(number)}", body: body)
                guard case .ok = try writer.next().message else { throw WireClient.Silence(description: "no ok") }
            }
            try await eventually("the slow connection is closed") {
                let page = await broker.page("/connz", query: ["state": "closed"])
                return String(decoding: page?.body ?? [], as: UTF8.self).contains("slow_consumer")
            }
        }
    }

    @Test func `C29 stopping says drain and bye, and returns when all have gone`() async throws {
        var limits = BrokerLimits()
        limits.drainWindow = .milliseconds(100)
        try await withBroker(limits: limits) { broker, port in
            let client = try WireClient.signedIn(port: port)
            let unsigned = try WireClient(port: port)
            async let stopped: Void = broker.stop()
            // A read that blocks holds one of the pool's two threads, and `stop` needs one to begin.
            try await eventually("the client is told") { client.isReadable }
            #expect(try client.log(2) == ["drain", "bye"])
            client.finish()
            unsigned.finish()
            #expect(try client.rest().isEmpty)
            await stopped
            #expect(throws: WireClient.Silence.self) { try WireClient(port: port) }
        }
    }

    @Test func `a port in use is named, with its owner`() async throws {
        try await withBroker { _, port in
            let loop = try UVLoop.start(name: "second")
            let second = BrokerServer(
                configuration: BrokerConfiguration(port: port, version: "test"), loop: loop,
                logger: Logger(label: "test"))
            await #expect(
                throws: BrokerStartError.portInUse(
                    port: port, owner: PortOwner.find(port: port), flag: "--port")
            ) { try await second.start() }
            #expect(PortOwner.find(port: port)?.pid == getpid())
            await loop.close()
        }
    }

    @Test func `without a token only loopback is listened on`() {
        for host in ["0.0.0.0", "::", "10.0.0.1"] {
            #expect(throws: BrokerStartError.openBeyondLoopback(host)) {
                try BrokerConfiguration(host: host, version: "test").validate()
            }
        }
        for (host, token) in [("127.0.0.1", nil), ("::1", nil), ("localhost", nil), ("0.0.0.0", "t")] {
            #expect(throws: Never.self) {
                try BrokerConfiguration(host: host, token: token, version: "test").validate()
            }
        }
    }

    @Test func `connections come and go without leaving anything`() async throws {
        try await withBroker { broker, port in
            for _ in 0..<300 {
                let client = try WireClient.signedIn(port: port)
                try client.send(#"{"op":"sub","sid":1,"subject":"a.>"}"#)
            }
            try await eventually("all connections are gone") {
                let page = await broker.page("/varz", query: [:])
                let text = String(decoding: page?.body ?? [], as: UTF8.self)
                return text.contains("\"connections\" : 0") && text.contains("\"subscriptions\" : 0")
                    && text.contains("\"total_connections\" : 300")
            }
        }
    }
}
