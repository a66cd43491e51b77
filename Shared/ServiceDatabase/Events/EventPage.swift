import BusService
import Persistence
import StoreModels

/// A page of events, as `events.list` of a service returns it.
package struct EventPage<Event: Encodable & Sendable>: Sendable {
    /// Oldest first, at most the request's limit.
    package var events: [Event]
    /// The cursor of the next page. It advances as long as there are more events, whether they matched or not.
    package var after: String
}

/// Events found by one scan of an ``EventTable``.
package struct EventScan<Event: Encodable & Sendable>: Sendable {
    /// The events that matched, oldest first, each with its row's place.
    package var events: [(event: Event, position: EventPosition)]
    /// The last row scanned, or nil when no rows follow the scan's start.
    package var end: EventPosition?

    /// Creates the result of a scan. Without arguments the scan was empty.
    package init(events: [(event: Event, position: EventPosition)] = [], end: EventPosition? = nil) {
        self.events = events
        self.end = end
    }
}

extension EventTable {
    /// Reads a page of events by one scan. Without a cursor it returns no events, only the current position.
    ///
    /// - Parameters:
    ///   - cursor: `after` of the page before.
    ///   - prefix: Prefix of the table's event identifiers.
    ///   - limit: Maximum number of events.
    ///   - scan: Reads a bounded number of rows behind a position, and at most `limit` events among them.
    /// - Throws: ``PositionFault`` as `requestInvalid`.
    package func page<Event>(
        after cursor: String?, prefix: String, limit: Int, in database: any SQLDatabase,
        scan: @escaping @Sendable (EventPosition, SQLReader) async throws -> EventScan<Event>
    ) async throws -> EventPage<Event> {
        guard let cursor else { return EventPage(events: [], after: try await now(in: database).identifier(prefix)) }
        return try await database.read { reader in
            guard let after = EventPosition(cursor, prefix: prefix) else { throw StoreError.position(.malformed) }
            try await check(after, in: reader)
            let found = try await scan(after, reader)
            guard let end = found.end else { return EventPage(events: [], after: cursor) }
            let page = try ReplyBudget.fitting(found.events.map(\.event))
            // A full page may have further matches after it.
            let isCut = page.count == limit || page.count < found.events.count
            let last = isCut && !page.isEmpty ? found.events[page.count - 1].position : end
            return EventPage(events: page, after: last.identifier(prefix))
        }
    }
}
