import BusService
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a page of the store learns in one answer what a customer has now, by the app's own clock.
@Suite(.serialized) struct StorePageCustomerTests {
    @Test(arguments: Engine.allCases)
    func `what is owned permanently and what is subscribed to is listed, nothing else`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == [])
            for product in ["beaches", "guide", "coins", "season", "pro.monthly"] {
                try await alice.finish(try await alice.add(product, key: product).transaction.id)
            }
            try await store.set("alice", TesterSettings(signIn: .fails))
            _ = try await alice.add("news.weekly", key: "failed")
            let storePageCustomer = try await alice.storePageCustomer()
            #expect(Set(storePageCustomer.ownedProductIdentifiers) == ["beaches", "guide", "pro.monthly"])
            #expect(storePageCustomer.ownedProductIdentifiers.count == 3)
            #expect(storePageCustomer.storefront == "USA")
            #expect(storePageCustomer.businessNow == store.now)
            #expect(storePageCustomer.isTruncated == nil)
            #expect(storePageCustomer.owns("beaches") == true)
            #expect(storePageCustomer.owns("coins") == false)
            let bob = try await store.customerApp("bob")
            #expect(try await bob.storePageCustomer().ownedProductIdentifiers == [])
            let stranger = StorePageCustomerRequest(bundleId: Catalogue.bundleId, customerIdentifier: "c_stranger")
            let unknown = try await store.caller.call(
                PaymentEndpoints.storePageCustomers, StorePageCustomersRequest(customers: [stranger])
            ).standings
            #expect(unknown == [nil])
        }
    }

    @Test(arguments: Engine.allCases)
    func `several customers are answered as each alone, in their order`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await [
                store.customerApp(), store.customerApp().named("unknown"), store.customerApp("bob"),
                store.customerApp("carol"),
            ]
            _ = try await customerApps[0].add("beaches", key: "1")
            _ = try await customerApps[2].add("pro.monthly", key: "1")
            let questions = customerApps.map {
                StorePageCustomerRequest(bundleId: Catalogue.bundleId, customerIdentifier: $0.customer)
            }
            let together = try await store.caller.call(
                PaymentEndpoints.storePageCustomers, StorePageCustomersRequest(customers: questions)
            ).standings
            #expect(together.map { $0?.ownedProductIdentifiers } == [["beaches"], nil, ["pro.monthly"], []])
            for (storePageCustomer, customerApp) in zip(together, customerApps) where storePageCustomer != nil {
                let alone = try await customerApp.storePageCustomer()
                #expect(storePageCustomer?.ownedProductIdentifiers == alone.ownedProductIdentifiers)
                #expect(storePageCustomer?.storefront == alone.storefront)
            }
            let tooMany = StorePageCustomersRequest(customers: Array(repeating: questions[0], count: 33))
            let error = try await refusal { try await store.caller.call(PaymentEndpoints.storePageCustomers, tooMany) }
            #expect(error?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what was refunded or revoked is not owned, and buying again gives it back`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let beaches = try await alice.add("beaches", key: "1").transaction
            let monthly = try await alice.add("pro.monthly", key: "2").transaction
            try await store.refund(beaches.id)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["pro.monthly"])
            try await store.revoke(monthly.id)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == [])
            _ = try await alice.add("beaches", key: "3")
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["beaches"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a subscription is owned until it ends by the app's clock`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-01-31")
            let original = try await alice.subscribe("basic.monthly")
            try await store.jump(to: "2027-03-15")
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["basic.monthly"])
            try await alice.update(original, renews: false)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["basic.monthly"])
            try await store.jump(to: "2027-04-15")
            let storePageCustomer = try await alice.storePageCustomer()
            #expect(storePageCustomer.ownedProductIdentifiers == [])
            #expect(storePageCustomer.businessNow >= TestStore.instant("2027-04-15"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `in grace a subscription is owned, in billing retry it is not, and when it is paid it is again`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.set(billingGracePeriod: true)
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            let original = try await alice.subscribe("basic.monthly")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-04-10")
            #expect(try await alice.subscription().state == .inGracePeriod)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["basic.monthly"])
            try await store.jump(to: "2027-04-17")
            #expect(try await alice.subscription().state == .inBillingRetryPeriod)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == [])
            store.processor.set(outcome: .approved)
            try await store.operate(original, .resolveBilling)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["basic.monthly"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the list of a customer who owns more than one message can name is marked as truncated`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            _ = try await alice.add("pro.monthly", key: "2")
            _ = try await store.database.write { transaction in
                try await transaction.execute(
                    """
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)
                    INSERT INTO owned_product (bundle_id, customer_identifier, product_identifier, transaction_id,
                        transaction_identifier)
                    SELECT bundle_id, customer_identifier, 'another.' || CAST(n AS TEXT), transaction_id, '1'
                    FROM owned_product, numbers WHERE transaction_id = ?
                    """, bought.id)
            }
            let storePageCustomer = try await alice.storePageCustomer()
            #expect(storePageCustomer.isTruncated == true)
            // What changes most is never cut away.
            #expect(storePageCustomer.ownedProductIdentifiers.first == "pro.monthly")
            #expect(storePageCustomer.ownedProductIdentifiers.count == 5_000)
            #expect(storePageCustomer.owns("another.1") == true)
            #expect(storePageCustomer.owns("coins") == nil)
        }
    }
}

extension CustomerApp {
    func storePageCustomer() async throws -> StorePageCustomer {
        let request = StorePageCustomerRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer)
        let standing = try await store.caller.call(
            PaymentEndpoints.storePageCustomers, StorePageCustomersRequest(customers: [request])
        ).standings[0]
        return try #require(standing)
    }
}
