import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a product is its identifier's bytes (`docs/identifiers.md`): what Unicode calls equal has a price of its own,
/// or none at all.
/// Method: the same word with é as one code point and as two.
@Suite(.serialized) struct IdentifierBytesTests {
    private static let composed = "com.example.caf\u{E9}"
    private static let decomposed = "com.example.cafe\u{301}"

    @Test(arguments: [ProductType.consumable, .nonConsumable], Engine.allCases)
    func `P6, P8: of two spellings of a word each is charged its own price`(_ type: ProductType, _ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.product(Self.composed, type, "0.99"))
            store.catalogue.sell(.product(Self.decomposed, type, "99.99"))
            let alice = try await store.customerApp()
            let cheap = try await alice.add(Self.composed, key: "1").transaction
            let dear = try await alice.add(Self.decomposed, key: "2").transaction
            #expect(cheap.price == .usd("0.99"))
            #expect(dear.price == .usd("99.99"))
            #expect(dear.payment.productIdentifier.isExactly(Self.decomposed))
            #expect(try await store.charges().compactMap(\.amount?.minorUnits).sorted() == [99, 9_999])
        }
    }

    @Test func `P6: with Catalog away too, the last price of one spelling is not the other's`() async throws {
        try await TestStore.with { store in
            store.catalogue.sell(.product(Self.composed, .consumable, "0.99"))
            let alice = try await store.customerApp()
            _ = try await alice.add(Self.composed, key: "1")
            await store.stopCatalogue()
            let refused = try await refusal { try await alice.add(Self.decomposed, key: "2") }
            #expect(refused?.code == .serviceUnavailable)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test func `M37: a spelling the catalogue does not have is failed with 3, right after the other was bought`()
        async throws
    {
        try await TestStore.with { store in
            store.catalogue.sell(.product(Self.composed, .nonConsumable, "0.99"))
            let alice = try await store.customerApp()
            _ = try await alice.add(Self.composed, key: "1")
            let unknown = try await alice.add(Self.decomposed, key: "2").transaction
            #expect(unknown.transactionState == .failed)
            #expect(unknown.error?.code == 3)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test func `S1: subscriptions of two spellings renew at their own prices, side by side`() async throws {
        try await TestStore.with { store in
            store.catalogue.sell(.subscription(Self.composed, "0.99", group: "caf\u{E9}"), level: 1)
            store.catalogue.sell(.subscription(Self.decomposed, "99.99", group: "cafe\u{301}"), level: 1)
            try await store.putClock("2027-01-10", frozen: true)
            let alice = try await store.customerApp()
            _ = try await alice.subscribe(Self.composed, key: "1")
            _ = try await alice.subscribe(Self.decomposed, key: "2")
            try await store.jump(to: "2027-02-11")
            #expect(try await store.renewals().compactMap(\.amount?.minorUnits).sorted() == [99, 9_999])
            #expect(try await alice.subscriptions().count == 2)
        }
    }

    @Test func `a quote of another product than was asked about is refused`() async throws {
        let quotes = QuoteCache { _, _ throws(StoreError) in
            Quote(
                catalogVersion: 1, settingsRevision: 1, availability: .available,
                product: .product(Self.composed, .consumable, "0.99"))
        }
        let request = QuoteRequest(
            bundleId: Catalogue.bundleId, productIdentifier: Self.decomposed, storefront: "USA")
        let refused = try await refusal { try await quotes.quote(request, until: .now + .seconds(5)) }
        #expect(refused?.code == .internal)
    }

    @Test func `accounts and devices of two spellings are two`() async throws {
        try await TestStore.with { store in
            let composed = try await store.customerApp("ren\u{E9}", device: "ren\u{E9}-1")
            let decomposed = try await store.customerApp("rene\u{301}", device: "rene\u{301}-1")
            #expect(composed.customer != decomposed.customer)
            let failed = try await composed.add("nothing", key: "k").transaction
            #expect(try await composed.snapshot().transactions.map(\.id) == [failed.id])
            let elsewhere = composed.on(device: decomposed.device)
            #expect(try await elsewhere.snapshot().transactions.isEmpty, "a failed purchase is its device's alone")
        }
    }
}
