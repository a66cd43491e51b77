import EventLoop
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// Reads the logs for one stream and writes its events, one after the other. It reads nothing that a client does not
/// take.
struct EventFeedSender {
    typealias Read = @Sendable (EventFeed.Log, _ after: String?) async -> EventFeed.Reading

    /// The minimum time between two reads of a log, unless it has a further page. A busy store has more hints than a
    /// page can show.
    private static let pause = Duration.milliseconds(100)

    var feed: EventFeed
    let alarm: EventAlarm
    let read: Read
    /// Returns the state that `hello` and `resync` report.
    let state: @Sendable () async -> EventStreamState

    /// Runs until the signal ends it.
    /// - Throws: The connection's error when it breaks.
    @concurrent mutating func run(_ writer: inout any ResponseBodyWriter) async throws {
        for await _ in alarm.signal.notifications {
            let next = ContinuousClock.now + Self.pause
            var due = alarm.takeDue()
            while !due.isEmpty, alarm.signal.end == nil { due = try await step(due, &writer) }
            // A cancelled sleep ends immediately, and then the signal ends too.
            try? await Task.sleep(until: next)
        }
    }

    /// - Returns: The logs that may have more.
    @concurrent private mutating func step(
        _ due: Set<EventFeed.Log>, _ writer: inout any ResponseBodyWriter
    ) async throws -> Set<EventFeed.Log> {
        var readings: [EventFeed.Log: EventFeed.Reading] = [:]
        await withTaskGroup(of: (EventFeed.Log, EventFeed.Reading).self) { [read, feed] group in
            for log in due { group.addTask { (log, await read(log, feed.after(log))) } }
            for await (log, reading) in group { readings[log] = reading }
        }
        let (outputs, more) = feed.receive(readings, now: .now)
        guard !outputs.isEmpty else { return more }
        var bytes: [UInt8] = []
        for output in outputs { bytes += try await encode(output) }
        try await writer.write(ByteBuffer(bytes: bytes))
        return more
    }

    private func encode(_ output: EventFeed.Output) async throws -> [UInt8] {
        switch output {
        case .hello(let id): try await encode(.hello, id)
        case .resync(let id): try await encode(.resync, id)
        case .events(let log, let id, let body):
            Self.bytes(log == .transactions ? .transactions : .intents, id, body)
        case .comment(let text): ServerSentEventEncoder.comment(text)
        }
    }

    private func encode(_ name: EventStreamName, _ id: String) async throws -> [UInt8] {
        Self.bytes(name, id, try StoreJSON.encode(await state()))
    }

    private static func bytes(_ name: EventStreamName, _ id: String, _ body: [UInt8]) -> [UInt8] {
        ServerSentEventEncoder.bytes(ServerSentEvent(id: id, name: name.rawValue, data: body))
    }
}

/// Rings a stream's signal, and remembers for which logs.
final class EventAlarm: Sendable {
    let signal: EventSignal
    private let waits: EventWaits
    private let due = Locked(Set(EventFeed.Log.allCases))

    /// Takes a stream's place, until the alarm is released.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    init(_ waits: EventWaits) throws(StoreError) {
        signal = try waits.enter(.stream)
        self.waits = waits
        signal.notify()
    }

    deinit { waits.leave(signal) }

    func notify(_ logs: Set<EventFeed.Log>) {
        due.withLock { $0.formUnion(logs) }
        signal.notify()
    }

    /// Returns the logs for which the signal rang since the last call.
    func takeDue() -> Set<EventFeed.Log> {
        due.withLock { due in
            defer { due = [] }
            return due
        }
    }
}
