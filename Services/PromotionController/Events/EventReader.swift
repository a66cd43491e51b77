import BusService
import Persistence
import StoreModels

/// `events.list`: what happened to intents, for whoever waits for something to happen.
struct EventReader: Sendable {
    static let pageMax = 100
    /// How long "now" waits for commits that are under way.
    static let nowTime: Duration = .seconds(1)

    let database: any SQLDatabase

    /// One call looks at a bounded number of events; `after` of the reply grows as long as there are more, whether they
    /// matched or not. Without `after` nothing yet, only where "now" is.
    /// - Throws: `requestInvalid`, also for an `after` that is none, or lies ahead of this store.
    func list(_ request: IntentEventsRequest) async throws -> IntentEventsReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard let cursor = request.after else {
            return IntentEventsReply(events: [], after: Identifiers.event(try await now()))
        }
        return try await database.read { reader in
            guard let after = Identifiers.eventPosition(cursor),
                after <= (try await EventRepository.horizon(in: reader)).begun
            else { throw DeviceRules.invalid("$.after", "is no position among this store's events") }
            let found = try await EventRepository.events(request, after: after, in: reader)
            guard let end = found.end else { return IntentEventsReply(events: [], after: cursor) }
            let page = try ReplyBudget.fitting(found.events.map(\.event))
            // A full page may have left matches behind it.
            let isCut = page.count == request.limit || page.count < found.events.count
            let last = isCut && !page.isEmpty ? found.events[page.count - 1].position : end
            return IntentEventsReply(events: page, after: Identifiers.event(last))
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
        try await database.read { try await EventRepository.horizon(in: $0) }
    }
}
