import StoreModels
import Synchronization

/// What testers of an app do unless set otherwise, as Catalog says it, kept for a second.
///
/// While Catalog is away the last answer stands; before the first one there are no defaults. Nothing that costs money
/// asks here: a purchase takes the defaults of its own quote.
package final class AppDefaults: Sendable {
    /// How long an answer is used without asking again.
    static let freshFor: Duration = .seconds(1)
    /// For asking; whoever waits has better things to do.
    static let answerTime: Duration = .seconds(1)
    /// Apps kept; when there are more, all go.
    static let appsMax = 1_000

    private struct Entry {
        var defaults: TesterSettings?
        var asked: ContinuousClock.Instant
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant
    private let fetch: @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    ) {
        self.now = now
        self.fetch = fetch
    }

    /// - Parameter deadline: of the caller.
    package func of(_ bundleId: String, until deadline: ContinuousClock.Instant) async -> TesterSettings? {
        let start = now()
        let (known, isFresh) = look(up: bundleId, at: start)
        if isFresh { return known?.defaults }
        // One asks, and whoever comes meanwhile takes what was known.
        let answer = try? await fetch(AppRequest(bundleId: bundleId), min(deadline, start + Self.answerTime))
        let defaults = answer.map(\.testerDefaults) ?? known?.defaults
        keep(Entry(defaults: defaults, asked: now()), for: bundleId)
        return defaults
    }

    /// What is known; when that is old it counts as fresh for the next second, because the caller asks now.
    private func look(up bundleId: String, at start: ContinuousClock.Instant) -> (Entry?, isFresh: Bool) {
        entries.withLock { entries in
            guard let entry = entries[bundleId] else { return (nil, false) }
            if start - entry.asked < Self.freshFor { return (entry, true) }
            entries[bundleId]?.asked = start
            return (entry, false)
        }
    }

    private func keep(_ entry: Entry, for bundleId: String) {
        entries.withLock { entries in
            if entries.count >= Self.appsMax { entries.removeAll() }
            entries[bundleId] = entry
        }
    }
}
