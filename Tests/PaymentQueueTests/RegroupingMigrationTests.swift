import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what a store has sold before it kept offers by product counts as if it had been kept so.
@Suite(.serialized) struct RegroupingMigrationTests {
    /// Alice's product `p`: a trial in the group A, and another one in A2, which an earlier version let her have.
    private static let contents = [
        """
        INSERT INTO app_clock (bundle_id, epoch, anchor_wall, anchor_business, rate_millionths)
        VALUES ('com.example.app', 1, 1795000000000, 1795000000000, 1000000)
        """,
        """
        INSERT INTO customer (bundle_id, customer_identifier, account, storefront, head_seq, created_at)
        VALUES ('com.example.app', 'c_1', 'alice', 'USA', 2, 1795000000000)
        """,
        transaction(1), transaction(2), subscription(1, "A"), subscription(2, "A2"), claim(1, "A"), claim(2, "A2"),
    ]

    private static func transaction(_ number: Int) -> String {
        let terms = """
            {"productType":"autoRenewable","amount":{"amount":"0.00","currency":"USD"},"catalogVersion":1}
            """
        let body = """
            {"id":"t_\(number)","transactionIdentifier":"\(number)","transactionState":"purchased",\
            "transactionDate":"2026-11-18T10:00:00.000Z","payment":{"requestIdentifier":"\(number)",\
            "productIdentifier":"p","quantity":1,"simulatesAskToBuyInSandbox":false},"original":null,\
            "originalTransactionIdentifier":null,"error":null,"downloads":[],"revision":2,"deliveries":0,\
            "originDeviceId":"phone","isTrialPeriod":true}
            """
        return """
            INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, state, phase, is_finished,
                revision, product_identifier, origin_device_id, transaction_number, terms, body)
            VALUES ('t_\(number)', 'com.example.app', 'c_1', \(number), 'purchased', 'settled', 1, 2, 'p', 'phone',
                \(number), '\(terms)', '\(body)')
            """
    }

    private static func subscription(_ number: Int, _ group: String) -> String {
        """
        INSERT INTO subscription (bundle_id, customer_identifier, subscription_group, original_id, original_identifier,
            revision, state, product_identifier, level, length, period_index, period_start, active_until, active_id,
            active_transaction, anchor, anchor_count, will_auto_renew, renew_product)
        VALUES ('com.example.app', 'c_1', '\(group)', 't_\(number)', '\(number)', 1, 'expired', 'p', 1, 'P1M', 0,
            1794000000000, 1794600000000, 't_\(number)', '\(number)', 1794000000000, 0, 0, 'p')
        """
    }

    private static func claim(_ number: Int, _ group: String) -> String {
        """
        INSERT INTO offer_claim (bundle_id, customer_identifier, subscription_group, transaction_id, state,
            transaction_identifier)
        VALUES ('com.example.app', 'c_1', '\(group)', 't_\(number)', 'consumed', '\(number)')
        """
    }

    @Test(arguments: Engine.allCases)
    func `M119: offers and subscriptions of an earlier store count by their products too`(_ engine: Engine) async throws
    {
        try await TestStore.with(
            engine,
            prepare: { files in
                let earlier = PaymentQueueSchema.migrations.filter { $0.number <= 10 }
                let database = try await files.open(migrations: earlier)
                try await database.write { transaction in
                    for statement in Self.contents { try await transaction.execute(statement) }
                }
                await database.close()
            },
            { store in
                let alice = try await store.shopper()
                let summary = try await alice.offerSummary()
                #expect(summary.history.offers.map(\.productIdentifier) == ["p", "p"])
                #expect(summary.history.offers.allSatisfy { Set($0.groups) == ["A", "A2"] })
                #expect(summary.history.subscriptions.map(\.groups) == [["A"], ["A2"]])
                store.catalogue.sell(
                    .subscription("p", group: "A3", intro: .discount(.freeTrial, "0.00", 1, .week)), level: 1)
                let bought = try await alice.add("p", key: "again").transaction
                #expect(bought.price == .usd("9.99"))
                #expect(bought.originalTransactionIdentifier == "2")
            })
    }
}
