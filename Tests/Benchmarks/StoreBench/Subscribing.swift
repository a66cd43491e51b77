import StoreModels

/// Opens accounts that subscribe to a product, through the calls of any purchase.
struct Subscribing: Sendable {
    let store: StoreClient
    let product: String
    let accounts: Int

    /// - Returns: `{"count":…,"seconds":…}`
    func run(callers: Int) async throws -> String {
        let seconds = try await Crew.run(accounts, callers: callers, on: store.loop) { number in
            let customer = try await store.open("subscriber\(number)")
            _ = try await store.buy(product, for: customer, key: "subscribe-\(number)")
        }
        return "{\"count\":\(accounts),\"seconds\":\(seconds)}"
    }
}
