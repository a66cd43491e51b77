import CurlLoop
import StoreHTTP
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

    init(_ body: CurlBodyStream) {
        let (stream, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
        let reading = Task {
            do {
                var parser = ServerSentEventParser(byteCountMax: 64 * 1024 * 1024)
                for try await chunk in body {
                    for case .event(let event) in try parser.append(chunk) {
                        continuation.yield(Event(name: event.name, data: try StrictJSON.parse(event.data)))
                    }
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
}
