import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `events.list`: what happened to intents, for callers that wait for events.
struct EventService: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase

    /// Reads a bounded number of events per call. `after` of the reply advances as long as there are more, whether they
    /// matched or not. Without `after` it returns no events, only the current position.
    /// - Throws: `requestInvalid`, also for an `after` that is malformed or ahead of this store.
    func list(_ request: IntentEventsRequest) async throws -> IntentEventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let page = try await EventRepository.table.page(
            after: request.after, prefix: Identifiers.eventPrefix, limit: request.limit, in: database
        ) { after, reader in
            try await EventRepository.scan(request, after: after, in: reader)
        }
        guard let page else { throw DeviceRules.invalid("$.after", "is no position among this store's events") }
        return IntentEventsReply(events: page.events, after: page.after)
    }
}
