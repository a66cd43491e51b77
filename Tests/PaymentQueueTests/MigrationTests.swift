import BusService
import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a database of an earlier schema opens, keeps what it holds and does what is new.
@Suite(.serialized) struct MigrationTests {
    /// What the first version left behind: an account, an unfinished purchase, and one whose outcome is unknown.
    private static let contents = [
        """
        INSERT INTO app_clock (bundle_id, epoch, anchor_wall, anchor_business, rate_millionths)
        VALUES ('com.example.app', 1, 1795000000000, 1795000000000, 1000000)
        """,
        """
        INSERT INTO customer (bundle_id, customer_identifier, account, storefront, can_make_payments, head_seq, created_at)
        VALUES ('com.example.app', 'c_1', 'alice', 'FRA', 1, 3, 1795000000000)
        """,
        transaction("t_1", seq: 1, state: "purchased", phase: "settled", number: 2_000_000_000_000_001),
        transaction("t_2", seq: 3, state: "purchasing", phase: "charging", number: nil),
        "UPDATE counter SET value = 2000000000000001 WHERE name = 'transaction'",
        payment("t_1", "1"), payment("t_2", "2"), journal("t_1", 1), journal("t_1", 2), journal("t_2", 3),
    ]

    private static func body(_ id: String, _ state: String, _ number: Int64?) -> String {
        """
        {"id":"\(id)","transactionIdentifier":\(number.map { "\"\($0)\"" } ?? "null"),"transactionState":"\(state)",\
        "transactionDate":null,"payment":{"requestIdentifier":"\(id.suffix(1))","productIdentifier":"coins",\
        "quantity":1,"simulatesAskToBuyInSandbox":false},"original":null,"originalTransactionIdentifier":null,\
        "error":null,"downloads":[],"revision":1,"deliveries":0,"originDeviceId":"phone"}
        """
    }

    private static func transaction(
        _ id: String, seq: Int, state: String, phase: String, number: Int64?
    ) -> String {
        let terms = #"{"productType":"consumable","amount":{"amount":"0.99","currency":"USD"},"catalogVersion":1}"#
        return """
            INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, state, phase, revision,
                product_identifier, origin_device_id, transaction_number, terms, body)
            VALUES ('\(id)', 'com.example.app', 'c_1', \(seq), '\(state)', '\(phase)', 1, 'coins', 'phone',
                \(number.map { "\($0)" } ?? "NULL"), '\(terms)', '\(body(id, state, number))')
            """
    }

    private static func payment(_ id: String, _ key: String) -> String {
        """
        INSERT INTO payment (bundle_id, customer_identifier, request_key, fingerprint, transaction_id, created_at)
        VALUES ('com.example.app', 'c_1', '\(key)', 'f', '\(id)', 1795000000000)
        """
    }

    private static func journal(_ id: String, _ seq: Int) -> String {
        """
        INSERT INTO journal (bundle_id, customer_identifier, seq, transaction_id, revision, kind, body, written_at)
        VALUES ('com.example.app', 'c_1', \(seq), '\(id)', 1, 'updated', '\(body(id, "purchasing", nil))', 1795000000000)
        """
    }

    @Test func `a database of schema 1 goes on where it was, and knows testers, prompts and events`() async throws {
        try await TestStore.with(
            prepare: { files in
                let database = try await files.open(migrations: Array(PaymentQueueSchema.migrations.prefix(1)))
                try await database.write { transaction in
                    for statement in Self.contents { try await transaction.execute(statement) }
                }
                await database.close()
            },
            { store in
                let alice = try await store.shopper()
                #expect(alice.customer == "c_1")
                #expect(try await alice.account().storefront == "FRA")
                // Rows from before are in the journal and are no events.
                let start = try await store.events(after: nil)
                #expect(try await alice.changes().changes.map(\.seq) == [1, 2, 3])
                try await store.settle()
                #expect(try await store.charges().map(\.chargeKey) == ["purchase:t_2"])
                #expect(try await alice.snapshot().transactions.map(\.id) == ["t_1", "t_2"])
                #expect(try await store.events(after: start.after).events.map(\.type) == [.purchased])
                try await store.set("alice", TesterSettings(sheet: .interactive))
                #expect(try await alice.add("coins", key: "3").status == 202)
                #expect(try await store.prompts().prompts.count == 1)
                #expect(try await store.clear("alice") == 3)
            })
    }

    /// A store of schema 10: an order of two periods whose first transaction was deleted, the renewal refunded since,
    /// and a purchase beside it whose client chose a key like a renewal's.
    private static let orphans = [
        """
        INSERT INTO app_clock (bundle_id, epoch, anchor_wall, anchor_business, rate_millionths)
        VALUES ('com.example.app', 1, 1795000000000, 1795000000000, 1000000)
        """,
        """
        INSERT INTO customer (bundle_id, customer_identifier, account, storefront, head_seq, created_at)
        VALUES ('com.example.app', 'c_1', 'alice', 'USA', 9, 1795000000000)
        """,
        orphan("t_renewal", seq: 3, number: 2_000_000_000_000_002, key: "renew:2000000000000001:1"),
        orphan("t_coins", seq: 4, number: 2_000_000_000_000_003, key: "renew:mine"),
        payment("t_coins", "renew:mine"),
        """
        INSERT INTO refund (refund_key, bundle_id, customer_identifier, charge_key, transaction_id, amount_minor,
            currency, created_at)
        VALUES ('refund:t_renewal', 'com.example.app', 'c_1', 'purchase:t_renewal', 't_renewal', 99, 'USD', 1795000000000)
        """,
    ]

    private static func orphan(_ id: String, seq: Int, number: Int64, key: String) -> String {
        transaction(id, seq: seq, state: "purchased", phase: "settled", number: number)
            .replacing(#""requestIdentifier":"\#(id.suffix(1))""#, with: #""requestIdentifier":"\#(key)""#)
            .replacing(#""revision":1"#, with: #""price":{"amount":"0.99","currency":"USD"},"revision":1"#)
    }

    @Test(arguments: Engine.allCases)
    func `P2: what was refunded under a wrong key before the keys were stored reaches the ledger`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(
            engine,
            prepare: { files in
                let database = try await files.open(migrations: Array(PaymentQueueSchema.migrations.prefix(10)))
                try await database.write { transaction in
                    for statement in Self.orphans { try await transaction.execute(statement) }
                }
                await database.close()
            },
            { store in
                for key in ["renew:2000000000000001:1", "purchase:t_coins"] {
                    _ = try await store.caller.call(
                        ProcessorEndpoints.createCharge,
                        CreateChargeRequest(
                            chargeKey: key, amount: .usd("0.99"), bundleId: Catalogue.bundleId,
                            customerIdentifier: "c_1", productIdentifier: "coins"))
                }
                let alice = try await store.shopper()
                #expect(try await alice.history().transactions.map(\.id) == ["t_renewal", "t_coins"])
                _ = try await store.refund("t_coins")
                try await store.settleRefunds()
                #expect(
                    try await store.refunds().map(\.chargeKey).sorted() == [
                        "purchase:t_coins", "renew:2000000000000001:1",
                    ])
                // What is bought now is behind what was there.
                let gift = try await alice.add("gift", key: "gift").transaction
                #expect(try await alice.history(after: "t_coins").transactions.map(\.id) == [gift.id])
            })
    }

    @Test func `who waits for a product is found without looking through what is unfinished`() async throws {
        let plan = try await plan(EntitlementRepository.waitingSQL, "app", "customer", "product")
        #expect(
            plan.contains("USING COVERING INDEX payment_transaction_waiting")
                || plan.contains("USING INDEX payment_transaction_waiting"))
    }

    @Test func `last events and waiting refund requests are found without looking through all`() async throws {
        let plans = [
            (try await plan(EventRepository.lastOfAppSQL(.sqlite), "app", 1), "journal_app"),
            (
                try await plan(EventRepository.lastOfCustomerSQL(.sqlite), "app", "customer", 1),
                "sqlite_autoindex_journal"
            ),
            (try await plan(EventRepository.nextAppSQL, "app"), "journal_app"),
            (try await plan(RefundRequestRepository.openSQL, "app", "q_", 1), "refund_request_waiting"),
        ]
        for (plan, index) in plans {
            #expect(plan.hasPrefix("SEARCH") && plan.contains(index) && !plan.contains("B-TREE"), "\(plan)")
        }
    }

    /// The only step of a statement's plan.
    private func plan(_ sql: String, _ arguments: any SQLValueConvertible...) async throws -> String {
        let directory = try TemporaryDirectory()
        let database = try SQLiteDatabase.open(
            path: directory.file("queue.sqlite"), holder: "test", migrations: PaymentQueueSchema.migrations,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let steps = try await database.read { reader in
            try await reader.query("EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
                .map { try $0["detail"] as String }
        }
        await database.close()
        #expect(steps.count == 1)
        return steps.joined(separator: "; ")
    }
}
