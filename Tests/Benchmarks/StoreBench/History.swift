import StoreModels

/// One account with a long history: so many purchases of a product, each finished.
struct History: Sendable {
    let store: StoreClient
    let account: String
    let product: String

    /// - Returns: `{"customer":"…","count":…,"seconds":…}`
    func run(transactions: Int, callers: Int) async throws -> String {
        let customer = try await store.open(account)
        let seconds = try await Crew.run(transactions, callers: callers, on: store.loop) { number in
            let bought = try await store.buy(product, for: customer, key: "\(account)-\(product)-\(number)")
            try await store.finish(bought.id, of: customer)
        }
        return "{\"customer\":\"\(customer)\",\"count\":\(transactions),\"seconds\":\(seconds)}"
    }
}
