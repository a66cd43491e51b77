import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `events.list`: the events of all customers, for callers that wait for an event.
struct EventService: Sendable {
    /// Maximum number of events in one reply.
    static let pageMax = 100

    let database: any SQLDatabase

    /// Lists the events after `after`, at most ``EventTable/scanMax`` rows a call.
    ///
    /// The reply's `after` grows as long as more rows follow, whether they matched or not.
    /// - Throws: `requestInvalid`, also for an `after` that is no cursor, or lies ahead of this store.
    func list(_ request: EventsRequest) async throws -> EventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let page = try await EventRepository.table.page(
            after: request.after, prefix: Identifiers.eventPrefix, limit: request.limit, in: database
        ) { after, reader in
            try await EventRepository.scan(request, after: after, in: reader)
        }
        guard let page else {
            throw StoreError(
                .requestInvalid, "'after' is no position among this store's events",
                details: ["path": .string("$.after")])
        }
        return EventsReply(events: page.events, after: page.after)
    }
}
