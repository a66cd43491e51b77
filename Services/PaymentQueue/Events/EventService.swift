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
    /// - Throws: `requestInvalid`, also for an `after` that is no cursor, lies ahead of this store, or lies before an
    ///   event that was removed.
    func list(_ request: EventsRequest) async throws -> EventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let page = try await EventRepository.table.page(
            after: request.after, prefix: Identifiers.eventPrefix, limit: request.limit, in: database
        ) { after, reader in
            if let pruned = try await JournalRepository.pruned(in: reader), after < pruned,
                // In a dump that was restored into another cluster the place lies ahead of everything.
                try await pruned <= EventRepository.table.horizon(in: reader).begun
            {
                throw Self.unknown(
                    "'after' is a position before the oldest events, which are removed after "
                        + "\(JournalPruner.keptFor.components.seconds / 86_400) days; begin without it")
            }
            return try await EventRepository.scan(request, after: after, in: reader)
        }
        guard let page else { throw Self.unknown("'after' is no position among this store's events") }
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

    private static func unknown(_ sentence: String) -> StoreError {
        StoreError(.requestInvalid, sentence, details: ["path": .string("$.after")])
    }
}
