import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// `events.list`: the events of all the store's customers, for callers that wait for an event.
struct EventReader: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase

    /// One call looks at a bounded number of events; `after` of the reply grows as long as there are more, whether they
    /// matched or not.
    /// - Throws: `requestInvalid`, also for an `after` that is no cursor, or lies ahead of this store.
    func list(_ request: EventsRequest) async throws -> EventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard let cursor = request.after else {
            let now = try await EventRepository.table.now(in: database)
            return EventsReply(events: [], after: Identifiers.event(now))
        }
        return try await database.read { reader in
            guard let after = Identifiers.eventPosition(cursor),
                after <= (try await EventRepository.table.horizon(in: reader)).begun
            else {
                throw StoreError(
                    .requestInvalid, "'after' is no position among this store's events",
                    details: ["path": .string("$.after")])
            }
            guard let end = try await EventRepository.scanEnd(after: after, in: reader) else {
                return EventsReply(events: [], after: cursor)
            }
            let rows = try await EventRepository.events(request, after: after, through: end, in: reader)
            let page = try ReplyBudget.fitting(rows) { try StoreJSON.encode($0.event).count }
            // A full page may have left matches behind it.
            let isCut = page.count == request.limit || page.count < rows.count
            let last = isCut ? page.last?.position ?? end : end
            return EventsReply(events: page.map(\.event), after: Identifiers.event(last))
        }
    }
}
