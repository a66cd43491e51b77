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
        guard let cursor = request.after else {
            let now = try await EventRepository.table.now(in: database)
            return IntentEventsReply(events: [], after: Identifiers.event(now))
        }
        return try await database.read { reader in
            guard let after = Identifiers.eventPosition(cursor),
                after <= (try await EventRepository.table.horizon(in: reader)).begun
            else { throw DeviceRules.invalid("$.after", "is no position among this store's events") }
            let found = try await EventRepository.events(request, after: after, in: reader)
            guard let end = found.end else { return IntentEventsReply(events: [], after: cursor) }
            let page = try ReplyBudget.fitting(found.events.map(\.event))
            // A full page may have further matches after it.
            let isCut = page.count == request.limit || page.count < found.events.count
            let last = isCut && !page.isEmpty ? found.events[page.count - 1].position : end
            return IntentEventsReply(events: page, after: Identifiers.event(last))
        }
    }
}
