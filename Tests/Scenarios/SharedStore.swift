import Foundation
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Starts one store of real processes for a suite, with promoted products. Each test has an isolated store there:
///
/// ```swift
/// @Suite(.process, .sharedStore) struct PageTests {
///     @Test func `the page has the products`() async throws {
///         try await StoreStack.runIsolated { store in … }
///     }
/// }
/// ```
struct SharedStore: SuiteTrait, TestScoping {
    @TaskLocal static var store: StoreStack?

    /// The operator's page. The yearly subscription is promoted, too, and hidden.
    static let page = [StoreStack.Products.fishing, StoreStack.Products.beaches, StoreStack.Products.pro]

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await StoreStack.run { store in
            let hidden = StoreStack.Products.yearly
            try await store.setUpPromotions(Self.page + [hidden], hidden: [hidden])
            try await Self.$store.withValue(store) { try await function() }
        }
    }
}

extension SuiteTrait where Self == SharedStore {
    static var sharedStore: Self { SharedStore() }
}

extension StoreStack {
    /// Runs `body` against an isolated store of the suite's ``SharedStore``, whose clock does not run.
    static func runIsolated(_ body: (StoreStack) async throws -> Void) async throws {
        guard let shared = SharedStore.store else { throw StackError("mark the suite .sharedStore") }
        let made = try await shared.must(
            .POST, "/admin/v1/stores", .object(["from": .object(["bundleId": .string(app)])])
        ).decoded(as: IsolatedStoreResponse.self)
        guard let number = IsolatedApp.number(ofStore: made.store) else { throw StackError("no store: \(made.store)") }
        let isolated = IsolatedApp(shownBundleId: app, number: number, seed: made.seed)
        do {
            try await body(StoreStack(shared.process, isolated: isolated))
        } catch {
            shared.process.printLogs()
            throw error
        }
    }

    /// Imports a catalogue that has these products only, in the members of a `.storekit` file.
    func importProducts(_ products: [JSONValue]) async throws {
        let file = directory.file("products-\(isolatedName).json")
        let document: JSONValue = .object([
            "version": .object(["major": .integer(4), "minor": .integer(0)]), "identifier": "PRODUCTS",
            "nonRenewingSubscriptions": .array([]), "subscriptionGroups": .array([]), "products": .array(products),
        ])
        try Data(StoreJSON.encode(document)).write(to: URL(fileURLWithPath: file))
        let imported = try await importCatalog(file, bundleId: Self.app)
        guard imported.status == 200 else { throw StackError("import: \(imported.status) \(imported.text)") }
    }
}
