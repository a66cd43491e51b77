import BusService
import StoreModels
import Synchronization

/// Which apps exist, as far as sessions need to know: a session for a misspelt bundle identifier would be a session
/// with nothing in it.
final class AppDirectory: Sendable {
    /// How many apps are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 10_000

    private let services: ServiceCaller
    private let known = Mutex<Set<String>>([])

    init(services: ServiceCaller) {
        self.services = services
    }

    /// - Throws: `notFound` when Catalog says so. With Catalog away an app it has not seen yet is let through: nothing
    ///   can be bought in it until Catalog is back.
    func check(_ bundleId: String, _ call: Call) async throws(StoreError) {
        if known.withLock({ $0.contains(bundleId) }) { return }
        do {
            _ = try await services.call(
                CatalogEndpoints.getApp, AppRequest(bundleId: bundleId),
                context: call.context(deadline: call.optionalDeadline))
        } catch  where error.meansAway {
            return
        } catch  where error.code == .notFound {
            throw StoreError(.notFound, "there is no app \(bundleId); import a catalogue for it first")
        }
        known.withLock { known in
            if known.count >= Self.rememberedMax { known.removeAll() }
            known.insert(bundleId)
        }
    }
}
