import Broker
import BusClient
import EventLoop
import Foundation
import NATSClient
import StorebusTesting
import Testing

/// Goal: the bus over TLS, and what a client says when there is none. Method: a broker and a nats-server of a test's own
/// with certificates made for it.
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    /// The reason why a client is not connected. Fails when it is.
    private func refusal(_ client: some BusClient) async -> BusError? {
        await #expect(throws: BusError.self) { try await client.waitUntilConnected(timeout: .seconds(60)) }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a request and its reply, with a body of many records`(host: String) async throws {
        let tls = try TestTLS()
        try await TestBroker.with(token: "s3cret", tls: tls) { broker in
            let url = BusURL(host: host, port: broker.port, token: "s3cret", tls: tls.client)
            let (asks, replies) = (broker.client("asks", url: url), broker.client("answers", url: url))
            _ = try await replies.subscribe("big", queue: "q") { try? replies.respond(to: $0, body: $0.body) }
            try await asks.waitUntilConnected(timeout: .seconds(60))
            let body = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
            #expect(try await asks.request("big", body: body, timeout: .seconds(60)).body == body)
        }
    }

    @Test func `a certificate for another name is refused, and the sentence has both`() async throws {
        let tls = try TestTLS(names: ["a.example"])
        try await TestBroker.with(tls: tls) { broker in
            let error = await refusal(broker.client("c"))
            #expect(error?.code == .tlsFailed)
            #expect(
                error?.message.contains("the broker: the certificate is for a.example, not for 127.0.0.1; ") == true)
            #expect(error?.message.hasPrefix("tls://127.0.0.1:\(broker.port): ") == true)
        }
    }

    @Test func `an expired certificate is refused, and the sentence has its date`() async throws {
        try await TestBroker.with(tls: try TestTLS(days: -9 ... -2)) { broker in
            let error = await refusal(broker.client("c"))
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains("the certificate of localhost, 127.0.0.1 expired on ") == true)
            #expect(error?.message.contains(" GMT; ") == true)
        }
    }

    @Test func `a certificate of a foreign authority is refused, and the sentence names it`() async throws {
        let (tls, foreign) = (try TestTLS(), try TestAuthority("Somebody Else"))
        try await TestBroker.with(tls: tls) { broker in
            let mine = TLSFiles(authorities: foreign.certificate)
            let error = await refusal(broker.client("c", url: BusURL(port: broker.port, tls: mine)))
            #expect(error?.code == .tlsFailed)
            #expect(
                error?.message.contains(
                    "signed by CN = Test Authority, which is not trusted here; \(foreign.certificate) (BUS_TLS_CA)")
                    == true)
        }
    }

    @Test func `a broker with authorities takes clients with a certificate of theirs only`() async throws {
        let tls = try TestTLS(wantsCertificates: true)
        try await TestBroker.with(tls: tls) { broker in
            let bare = await refusal(broker.client("bare"))
            #expect(bare?.code == .tlsFailed && bare?.message.contains("BUS_TLS_CERT") == true)
            func client(_ name: String, of authority: TestAuthority) throws -> SBPClient {
                let identity = try authority.identity(name)
                let files = TLSFiles(
                    authorities: tls.authority.certificate, certificate: identity.certificate, key: identity.key)
                return broker.client(name, url: BusURL(port: broker.port, tls: files))
            }
            try await client("mine", of: tls.authority).waitUntilConnected(timeout: .seconds(60))
            let foreign = try TestAuthority("Somebody Else")
            let error = await refusal(try client("foreign", of: foreign))
            #expect(error?.code == .tlsFailed && error?.message.contains("does not accept the certificate") == true)
            #expect(foreign.name == "CN = Somebody Else")
        }
    }

    @Test func `a client without TLS learns that the port speaks TLS`() async throws {
        var limits = BrokerLimits()
        limits.connectTimeout = .milliseconds(100)
        try await TestBroker.with(tls: try TestTLS(), limits: limits) { broker in
            let error = await refusal(broker.client("plain", url: BusURL(port: broker.port)))
            #expect(error?.code == .tlsFailed && error?.origin == .broker)
            #expect(error?.message == "this port speaks TLS; write tls:// in the bus's address (tls_required)")
        }
    }

    @Test func `a client with TLS learns that the port speaks none`() async throws {
        try await TestBroker.with { broker in
            let error = await refusal(broker.client("tls", url: BusURL(port: broker.port, tls: TLSFiles())))
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains("the broker: the peer does not speak TLS; ") == true)
        }
    }

    @Test func `a file that cannot be used is named with its variable`() async throws {
        let tls = try TestTLS()
        try await TestBroker.with(tls: tls) { broker in
            let files = TLSFiles(authorities: "/nowhere/ca.pem")
            let error = await refusal(broker.client("c", url: BusURL(port: broker.port, tls: files)))
            #expect(error?.code == .tlsFailed)
            #expect(
                error?.message.contains("authorities, /nowhere/ca.pem, does not exist; BUS_TLS_CA names it") == true)
        }
        var address = try BusAddress(parsing: "tls://127.0.0.1")
        #expect(throws: BusError.self) { try address.add(tls: TLSFiles(certificate: tls.broker.certificate)) }
        try address.add(tls: tls.client)
        #expect(address == .storebus(BusURL(tls: tls.client)))
        var plain = try BusAddress(parsing: "nats://a")
        try plain.add(tls: TLSFiles(authorities: "/nowhere/ca.pem"))
        #expect("\(plain)" == "nats://a:4222", "an address without TLS has no use for the files")
    }

    @Test func `a client reads its files again for each connection`() async throws {
        let tls = try TestTLS()
        let directory = try TemporaryDirectory()
        let file = directory.file("ca.pem")
        let foreign = try TestAuthority("Somebody Else")
        try Self.copy(foreign.certificate, to: file)
        try await TestBroker.with(tls: tls) { broker in
            let client = broker.client("c", url: BusURL(port: broker.port, tls: TLSFiles(authorities: file)))
            _ = await refusal(client)
            try Self.copy(tls.authority.certificate, to: file)
            try await eventually("it is connected", within: .seconds(60)) { client.state == .connected }
        }
    }

    private static func copy(_ path: String, to other: String) throws {
        try String(contentsOfFile: path, encoding: .utf8).write(toFile: other, atomically: true, encoding: .utf8)
    }

    // MARK: NATS

    /// Runs a body with a nats-server that speaks TLS, and makes clients of it.
    private func withNATS(
        _ tls: TestTLS, more: String = "",
        _ body: ((NATSURL) -> NATSClient, _ port: Int) async throws -> Void
    ) async throws {
        let server = try await TemporaryNATS(
            configuration: """
                tls { cert_file: "\(tls.broker.certificate ?? "")", key_file: "\(tls.broker.key ?? "")" \(more) }
                """)
        let loop = try UVLoop.start(name: "clients")
        var clients: [NATSClient] = []
        try await body(
            { url in
                let client = NATSClient(configuration: .init(url: url, name: "c"), loop: loop, logger: silent)
                clients.append(client)
                client.start()
                return client
            }, server.port)
        for client in clients { await client.close() }
        server.stop()
        await loop.close()
    }

    private func url(_ port: Int, _ tls: TLSFiles?, host: String = "localhost") -> NATSURL {
        NATSURL(servers: [.init(host: host, port: port)], tls: tls)
    }

    @Test func `libnats speaks TLS, with a client certificate where the server wants one`() async throws {
        let tls = try TestTLS()
        try await withNATS(tls) { client, port in
            let bus = client(url(port, tls.client))
            try await bus.waitUntilConnected(timeout: .seconds(60))
            _ = try await bus.subscribe("echo", queue: "q") { try? bus.respond(to: $0, body: $0.body) }
            #expect(try await bus.request("echo", body: [1, 2], timeout: .seconds(60)).body == [1, 2])
            try await client(url(port, tls.client, host: "127.0.0.1")).waitUntilConnected(timeout: .seconds(60))
        }
        try await withNATS(tls, more: ", ca_file: \"\(tls.authority.certificate)\", verify: true") { client, port in
            let bare = client(url(port, tls.client))
            var states = bare.states.makeAsyncIterator()
            var state = await states.next()
            while state == .connecting { state = await states.next() }
            guard case .disconnected = state else {
                Issue.record("\(String(describing: state))")
                return
            }
            let identity = try tls.authority.identity("client")
            let files = TLSFiles(
                authorities: tls.authority.certificate, certificate: identity.certificate, key: identity.key)
            try await client(url(port, files)).waitUntilConnected(timeout: .seconds(60))
        }
    }

    @Test func `libnats refuses a wrong name, an expired and a foreign certificate`() async throws {
        let foreign = try TestAuthority("Somebody Else")
        for (tls, files) in [
            (try TestTLS(names: ["a.example"]), nil), (try TestTLS(days: -9 ... -2), nil),
            (try TestTLS(), TLSFiles(authorities: foreign.certificate)),
        ] as [(TestTLS, TLSFiles?)] {
            try await withNATS(tls) { client, port in
                let error = await refusal(client(url(port, files ?? tls.client)))
                #expect(error?.code == .tlsFailed, "\(String(describing: error))")
            }
        }
    }

    @Test func `a NATS client whose side of TLS differs from the server's is told what to write`() async throws {
        try await withNATS(try TestTLS()) { client, port in
            // libnats speaks TLS with it nevertheless, and knows the system's authorities only.
            let error = await refusal(client(url(port, nil)))
            #expect(error?.code == .tlsFailed && error?.message.contains("with nats+tls:// signed by") == true)
        }
        let server = try await TemporaryNATS()
        let loop = try UVLoop.start(name: "clients")
        let client = NATSClient(
            configuration: .init(url: url(server.port, TLSFiles()), name: "c"), loop: loop, logger: silent)
        client.start()
        let error = await refusal(client)
        #expect(error?.code == .tlsFailed && error?.message.contains("write nats://") == true)
        await client.close()
        server.stop()
        await loop.close()
    }
}
