import Testing

@testable import EventLoop

/// An actor pinned to a loop, so that a test's body can use handles directly.
actor LoopActor {
    let loop: UVLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: UVLoop) { self.loop = loop }

    func run<Result: Sendable>(
        _ body: @Sendable (isolated LoopActor) async throws -> Result
    ) async rethrows -> Result {
        try await body(self)
    }
}

/// Runs `body` on a loop of its own and closes the loop. Closing is a check by itself: `uv_loop_close` fails when a
/// handle is left, and then the loop stops the process.
func withLoop<Result: Sendable>(
    _ name: String = #function, _ body: @Sendable (isolated LoopActor) async throws -> Result
) async throws -> Result {
    let loop = try UVLoop.start(name: name)
    do {
        let result = try await LoopActor(loop).run(body)
        await loop.close()
        return result
    } catch {
        await loop.close()
        throw error
    }
}

/// Events that callbacks leave and the test awaits, in order.
struct Events<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init(of type: Event.Type = Event.self) { (stream, continuation) = AsyncStream.makeStream() }

    func add(_ event: Event) { continuation.yield(event) }

    /// The next event, waiting for it. The suites' time limits end a wait in vain.
    func next() async throws -> Event {
        var iterator = stream.makeAsyncIterator()
        return try #require(await iterator.next(isolation: #isolation))
    }
}

extension Events where Event: Equatable {
    /// Waits for the next event and checks it.
    func expect(_ expected: Event, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let event = try await next()
        #expect(event == expected, sourceLocation: sourceLocation)
    }
}

/// A client and a server stream, connected over the loopback interface.
struct StreamPair {
    let listener: TCPListener
    let client: TCPStream
    let server: TCPStream

    /// Connects; the listener stays open until the loop closes.
    static func make(on actor: isolated LoopActor) async throws -> StreamPair {
        let loop = actor.loop
        let listener = try TCPListener.bind(loop: loop, host: "127.0.0.1", port: 0)
        let slot = Slot()
        let accepted = Events<Void>()
        try listener.listen { stream in
            slot.stream = stream
            accepted.add(())
        }
        let client = try await TCPStream.connect(
            loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(10))
        try await accepted.next()
        return StreamPair(listener: listener, client: client, server: try #require(slot.stream))
    }

    /// Sends eight mebibytes to a server that echoes, and expects them back unchanged.
    /// - Parameter written: Called with the number of bytes, in the turn that has written them.
    func expectEcho(on actor: isolated LoopActor, written: (Int) -> Void = { _ in }) async throws {
        let server = server
        server.onRead = { server.write(contentsOf: $0) }
        server.startReading()
        let sent = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
        let received = Events<[UInt8]>()
        client.onRead = { received.add(Array($0)) }
        client.startReading()
        client.write(sent)
        written(sent.count)
        var back: [UInt8] = []
        back.reserveCapacity(sent.count)
        while back.count < sent.count { back += try await received.next() }
        #expect(back == sent)
    }

    private final class Slot {
        var stream: TCPStream?
    }
}
