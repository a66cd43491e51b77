import BusClient
import ServiceLifecycle
import StoreModels

/// Notifies a service that caches Catalog's answers when an app has changed. The service uses the cache when Catalog is
/// away.
package struct AppChanges: ServiceLifecycle.Service {
    private let bus: any BusClient
    private let forget: @Sendable (_ bundleId: String?) -> Void

    /// Creates the listener, which subscribes in ``run()``.
    ///
    /// - Parameter forget: Gets the app. Nil when any may have changed, because events may have been missed.
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
