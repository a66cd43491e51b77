import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// `events.list`: the events of all the store's customers, for callers that wait for an event.
struct EventService: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase

    /// One call looks at a bounded number of events; `after` of the reply grows as long as there are more, whether they
    /// matched or not.
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
