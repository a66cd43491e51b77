import Guides
import Observation
import StoreKitTesting
import Testing

let (beaches, spots) = ("com.example.hiddenBeaches", "com.example.fishingHotSpots")
let (monthly, yearly) = ("com.example.pro.monthly", "com.example.pro.yearly")

/// Launches the app.
@MainActor func launch(dayMaps file: URL? = nil, signature: Store.OfferSignature? = nil) async throws -> Store {
    let store = Store(dayMaps: file, signature: signature)
    try await store.load()
    return store
}

extension Store {
    func product(_ id: Product.ID) throws -> Product { try #require(products.first { $0.id == id }) }

    /// Waits until the app's listeners have received what a test has caused. The time limit of the suite ends it.
    func waits(until condition: @escaping @MainActor @Sendable (Store) -> Bool) async {
        for await isMet in Observations({ condition(self) }) where isMet { return }
    }
}

extension Duration {
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
