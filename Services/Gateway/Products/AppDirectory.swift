import BusService
import EventLoop
import StoreModels

/// Which apps exist, what their testers do by default and which keys their catalogues bring: a session for a misspelt
/// bundle identifier would be a session with nothing in it.
final class AppDirectory: Sendable {
    /// How many apps are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 10_000
    /// How long an answer is as good as a new one, counted from when it was asked for. What this gateway changes itself it forgets at once.
    static let freshFor = Duration.seconds(1)

    private struct Entry {
        var app: App
        var freshUntil: ContinuousClock.Instant
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Grows with everything forgotten, so that an answer that was under way meanwhile does not count as fresh.
        var generation = 0
    }

    private let services: ServiceCaller
    private let state = Locked(State())

    init(services: ServiceCaller) {
        self.services = services
    }

    /// - Throws: as ``app(_:_:)``. With Catalog away an app it has not seen yet is let through: nothing can be bought in
    ///   it until Catalog is back.
    func check(_ bundleId: String, _ call: Call) async throws(StoreError) {
        _ = try await app(bundleId, call)
    }

    /// - Returns: What the `settings` of the app's catalogue say; nil when they say nothing.
    /// - Throws: as ``check(_:_:)``.
    func testerDefaults(of bundleId: String, _ call: Call) async throws(StoreError) -> TesterSettings? {
        try await app(bundleId, call)?.testerDefaults
    }

    /// The app as it was a second ago at most; with Catalog away as it last was, and nil when it was never seen.
    /// - Throws: `notFound` when Catalog says so.
    func app(_ bundleId: String, _ call: Call) async throws(StoreError) -> App? {
        let (entry, generation) = state.withLock { ($0.entries[bundleId], $0.generation) }
        let freshUntil = ContinuousClock.now + Self.freshFor
        if let entry, entry.freshUntil > .now { return entry.app }
        do {
            let app = try await services.call(
                CatalogEndpoints.getApp, AppRequest(bundleId: bundleId),
                context: call.context(deadline: call.optionalDeadline))
            remember(Entry(app: app, freshUntil: freshUntil), since: generation)
            return app
        } catch  where error.meansAway {
            return entry?.app
        } catch  where error.code == .notFound {
            throw StoreError(.notFound, "there is no app \(bundleId); import a catalogue for it first")
        }
    }

    /// The app was changed: the next question goes to Catalog.
    func forget(_ bundleId: String) {
        state.withLock { state in
            state.generation += 1
            state.entries[bundleId]?.freshUntil = .now
        }
    }

    private func remember(_ entry: Entry, since generation: Int) {
        state.withLock { state in
            let bundleId = entry.app.bundleId
            if state.entries.count >= Self.rememberedMax, state.entries[bundleId] == nil { state.entries.removeAll() }
            var entry = entry
            if state.generation != generation { entry.freshUntil = .now }
            state.entries[bundleId] = entry
        }
    }
}
