import BusService
import Persistence
import StoreModels

/// `events.list`: what happened in the store, across its customers, for whoever waits for something to happen.
package struct EventReader: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase

    package init(database: any SQLDatabase) { self.database = database }

    /// How long "now" waits for commits that are under way.
    static let nowTime: Duration = .seconds(1)

    /// One call looks at a bounded number of events; `after` of the reply grows as long as there are more, whether they
    /// matched or not.
    /// - Throws: `requestInvalid`, also for an `after` that is none, or lies ahead of this store.
    package func list(_ request: EventsRequest) async throws -> EventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard let cursor = request.after else {
            return EventsReply(events: [], after: Identifiers.event(try await now()))
        }
        return try await database.read { reader in
            guard let after = Identifiers.eventPosition(cursor),
                after <= (try await EventRepository.horizon(in: reader)).begun
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

    /// The place of this moment: what was committed before it lies before it. Where commits run side by side it waits for
    /// those that are under way, because none of them may be missed and none that was answered may come again; one that
    /// takes too long is waited for no more, and then some of what was just answered may come again.
    private func now() async throws -> EventPosition {
        let deadline = ContinuousClock.now + Self.nowTime
        let begun = try await horizon().begun
        while true {
            let settled = try await horizon().settled
            if settled >= begun { return begun }
            guard ContinuousClock.now < deadline else { return settled }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func horizon() async throws -> EventRepository.Horizon {
        try await database.read { reader in try await EventRepository.horizon(in: reader) }
    }
}
