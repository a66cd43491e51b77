import AsyncHTTPClient
import NIOCore
import StoreModels

/// Reads one stream of Server-Sent Events, event by event.
struct Observer {
    struct Event {
        let name: String
        let data: JSONValue

        func transactions() throws -> [PaymentTransaction] {
            guard let list = data["transactions"] else { throw StackError("\(name) without transactions") }
            return try StoreJSON.decode([PaymentTransaction].self, from: try StoreJSON.encode(list))
        }
    }

    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private var pending: [UInt8] = []

    init(_ body: HTTPClientResponse.Body) { chunks = body.makeAsyncIterator() }

    /// The next event, comments passed over; nil when the stream has ended.
    mutating func next() async throws -> Event? {
        while true {
            if let event = try takeEvent() { return event }
            guard let chunk = try await chunks.next() else { return nil }
            pending += chunk.readableBytesView
        }
    }

    /// Reads on to the first event that `matches`.
    mutating func next(where matches: (Event) throws -> Bool) async throws -> Event {
        while let event = try await next() {
            if try matches(event) { return event }
        }
        throw StackError("the stream ended before the event came")
    }

    /// Takes one complete event, which ends with an empty line, off the front.
    private mutating func takeEvent() throws -> Event? {
        let newline = UInt8(ascii: "\n")
        while let end = pending.indices.dropLast().first(where: { pending[$0] == newline && pending[$0 + 1] == newline }) {
            let lines = pending[..<end].split(separator: newline).map { String(decoding: $0, as: UTF8.self) }
            pending.removeSubrange(...(end + 1))
            func field(_ name: String) -> String? {
                lines.first { $0.hasPrefix(name + ":") }
                    .map { String($0.dropFirst(name.utf8.count + 1)) }
                    .map { $0.hasPrefix(" ") ? String($0.dropFirst()) : $0 }
            }
            guard let name = field("event"), let data = field("data") else { continue }
            return Event(name: name, data: try StrictJSON.parse(Array(data.utf8)))
        }
        return nil
    }
}
