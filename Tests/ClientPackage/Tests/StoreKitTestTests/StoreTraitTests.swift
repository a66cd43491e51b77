import StoreKitTesting
import Testing

/// Goal: a test with the trait has a session and nothing of other tests, also while suites run side by side.
/// Method: the suites below use one store, or move the process between two, and none of them is serialized.
private func buysAlone(_ id: String, times: Int) async throws {
    let session = try SKTestSession.current
    #expect(session.allTransactions().isEmpty)
    #expect(session.storefront == "USA" && session.disableDialogs)
    session.storefront = "FRA"
    let product = try #require(try await Product.products(for: [id]).first)
    for _ in 0..<times {
        guard case .success(.verified(let transaction)) = try await product.purchase() else {
            throw SKTestError(.invalidAction, "not bought")
        }
        await transaction.finish()
    }
    #expect(session.allTransactions().map(\.productIdentifier) == Array(repeating: id, count: times))
}

@Suite(.store("App.storekit")) struct StoreTraitTests {
    private let session: SKTestSession

    init() throws { session = try SKTestSession.current }

    @Test(arguments: 1...3) func `each case begins without transactions, and with the file's settings`(
        times: Int
    ) async throws {
        #expect(try SKTestSession.current === session)
        try await buysAlone("com.example.fishingHotSpots", times: times)
    }

    @Test(.store("Coins")) func `a test's own file takes precedence over its suite's`() async throws {
        try await buysAlone("com.example.coins", times: 1)
    }
}

@Suite(.store("Coins.storekit")) struct OtherStoreTraitTests {
    @Test(arguments: 1...3) func `a suite with another file does not disturb it`(times: Int) async throws {
        try await buysAlone("com.example.coins", times: times)
    }
}

@Suite struct NoStoreTraitTests {
    @Test func `a test without the trait is told so`() {
        let error = #expect(throws: SKTestError.self) { try SKTestSession.current }
        #expect(error?.errorDescription?.contains(".store(\"App.storekit\")") == true)
    }

    @Test(.store("App.storekit")) func `a test can have the trait without its suite`() async throws {
        try await buysAlone("com.example.fishingHotSpots", times: 2)
    }
}
