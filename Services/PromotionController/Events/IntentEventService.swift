import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `events.list`: the events of intents, for callers that wait for events.
struct IntentEventService: Sendable {
    /// Maximum number of events in one reply.
    static let pageMax = 100

    let database: any SQLDatabase

    /// Lists the events after `after`, at most ``EventTable/scanMax`` rows a call.
    ///
    /// The reply's `after` advances as long as more rows follow, whether they matched or not. Without `after` it
    /// returns no events, only the current position.
    /// - Throws: `requestInvalid`, also with a ``PositionFault``.
    func list(_ request: IntentEventsRequest) async throws -> IntentEventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let page = try await IntentEventRepository.table.page(
            after: request.after, prefix: PromotionIdentifiers.eventPrefix, limit: request.limit, in: database
        ) { after, reader in
            try await IntentEventRepository.scan(request, after: after, in: reader)
        }
        return IntentEventsReply(events: page.events, after: page.after)
    }
}
