import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `events.list` and `.last`: the events of all customers, for callers that wait for an event, and the last
/// ones.
struct EventService: Sendable {
    /// Maximum number of events in one reply.
    static let pageMax = 100
    /// Maximum number of last events in one reply.
    static let lastMax = 500

    let database: any SQLDatabase

    /// Lists the events after `after`, at most ``EventTable/scanMax`` rows a call.
    ///
    /// The reply's `after` grows as long as more rows follow, whether they matched or not.
    /// - Throws: `requestInvalid`, also with a ``PositionFault``.
    func list(_ request: EventsRequest) async throws -> EventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let page = try await EventRepository.table.page(
            after: request.after, prefix: Identifiers.eventPrefix, limit: request.limit, in: database
        ) { after, reader in
            try await EventRepository.scan(request, after: after, in: reader)
        }
        return EventsReply(events: page.events, after: page.after)
    }

    /// Reads the last events, and the position behind all that can be read.
    /// - Throws: `requestInvalid`.
    func last(_ request: LastEventsRequest) async throws -> EventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.lastMax)
        return try await database.read { reader in
            let end = try await EventRepository.table.horizon(in: reader).settled
            let newestFirst = try await EventRepository.last(request, through: end, in: reader)
            return EventsReply(
                events: try ReplyBudget.fitting(newestFirst).reversed(),
                after: end.identifier(Identifiers.eventPrefix))
        }
    }
}
