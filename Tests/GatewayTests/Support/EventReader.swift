import CurlLoop
import Foundation
import StoreHTTP
import StoreModels

/// Reads a stream of server-sent events, one at a time, with a deadline for each.
final class EventReader: Sendable {
    struct Event: Sendable, Equatable {
        /// The event's name; `comment` for a comment.
        var name: String
        var id: String?
        /// The data, or the comment's text.
        var text: String

        var json: JSONValue { (try? StrictJSON.parse(Array(text.utf8))) ?? .null }
        var seq: Int? { json["seq"]?.intValue }
        /// `id:revision` of each transaction.
        var transactions: [String] {
            (json["transactions"]?.arrayValue ?? []).map {
                "\($0["id"]?.stringValue ?? "?"):\($0["revision"]?.intValue ?? 0)"
            }
        }
    }

    struct NothingCame: Error {}

    let status: Int
    let headers: [String: String]
    private let events: AsyncStream<Event>
    private let reading: Task<Void, Never>

    init(_ response: CurlResponse) throws {
        guard let status = response.status, let body = response.stream else { throw response.failure ?? NothingCame() }
        self.status = status
        headers = Dictionary(response.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let (events, source) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        reading = Task {
            var parser = ServerSentEventParser(byteCountMax: 16 * 1024 * 1024)
            do {
                for try await chunk in body {
                    for item in try parser.append(chunk) { source.yield(Event(item)) }
                }
            } catch {
                // The connection broke; the reader sees the end.
            }
            source.finish()
        }
    }

    /// The next event that is no comment.
    func next(within limit: Duration = .seconds(30)) async throws -> Event {
        while true {
            let event = try await any(within: limit)
            if event.name != "comment" { return event }
        }
    }

    /// The next event or comment.
    /// - Throws: ``NothingCame`` at the end of the stream or after `limit`.
    func any(within limit: Duration = .seconds(30)) async throws -> Event {
        let events = self.events
        let event = await withTaskGroup(of: Event?.self) { group in
            group.addTask { await events.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let event else { throw NothingCame() }
        return event
    }

    /// Whether the gateway has ended the stream; waits for it.
    func ended() async -> Bool {
        await reading.value
        return true
    }

    /// Hangs up, as an app that quits.
    func hangUp() { reading.cancel() }
}

extension EventReader.Event {
    fileprivate init(_ item: ServerSentEventParser.Item) {
        switch item {
        case .event(let event): self.init(name: event.name, id: event.id, text: event.text)
        case .comment(let text): self.init(name: "comment", id: nil, text: text)
        }
    }
}
