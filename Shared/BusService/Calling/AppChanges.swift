import BusClient
import ServiceLifecycle
import StoreModels

/// Listens to Catalog's word of changed apps, for a service that keeps answers for when Catalog is away.
package struct AppChanges: ServiceLifecycle.Service {
    private let bus: any BusClient
    private let forget: @Sendable (_ bundleId: String?) -> Void

    /// - Parameter forget: Gets the app; nil when any may have changed, because events may have been missed.
    package init(bus: any BusClient, forget: @escaping @Sendable (_ bundleId: String?) -> Void) {
        self.bus = bus
        self.forget = forget
    }

    /// Listens until graceful shutdown, or until the task is cancelled.
    package func run() async {
        await cancelWhenGracefulShutdown {
            let subscription = try? await bus.subscribe(CatalogEvents.appChanged) { [forget] message in
                forget((try? StoreJSON.decode(AppChanged.self, from: message.body))?.bundleId)
            }
            forget(nil)
            for await state in bus.states where state == .connected { forget(nil) }
            await subscription?.unsubscribe()
        }
    }
}
