import StorebusTesting
import Testing

@testable import EventLoop

/// Goal: `TCPStream` with TLS behaves as without: turns, pending bytes, ends.
@Suite(.timeLimit(.minutes(1))) struct TLSStreamTests {
    private let authority: TestAuthority
    private let server: TLSContext
    private let client: TLSContext

    init() throws {
        authority = try TestAuthority()
        let identity = try authority.identity("server")
        server = try TLSContext(.server, TLSFiles(certificate: identity.certificate, key: identity.key))
        client = try TLSContext(.client, TLSFiles(authorities: authority.certificate))
    }

    /// A pair whose sides speak TLS.
    private func pair(on actor: isolated LoopActor, name: String = "localhost") async throws -> StreamPair {
        let pair = try await StreamPair.make(on: actor)
        try pair.server.startTLS(server, plainAnswer: [9, 9, 9])
        try pair.client.startTLS(client, peerName: name)
        return pair
    }

    @Test func `eight mebibytes come back unchanged from an echo server`() async throws {
        try await withLoop { on in
            let pair = try await pair(on: on)
            // Bytes that wait for the handshake are pending.
            try await pair.expectEcho(on: on) { #expect(pair.client.pendingBytes == $0) }
        }
    }

    @Test func `output waits for a peer that does not read, and drains when it does`() async throws {
        try await withLoop { on in
            let pair = try await pair(on: on)
            let (drains, shaken) = (Events<Void>(), Events<Void>())
            let total = 16 << 20
            pair.server.onRead = { _ in
                pair.server.stopReading()
                shaken.add(())
            }
            pair.server.startReading()
            pair.client.startReading()
            pair.client.write([1])
            try await shaken.next()
            pair.client.onDrain = { drains.add(()) }
            pair.client.write([UInt8](repeating: 7, count: total))
            var last = -1
            try await eventually("the kernel takes no more") { [client = pair.client] in
                defer { last = client.pendingBytes }
                return client.pendingBytes == last && client.pendingBytes < total
            }
            #expect(pair.client.pendingBytes > 0)
            pair.server.onRead = { _ in }
            pair.server.startReading()
            while pair.client.pendingBytes > 0 { try await drains.next() }
        }
    }

    @Test func `close after flush delivers everything, and the peer's end is clean`() async throws {
        try await withLoop { on in
            let pair = try await pair(on: on)
            let (bytes, closes) = (Events<Int>(), Events<UVError?>())
            pair.client.onRead = { bytes.add($0.count) }
            pair.client.onClose = { closes.add($0) }
            pair.client.startReading()
            let server = pair.server
            server.onClose = { closes.add($0) }
            server.onRead = { _ in
                server.write([UInt8](repeating: 1, count: 2_000_000))
                server.closeAfterFlush()
            }
            server.startReading()
            pair.client.write([1])
            var count = 0
            while count < 2_000_000 { count += try await bytes.next() }
            #expect(count == 2_000_000)
            for _ in 0..<2 { try await closes.expect(nil) }
        }
    }

    @Test func `a certificate for another name ends both sides, and each knows why`() async throws {
        try await withLoop { on in
            let pair = try await pair(on: on, name: "b.example")
            let closes = Events<TLSError?>()
            for stream in [pair.client, pair.server] {
                stream.onRead = { _ in Issue.record("nothing was to be read") }
                stream.onClose = { _ in closes.add(stream.tlsFailure) }
                stream.write([1, 2, 3])
                stream.startReading()
            }
            let found = [try await closes.next(), try await closes.next()]
            #expect(found.contains(.wrongName(wanted: "b.example", names: "localhost, 127.0.0.1")))
            #expect(found.contains { if case .certificateRefused = $0 { true } else { false } })
        }
    }

    @Test func `a client without TLS gets the answer in the clear when the server closes`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            try pair.server.startTLS(server, plainAnswer: [9, 9, 9])
            let received = Events<[UInt8]>()
            pair.client.onRead = { received.add(Array($0)) }
            pair.client.startReading()
            pair.server.startReading()
            pair.server.write([1, 2, 3])
            pair.server.closeAfterFlush()
            try await received.expect([9, 9, 9])
        }
    }

    @Test func `a client with TLS knows a server without it by its first byte`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            try pair.client.startTLS(client, peerName: "localhost")
            let closes = Events<TLSError?>()
            pair.client.onClose = { [client = pair.client] _ in closes.add(client.tlsFailure) }
            pair.client.startReading()
            pair.server.startReading()
            pair.server.write([0, 0, 0, 60])
            try await closes.expect(.notTLS)
        }
    }
}
