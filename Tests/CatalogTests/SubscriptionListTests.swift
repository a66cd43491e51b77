import StoreModels
import Testing

@testable import Catalog

/// What Eligibility asks for: every subscription with its group, page by page.
@Suite struct SubscriptionListTests {
    private func list(
        _ store: CatalogStore, after: String? = nil, limit: Int = 500, bundleId: String = CatalogFixture.bundleId
    ) throws -> SubscriptionProductsPage {
        try store.products.subscriptions(
            SubscriptionProductsRequest(bundleId: bundleId, storefront: "USA", after: after, limit: limit))
    }

    @Test func `subscriptions come in the catalogue's order, for sale or not, and nothing else does`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(
                    products: [FileBuilder.product("coins")],
                    subscriptions: [
                        FileBuilder.subscription("b"), FileBuilder.subscription("a", ["clearedForSale": false]),
                    ]))
            let page = try list(store)
            #expect(page.subscriptions.map(\.productIdentifier) == ["b", "a"])
            #expect(page.subscriptions.map(\.subscriptionGroupIdentifier) == ["G", "G"])
            #expect(page.subscriptions.map(\.isAvailable) == [true, false])
            #expect(page.after == nil)
            #expect(page.catalogVersion == 1)
            #expect(try list(store, bundleId: "com.example.none").subscriptions.isEmpty)
        }
    }

    @Test func `pages meet, and none is too large for the bus`() async throws {
        try await withCatalog { store async throws in
            // Quotes are twice as long in JSON.
            let names = (0..<1_200).map { String(repeating: "\"", count: 95) + "\($0)" }
            try await store.importFile(FileBuilder.file(subscriptions: names.map { FileBuilder.subscription($0) }))
            for limit in [1, 7, 500] {
                var found: [String] = []
                var after: String?
                repeat {
                    let page = try list(store, after: after, limit: limit)
                    #expect(try StoreJSON.encode(page).count < 512 * 1024)
                    #expect(page.subscriptions.count <= limit)
                    found += page.subscriptions.map(\.productIdentifier)
                    after = page.after
                } while after != nil
                #expect(found == names)
            }
        }
    }
}
