import BusService
import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what is asked often has an index.
@Suite struct IndexTests {
    @Test func `who waits for a product is found without looking through what is unfinished`() async throws {
        let plan = try await plan(EntitlementRepository.waitingSQL, "app", "customer", "product")
        #expect(
            plan.contains("USING COVERING INDEX payment_transaction_waiting")
                || plan.contains("USING INDEX payment_transaction_waiting"))
    }

    @Test func `the payment of a key, and of an intent, is found by its index`() async throws {
        let plans = [
            (try await plan(PaymentRepository.keySQL, "app", "customer", "key"), "payment_transaction_key"),
            (try await plan(PaymentRepository.intentSQL, "app", "intent"), "payment_transaction_intent"),
        ]
        for (plan, index) in plans { #expect(plan.hasPrefix("SEARCH") && plan.contains(index), "\(plan)") }
    }

    @Test(arguments: [ModifiedTransactionsRequest.Order.changes, .refunds], [false, true])
    func `a page of changes is read in their order`(order: ModifiedTransactionsRequest.Order, isDescending: Bool)
        async throws
    {
        let sql = TransactionRepository.modifiedSQL(by: order, isDescending: isDescending)
        let plan = try await plan(sql, "app", "customer", 1, 20)
        #expect(plan.hasPrefix("SEARCH") && !plan.contains("B-TREE"), "\(plan)")
    }

    @Test func `the last number of a customer is read from an index alone`() async throws {
        let plan = try await plan(RestoreRepository.lastSQL, "app", "customer")
        #expect(plan.contains("USING COVERING INDEX payment_transaction_history "), "\(plan)")
    }

    @Test func `last events and waiting refund requests are found without looking through all`() async throws {
        let plans = [
            (try await plan(EventRepository.lastOfAppSQL(.sqlite), "app", 1), "journal_app"),
            (
                try await plan(EventRepository.lastOfCustomerSQL(.sqlite), "app", "customer", 1),
                "sqlite_autoindex_journal"
            ),
            (try await plan(EventRepository.nextAppSQL, "app"), "journal_app"),
            (try await plan(FamilyRepository.namesSQL, "app", "smith", 1), "family_person_family"),
            (try await plan(OfferCodeRepository.listSQL, "app", "o_", 1), "offer_code_app"),
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
