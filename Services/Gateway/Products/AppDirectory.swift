import BusService
import EventLoop
import StoreModels

/// Which apps exist and what their testers do by default, as far as sessions need to know: a session for a misspelt
/// bundle identifier would be a session with nothing in it.
final class AppDirectory: Sendable {
    /// How many apps are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 10_000
    /// How long an answer is as good as a new one. What this gateway changes itself it forgets at once.
    static let freshFor = Duration.seconds(1)

    private struct Entry {
        var testerDefaults: TesterSettings?
        var freshUntil: ContinuousClock.Instant
    }

    private let services: ServiceCaller
    private let known = Locked<[String: Entry]>([:])

    init(services: ServiceCaller) {
        self.services = services
    }

    /// - Throws: as ``testerDefaults(of:_:)``.
    func check(_ bundleId: String, _ call: Call) async throws(StoreError) {
        _ = try await testerDefaults(of: bundleId, call)
    }

    /// - Returns: What the `settings` of the app's catalogue say; nil when they say nothing.
    /// - Throws: `notFound` when Catalog says so. With Catalog away an app it has not seen yet is let through: nothing
    ///   can be bought in it until Catalog is back.
    func testerDefaults(of bundleId: String, _ call: Call) async throws(StoreError) -> TesterSettings? {
        let entry = known.withLock { $0[bundleId] }
        if let entry, entry.freshUntil > .now { return entry.testerDefaults }
        do {
            let app = try await services.call(
                CatalogEndpoints.getApp, AppRequest(bundleId: bundleId),
                context: call.context(deadline: call.optionalDeadline))
            remember(app)
            return app.testerDefaults
        } catch  where error.meansAway {
            return entry?.testerDefaults
        } catch  where error.code == .notFound {
            throw StoreError(.notFound, "there is no app \(bundleId); import a catalogue for it first")
        }
    }

    /// The app was changed: the next question goes to Catalog.
    func forget(_ bundleId: String) {
        known.withLock { $0[bundleId]?.freshUntil = .now }
    }

    private func remember(_ app: App) {
        known.withLock { known in
            if known.count >= Self.rememberedMax, known[app.bundleId] == nil { known.removeAll() }
            known[app.bundleId] = Entry(testerDefaults: app.testerDefaults, freshUntil: .now + Self.freshFor)
        }
    }
}
