import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: whatever batches ask for, customers are in the database as a simple model of the rules says (P1 to P7, M52).
/// Method: a seeded run of random batches over a few customers, one of them of an isolated store. The processor is the
/// test's.
@Suite(.serialized, .slow) struct BatchRunTests {
    private struct Shopper {
        let id: CustomerReference
        let storefront: String
        var model = PurchaseModel()
        var written: [StoredTransaction] = []
    }

    private static let limit = 6

    @Test(arguments: 0..<3, Engine.allCases)
    func `P1 to P7, M52: any batches leave each customer as the model says`(
        _ round: Int, _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded("batches \(round)")
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.product("coins", .consumable, "0.99"), unfinishedLimit: Self.limit)
            let batches = try ComposedBatches(store)
            var shoppers = try await accounts(in: store)
            var authorized = 0
            for _ in 0..<16 {
                let places = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    Int.random(in: shoppers.indices, using: &random)
                }
                let orders = places.map { order(of: shoppers[$0], batches, &random) }
                let results = try await batches.buy(orders)
                for (place, (order, result)) in zip(places, zip(orders, results)) {
                    check(order, result, of: &shoppers[place])
                    if order.answer == .authorized { authorized += 1 }
                }
                try await finishSome(of: &shoppers, in: store, &random)
            }
            for shopper in shoppers { try await check(shopper, in: store) }
            let written = shoppers.flatMap(\.written)
            let purchased = written.filter { $0.transaction.transactionState == .purchased }
            #expect(try await batches.count("payment_transaction") == written.count)
            #expect(try await batches.count("server_event") == purchased.count)
            while try await batches.captures.sweep(now: .now + .seconds(60)) > 0 {}
            #expect(batches.captured.sorted() == purchased.map(\.chargeKey).sorted())
            // Each authorized charge is either captured or voided.
            #expect(Set(batches.voided).isDisjoint(with: batches.captured))
            #expect(batches.voided.count + batches.captured.count == authorized)
            #expect(Set(batches.voided).count == batches.voided.count)
        }
    }

    private func accounts(in store: TestStore) async throws -> [Shopper] {
        var shoppers: [Shopper] = []
        for account in ["alice", "bob", "carol"] {
            shoppers.append(Shopper(id: try await store.customerApp(account).reference, storefront: "USA"))
        }
        try await store.set("carol", TesterSettings(storefront: "FRA"))
        shoppers[2] = Shopper(id: shoppers[2].id, storefront: "FRA")
        let isolated = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42)
        return shoppers + [Shopper(id: try await store.customer(of: isolated), storefront: "USA")]
    }

    /// An order that may be anything, mostly a sale.
    private func order(
        of shopper: Shopper, _ batches: ComposedBatches, _ random: inout SplitMix64
    ) -> ComposedBatches.Order {
        let answers: [Charge.Outcome?] = [.authorized, .authorized, .authorized, .authorized, .declined, .pending, nil]
        var order = batches.order(
            shopper.id, key: "k\(Int.random(in: 0..<60, using: &random))",
            quantity: Int.random(in: 1...3, using: &random),
            answer: answers[Int.random(in: answers.indices, using: &random)])
        let isHere = Int.random(in: 0..<10, using: &random) > 0
        order.storefront = isHere ? shopper.storefront : "DEU"
        if Int.random(in: 0..<8, using: &random) == 0 { order.quote.testerDefaults = TesterSettings(askToBuy: true) }
        if Int.random(in: 0..<6, using: &random) == 0 { order.quote.unfinishedLimit = nil }
        return order
    }

    private func check(
        _ order: ComposedBatches.Order, _ result: Result<PurchaseCommand.Outcome, any Error>, of shopper: inout Shopper
    ) {
        // The processor decides later about a pending charge.
        let answer = order.answer == .pending ? nil : order.answer
        let expected = shopper.model.handle(
            key: order.payment.requestIdentifier, isHere: order.storefront.isExactly(shopper.storefront),
            asks: order.quote.testerDefaults != nil, answer: answer, limit: order.quote.unfinishedLimit)
        #expect(result.outcome.map(PurchaseModel.Outcome.init) == expected)
        if let existing = result.outcome?.existing {
            let known = shopper.written.first {
                $0.transaction.payment.requestIdentifier == order.payment.requestIdentifier
            }
            #expect(existing.transactionID == known?.id)
        }
        if let begun = result.begun { shopper.written.append(begun) }
    }

    /// Finishes some purchases of the installation's customers.
    private func finishSome(
        of shoppers: inout [Shopper], in store: TestStore, _ random: inout SplitMix64
    ) async throws {
        for place in shoppers.indices.dropLast() {
            let customerApp = CustomerApp(
                store: store, customer: shoppers[place].id.customerIdentifier, device: "phone")
            let unfinished = try await customerApp.snapshot().transactions.filter {
                $0.transactionState == .purchased
            }
            #expect(unfinished.count == shoppers[place].model.unfinished)
            for transaction in unfinished where Bool.random(using: &random) {
                try await customerApp.finish(transaction.id)
                shoppers[place].model.unfinished -= 1
            }
        }
    }

    private func check(_ shopper: Shopper, in store: TestStore) async throws {
        let purchased = shopper.written.filter { $0.transaction.transactionState == .purchased }
        #expect(purchased.compactMap(\.modifiedSeq) == [Int64](1..<Int64(purchased.count) + 1))
        let numbers = purchased.compactMap(\.transaction.transactionIdentifier).compactMap(Int64.init)
        #expect(numbers == numbers.sorted() && Set(numbers).count == purchased.count)
        if IsolatedApp(shopper.id.bundleId) != nil {
            let first: Int64 = 2_000_000_004_200_001
            #expect(numbers == [Int64](first..<first + Int64(numbers.count)))
        }
        let rows = try await store.database.read { reader in
            try await reader.query(
                """
                SELECT seq, transaction_id, revision FROM journal
                WHERE bundle_id = ? AND customer_identifier = ? AND kind = 'updated' ORDER BY seq
                """, shopper.id.bundleId, shopper.id.customerIdentifier)
        }
        // P7: purchasing, then ended or deferred.
        var revisions: [String: [Int]] = [:]
        for row in rows {
            let (id, revision): (String, Int) = (try row["transaction_id"], try row["revision"])
            revisions[id, default: []].append(revision)
        }
        let expected = shopper.written.map { stored in
            (stored.id, stored.transaction.transactionState == .purchasing ? [1] : [1, 2])
        }
        #expect(revisions == Dictionary(uniqueKeysWithValues: expected))
        let (head, count) = try await store.database.read { reader in
            let customer = try await CustomerRepository.find(shopper.id, in: reader)
            let count = try await reader.query(
                "SELECT seq FROM journal WHERE bundle_id = ? AND customer_identifier = ?", shopper.id.bundleId,
                shopper.id.customerIdentifier
            ).count
            return (customer?.headSeq, count)
        }
        // Without gaps, because no number is there twice.
        #expect(head == Int64(count))
    }
}
