import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct TCPStreamTests {
    @Test func `bytes written in one turn arrive in order and together`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let chunks = Events<[UInt8]>()
            pair.server.onRead = { chunks.add(Array($0)) }
            pair.server.startReading()
            for byte in UInt8(0)..<100 { pair.client.write([byte]) }
            #expect(pair.client.pendingBytes == 100)
            // One flush, one segment: TCP_NODELAY would have sent a hundred.
            try await chunks.expect(Array(0..<100))
            #expect(pair.client.pendingBytes == 0)
            #expect(pair.client.bytesWritten == 100)
            #expect(pair.server.bytesRead == 100)
            #expect(pair.client.localAddress == pair.server.remoteAddress)
            #expect(pair.client.remoteAddress == pair.listener.localAddress)
        }
    }

    @Test func `eight mebibytes come back unchanged from an echo server`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            try await pair.expectEcho(on: on)
        }
    }

    @Test func `output waits for a peer that does not read, and drains when it does`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let drains = Events<Void>()
            let total = 16 << 20
            pair.client.onDrain = { drains.add(()) }
            pair.client.write([UInt8](repeating: 7, count: total))
            // The turn after the flush: the kernel took its share, the rest waits.
            try await on.loop.sleep(for: .milliseconds(20))
            let waiting = pair.client.pendingBytes
            #expect(waiting > 0 && waiting < total)
            let stalledSince = pair.client.lastWriteProgress
            // More output is collected behind the write under way.
            pair.client.write([UInt8](repeating: 8, count: 1000))
            #expect(pair.client.pendingBytes == waiting + 1000)
            try await on.loop.sleep(for: .milliseconds(20))
            #expect(pair.client.lastWriteProgress == stalledSince)

            pair.server.onRead = { _ in }
            pair.server.startReading()
            while pair.client.pendingBytes > 0 { try await drains.next() }
            #expect(pair.client.lastWriteProgress > stalledSince)
            #expect(pair.client.bytesWritten == UInt64(total + 1000))
        }
    }

    @Test func `a reader that stops makes the writer wait until it goes on`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let counts = Events<Int>()
            let server = pair.server
            server.onRead = { bytes in
                server.stopReading()
                counts.add(bytes.count)
            }
            server.startReading()
            pair.client.write([UInt8](repeating: 1, count: 200_000))
            var total = 0
            while total < 200_000 {
                let count = try await counts.next()
                #expect(count <= EventLoopLimits.readBytes)
                total += count
                server.startReading()
            }
            #expect(total == 200_000)
        }
    }

    @Test func `after half a close the other direction goes on`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let (events, closes) = (Events<String>(), Events<UVError?>())
            let server = pair.server
            server.onRead = { events.add("server read \($0.count)") }
            server.onEnd = {
                events.add("server end")
                server.write([1, 2, 3])
                server.closeAfterFlush()
            }
            server.onClose = { closes.add($0) }
            server.startReading()
            pair.client.onRead = { events.add("client read \($0.count)") }
            pair.client.onClose = { closes.add($0) }
            pair.client.startReading()
            pair.client.write([9, 9])
            pair.client.finishWriting()
            pair.client.write([9])  // Ignored: the output is finished.
            try await events.expect("server read 2")
            try await events.expect("server end")
            try await events.expect("client read 3")
            for _ in 0..<2 { try await closes.expect(nil) }
        }
    }

    @Test func `close after flush delivers everything, although the peer has sent bytes that are never read`()
        async throws
    {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let (received, closes) = (Events<Int>(), Events<UVError?>())
            // Unread input would make the kernel answer a close with a reset, which destroys data under way.
            pair.client.write([UInt8](repeating: 1, count: 100_000))
            pair.server.write([UInt8](repeating: 2, count: 1 << 20))
            pair.server.onRead = { _ in Issue.record("input after closeAfterFlush") }
            pair.server.onClose = { closes.add($0) }
            pair.server.closeAfterFlush(within: .seconds(30))
            pair.client.onRead = { received.add($0.count) }
            pair.client.onClose = { closes.add($0) }
            pair.client.startReading()
            var total = 0
            while total < 1 << 20 { total += try await received.next() }
            #expect(total == 1 << 20)
            for _ in 0..<2 { try await closes.expect(nil) }
        }
    }

    @Test func `close after flush gives a peer that never reads only so long`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let closes = Events<UVError?>()
            pair.server.onClose = { closes.add($0) }
            pair.server.write([UInt8](repeating: 2, count: 32 << 20))
            pair.server.closeAfterFlush(within: .milliseconds(30))
            try await closes.expect(nil)
            #expect(pair.server.pendingBytes == 0)
        }
    }

    @Test func `a reset reaches the peer as an error`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let closes = Events<UVError?>()
            pair.client.onClose = { closes.add($0) }
            pair.client.startReading()
            pair.server.reset()
            let error = try await closes.next()
            #expect(error?.code == UVError.connectionReset)
        }
    }

    @Test func `a close is reported once, later, and nothing after it`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let events = Events<String>()
            let client = pair.client
            client.onRead = { _ in events.add("read") }
            client.onDrain = { events.add("drain") }
            client.onClose = { error in events.add(error == nil ? "closed" : "failed") }
            client.startReading()
            client.write([1])
            client.close()
            client.close()
            client.reset()
            client.closeAfterFlush()
            client.write([2])
            events.add("close returned")
            #expect(client.pendingBytes == 0)
            try await events.expect("close returned")
            try await events.expect("closed")
            let server = Events<UVError?>()
            pair.server.onRead = { _ in Issue.record("bytes of a closed stream") }
            pair.server.onClose = { server.add($0) }
            pair.server.startReading()
            try await server.expect(nil)
            events.add("last")
            try await events.expect("last")
        }
    }

    @Test func `a stream that writes whenever it has drained does not keep the loop from its timers`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            pair.server.onRead = { _ in }
            pair.server.startReading()
            let client = pair.client
            client.onDrain = { client.write([1]) }
            client.write([1])
            try await on.loop.sleep(for: .milliseconds(10))
            #expect(client.bytesWritten > 1)
            #expect(pair.server.bytesRead > 0)
        }
    }

    @Test func `writing to a peer that has gone ends the stream with an error`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            let closes = Events<UVError?>()
            pair.client.onClose = { closes.add($0) }
            pair.client.onDrain = { [client = pair.client] in client.write([1]) }
            pair.server.reset()
            pair.client.write([1])
            let error = try await closes.next()
            #expect([UVError.connectionReset, UVError.brokenPipe].contains(error?.code))
        }
    }
}
