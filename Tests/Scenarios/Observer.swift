import AsyncHTTPClient
import NIOCore
import StoreModels
import StorebusTesting

/// Reads one stream of Server-Sent Events, event by event. The connection is closed when the last copy goes.
struct Observer {
    struct Event: Sendable {
        let name: String
        let data: JSONValue

        func transactions() throws -> [PaymentTransaction] {
            guard let list = data["transactions"] else { throw StackError("\(name) without transactions") }
            return try StoreJSON.decode([PaymentTransaction].self, from: try StoreJSON.encode(list))
        }
    }

    private var events: AsyncThrowingStream<Event, any Error>.AsyncIterator

    init(_ body: HTTPClientResponse.Body) {
        let (stream, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
        let reading = Task {
            do {
                var pending: [UInt8] = []
                for try await chunk in body {
                    pending += chunk.readableBytesView
                    while let event = try Self.takeEvent(from: &pending) { continuation.yield(event) }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in reading.cancel() }
        events = stream.makeAsyncIterator()
    }

    /// The next event, comments passed over; nil when the stream has ended.
    mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> Event? {
        try await events.next(isolation: isolation)
    }

    /// Reads on to the first event that `matches`.
    mutating func next(
        isolation: isolated (any Actor)? = #isolation, where matches: (Event) throws -> Bool
    ) async throws -> Event {
        while let event = try await next(isolation: isolation) {
            if try matches(event) { return event }
        }
        throw StackError("the stream ended before the event came")
    }

    /// Takes one complete event, which ends with an empty line, off the front; passes over comments.
    private static func takeEvent(from pending: inout [UInt8]) throws -> Event? {
        let newline = UInt8(ascii: "\n")
        while let end = pending.indices.dropLast().first(where: { pending[$0] == newline && pending[$0 + 1] == newline }
        ) {
            let lines = pending[..<end].split(separator: newline).map { String(decoding: $0, as: UTF8.self) }
            pending.removeSubrange(...(end + 1))
            guard let name = field("event", in: lines), let data = field("data", in: lines) else { continue }
            return Event(name: name, data: try StrictJSON.parse(Array(data.utf8)))
        }
        return nil
    }

    private static func field(_ name: String, in lines: [String]) -> String? {
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else { return nil }
        let value = line.dropFirst(name.utf8.count + 1)
        return String(value.hasPrefix(" ") ? value.dropFirst() : value)
    }
}
