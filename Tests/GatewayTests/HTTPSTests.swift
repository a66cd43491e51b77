import EventLoop
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import ServiceLifecycle
import Signing
import StoreHTTP
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge

/// Goal: TLS in front of the HTTP handlers loses nothing and ends as connections do. Method: the handler in a channel
/// in memory, whose client is a session of the test's; once a whole gateway.
@Suite(.timeLimit(.minutes(5))) struct HTTPSTests {
    /// The handler in a channel, and the client.
    private final class Connection {
        let channel: EmbeddedChannel
        let client: TLSSession
        let socket = Socket()
        let inputEnd = InputEnd()
        private(set) var received: [UInt8] = []

        init(name: String = "localhost", behind handlers: [any ChannelHandler] = []) throws {
            let authority = try TestAuthority()
            let identity = try authority.identity("server")
            let server = try TLSContext(
                .server, TLSFiles(certificate: identity.certificate, key: identity.key))
            client = try TLSSession(
                try TLSContext(.client, TLSFiles(authorities: authority.certificate)), peerName: name)
            let tls = try TLSHandler(server, lingerMax: .seconds(1), logger: InMemoryGateway.logger)
            let pipeline: [any ChannelHandler] = [socket, tls]
            channel = EmbeddedChannel(handlers: pipeline + handlers)
            try channel.pipeline.syncOperations.addHandler(inputEnd)
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { client.write($0) } }

        /// The client's records so far.
        func records() throws -> [UInt8] {
            var records: [UInt8] = []
            while client.hasOutput {
                try client.seal()
                client.takeRecords { records += $0 }
            }
            return records
        }

        /// Hands over records in pieces of at most `size`, until neither side has any.
        func exchange(size: Int = 1 << 20) throws {
            var hasMoved = true
            while hasMoved {
                hasMoved = false
                var rest = try records()[...]
                while !rest.isEmpty {
                    try channel.writeInbound(ByteBuffer(bytes: rest.prefix(size)))
                    rest = rest.dropFirst(size)
                    hasMoved = true
                }
                while let sent = try channel.readOutbound(as: ByteBuffer.self) {
                    // The session keeps its failure.
                    _ = sent.withUnsafeReadableBytes { try? client.receive($0) }
                    hasMoved = true
                }
                read()
            }
        }

        private func read() {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while let count = try? buffer.withUnsafeMutableBytes({ try client.read(into: $0) }), count > 0 {
                received += buffer[..<count]
            }
        }

        /// The plaintext that has come through.
        func passed() throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let piece = try channel.readInbound(as: ByteBuffer.self) { bytes += piece.readableBytesView }
            return bytes
        }
    }

    /// The end of the channel at the network. A closed output is only noted, as the other direction stays open.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var closes: [CloseMode] = []

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closes.append(mode)
            if mode == .all { context.close(promise: promise) } else { promise?.succeed() }
        }
    }

    /// How often the handlers are told that the client has finished.
    private final class InputEnd: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var count = 0

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { count += 1 }
        }
    }

    /// How a write ended.
    private final class Outcome {
        private(set) var result: Result<Void, any Error>?

        init(_ future: EventLoopFuture<Void>) {
            future.assumeIsolated().whenComplete { [weak self] in self?.result = $0 }
        }

        var isWritten: Bool { if case .success = result { true } else { false } }
        var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
    }

    private static func body(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
    }

    @Test(arguments: [1, 7, 1400, 1 << 20])
    func `a request and its response go through, in pieces of any size`(size: Int) throws {
        let connection = try Connection()
        let request = Self.body(size == 1 ? 20_000 : 200_000)
        connection.write(request)
        try connection.exchange(size: size)
        #expect(connection.client.isEstablished)
        #expect(try connection.passed() == request)
        let response = Self.body(1_000_000)
        try connection.channel.writeOutbound(ByteBuffer(bytes: response))
        try connection.exchange()
        #expect(connection.received == response)
        #expect(connection.socket.closes.isEmpty && connection.inputEnd.count == 0)
    }

    @Test func `one read of the socket is one read of the handlers`() throws {
        let connection = try Connection()
        try connection.exchange()
        for byte in 0..<5 {
            connection.write([UInt8(byte)])
            try connection.client.seal()
        }
        try connection.exchange()
        #expect(try connection.channel.readInbound(as: ByteBuffer.self) == ByteBuffer(bytes: [0, 1, 2, 3, 4]))
        #expect(try connection.passed() == [])
    }

    @Test func `a write succeeds when its records are written, and not before they are flushed`() throws {
        let connection = try Connection()
        try connection.exchange()
        let outcomes = [[1, 2], [], [3]].map { (bytes: [UInt8]) in
            Outcome(connection.channel.write(ByteBuffer(bytes: bytes)))
        }
        #expect(!outcomes.contains { $0.isWritten })
        #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil)
        connection.channel.flush()
        #expect(outcomes.allSatisfy { $0.isWritten })
        try connection.exchange()
        #expect(connection.received == [1, 2, 3])
        let empty = Outcome(connection.channel.writeAndFlush(ByteBuffer()))
        #expect(empty.isWritten)
    }

    @Test func `what is written before the end of the handshake waits for it`() throws {
        let connection = try Connection()
        let outcome = Outcome(connection.channel.writeAndFlush(ByteBuffer(bytes: [1, 2])))
        #expect(outcome.result == nil)
        #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil)
        try connection.exchange()
        #expect(outcome.isWritten && connection.received == [1, 2])
    }

    @Test func `a client that has finished still gets its response, and the end is told once`() throws {
        let connection = try Connection()
        connection.write([7])
        try connection.exchange()
        connection.client.finish()
        try connection.exchange()
        #expect(try connection.passed() == [7] && connection.inputEnd.count == 1)
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(connection.inputEnd.count == 1)
        try connection.channel.writeOutbound(ByteBuffer(bytes: [8]))
        try connection.exchange()
        #expect(connection.received == [8] && !connection.client.peerHasFinished)
        connection.channel.close(mode: .output, promise: nil)
        try connection.exchange()
        #expect(connection.client.peerHasFinished && connection.socket.closes == [.output])
    }

    @Test func `the end of the connection without an end of TLS is an end`() throws {
        let connection = try Connection()
        try connection.exchange()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(connection.inputEnd.count == 1)
        try connection.channel.writeOutbound(ByteBuffer(bytes: [8]))
        try connection.exchange()
        #expect(connection.received == [8])
    }

    @Test(arguments: [CloseMode.output, .all])
    func `closing says so to the client, behind everything written`(mode: CloseMode) throws {
        let connection = try Connection()
        try connection.exchange()
        let before = Outcome(connection.channel.write(ByteBuffer(bytes: [1, 2])))
        connection.channel.close(mode: mode, promise: nil)
        #expect(before.isWritten)
        let after = Outcome(connection.channel.writeAndFlush(ByteBuffer(bytes: [3])))
        #expect(after.error is ChannelError)
        try connection.exchange()
        #expect(connection.received == [1, 2] && connection.client.peerHasFinished)
        #expect(connection.socket.closes == [mode])
    }

    @Test func `a connection that ends before the handshake fails what was written`() throws {
        let connection = try Connection()
        let outcome = Outcome(connection.channel.writeAndFlush(ByteBuffer(bytes: [1])))
        connection.channel.close(promise: nil)
        #expect(outcome.error is ChannelError)
        #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil, "nor is anything said")
    }

    @Test func `a client of HTTP is told to speak HTTPS, and a moment later closed`() throws {
        let connection = try Connection()
        try connection.channel.writeInbound(ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"))
        let answer = String(buffer: try #require(try connection.channel.readOutbound(as: ByteBuffer.self)))
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.contains("must be https on this port"))
        #expect(connection.socket.closes == [.output])
        // What it sends besides is dropped.
        try connection.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        #expect(try connection.passed() == [])
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.socket.closes == [.output, .all])
        #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test func `a record that was changed on the way ends the connection, with an alert`() throws {
        let connection = try Connection()
        try connection.exchange()
        let waiting = Outcome(connection.channel.write(ByteBuffer(bytes: [1])))
        connection.write([1, 2, 3])
        var records = try connection.records()
        try #require(!records.isEmpty)
        records[records.count - 1] ^= 1
        try connection.channel.writeInbound(ByteBuffer(bytes: records))
        #expect(waiting.error is TLSError)
        #expect(try connection.passed() == [])
        try connection.exchange()
        #expect(connection.client.failure != nil && connection.received == [])
        let late = Outcome(connection.channel.writeAndFlush(ByteBuffer(bytes: [1])))
        #expect(late.error is TLSError)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.socket.closes == [.output, .all])
    }

    @Test func `a client that refuses the certificate ends the connection`() throws {
        let connection = try Connection(name: "b.example")
        connection.write([1])
        try connection.exchange()
        #expect(connection.client.failure == .wrongName(wanted: "b.example", names: "localhost, 127.0.0.1"))
        #expect(connection.socket.closes == [.output])
        #expect(try connection.passed() == [])
    }

    @Test func `a handshake that stalls ends as an idle connection does`() throws {
        let clock = Locked(NIODeadline.uptimeNanoseconds(1_000_000_000))
        let admission = Admission(StoreRoutes.all, now: { clock.withLock { $0 } }, logger: InMemoryGateway.logger)
        let gate = SocketGate()
        let connection = try Connection(behind: [
            HTTPResponseEncoder(), gate, ByteToMessageHandler(HTTPRequestDecoder()), ConnectionHandler(admission, gate),
        ])
        try connection.channel.writeInbound(ByteBuffer(bytes: try connection.records().prefix(20)))
        let idle = ConnectionLimits().idleMax
        connection.channel.embeddedEventLoop.advanceTime(by: idle - .milliseconds(1))
        #expect(connection.socket.closes.isEmpty)
        clock.withLock { $0 = $0 + idle }
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(connection.socket.closes == [.all])
    }

    @Test func `who trusts the store's root reaches the gateway by Apple's names, and nobody else does`() async throws {
        try await GatewayHarness.run { store in
            let authority = try await store.apple.authority()
            try authority.rootPEM.write(
                toFile: store.directory.file("root.pem"), atomically: true, encoding: .utf8)
            let (ports, signal) = AsyncStream.makeStream(of: Int.self)
            let server = CertifiedServer(
                hosts: HTTPSHosts.all(publicURL: nil, more: []), services: store.gateway.parts.services,
                logger: store.gateway.parts.logger
            ) { [gateway = store.gateway] tls in
                GatewayServer(
                    responder: gateway.responder(), host: "127.0.0.1", port: 0, tls: tls,
                    placement: LoopPlacement(loop: nil),
                    admission: Admission(StoreRoutes.all, logger: gateway.parts.logger), logger: gateway.parts.logger,
                    onListening: { signal.yield($0) })
            }
            let group = ServiceGroup(configuration: .init(services: [server], logger: store.gateway.parts.logger))
            let running = Task { try await group.run() }
            let port = await ports.first { _ in true } ?? 0
            let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let root = TLSFiles(authorities: store.directory.file("root.pem"))
            for name in ["api.storekit.apple.com", "127.0.0.1"] {
                let answer = try await Self.exchange(request, port, name, root)
                #expect(answer.failure == nil)
                #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
                let plain = try await store.send(.GET, "/openapi.json")
                #expect(answer.text.hasSuffix(plain.text))
            }
            let foreign = try await Self.exchange(request, port, "www.apple.com", root)
            #expect(foreign.failure?.description.hasSuffix("not for www.apple.com") == true && foreign.text.isEmpty)
            let plain = try await Self.exchange(request, port, nil, root)
            #expect(plain.text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }

    /// What came until the gateway closed the connection, and why there is no TLS.
    private struct Exchanged: Sendable {
        var text = ""
        var failure: TLSError?
    }

    /// Sends `text` to the gateway by a name; without a name in the clear.
    private static func exchange(
        _ text: String, _ port: Int, _ name: String?, _ files: TLSFiles
    ) async throws -> Exchanged {
        let loop = try UVLoop.start(name: "https-client")
        let context = try TLSContext(.client, files)
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Exchanged, Never>) in
            loop.execute {
                TCPStream.connect(loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(60)) { result in
                    do {
                        let stream = try result.get()
                        if let name { try stream.startTLS(context, peerName: name) }
                        var received: [UInt8] = []
                        stream.onRead = { received += $0 }
                        stream.onClose = { _ in
                            let text = String(decoding: received, as: UTF8.self)
                            continuation.resume(returning: Exchanged(text: text, failure: stream.tlsFailure))
                        }
                        stream.startReading()
                        stream.write(Array(text.utf8))
                    } catch {
                        Issue.record(error)
                        continuation.resume(returning: Exchanged())
                    }
                }
            }
        }
        await loop.close()
        return answer
    }
}
