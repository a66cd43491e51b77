import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a reader who keeps the cursor of a history or of a receipt misses nothing that was late.
@Suite(.serialized) struct HistoryCursorTests {
    @Test(arguments: Engine.allCases)
    func `a renewal that the processor answered late is behind a cursor that was kept`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            _ = try await alice.subscribe("news.weekly")
            store.processor.set(trouble: .held)
            async let moved = store.jump(to: "2027-03-10")
            try await eventually("the renewal is being charged") { store.processor.heldCount == 1 }
            let gift = try await alice.add("gift", key: "gift").transaction
            let seen = try await alice.history().transactions
            #expect(seen.map(\.payment.productIdentifier) == ["news.weekly", "gift"])
            let receipt = try await alice.receipt(limit: 1)
            let second = try await alice.receipt(after: receipt.after, limit: 1)
            let receiptCursor = try #require(second.after ?? receipt.after)
            store.processor.release()
            _ = try await moved
            let late = try await alice.history(after: gift.id).transactions
            #expect(late.map(\.payment.productIdentifier) == ["news.weekly"])
            #expect(late.first?.original != nil)
            let items = try await alice.receipt(after: receiptCursor).items
            #expect(items.contains { $0.transactionIdentifier == late.first?.transactionIdentifier })
        }
    }

    @Test(arguments: 0..<3, Engine.allCases)
    func `a reader that keeps the cursor reads every transaction once, in any order of their ends`(
        _ round: Int, _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded("history cursors, round \(round), \(engine)")
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            var (seen, cursor): ([String], String?) = ([], nil)
            for step in 0..<40 {
                try await Self.act(store, alice, step, &random)
                for value in try await alice.history(after: cursor).transactions {
                    seen.append(value.id)
                    cursor = value.id
                }
            }
            store.processor.release()
            store.processor.set(trouble: .none)
            try await store.jump(by: "PT1S")
            try await store.settle()
            seen += try await alice.history(after: cursor).transactions.map(\.id)
            let all = try await alice.history().transactions.map(\.id)
            #expect(seen.count == Set(seen).count)
            #expect(Set(seen) == Set(all))
            #expect(seen == all)
        }
    }

    /// Purchases and renewals that end at once, later, or when a parent has agreed; and restores.
    private static func act(
        _ store: TestStore, _ alice: CustomerApp, _ step: Int, _ random: inout SplitMix64
    ) async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            let product = ["coins", "gift", "beaches", "news.weekly"].randomElement(using: &random) ?? "gift"
            _ = try? await alice.add(product, key: "\(step)", within: .milliseconds(400))
        case 3:
            _ = try? await alice.add(
                Payment(requestIdentifier: "\(step)", productIdentifier: "coins", simulatesAskToBuyInSandbox: true))
        case 4:
            let deferred = try await store.transactions().filter { $0.transactionState == .deferred }
            if let one = deferred.randomElement(using: &random) {
                _ = try? await store.approve(one.id, within: .milliseconds(400))
            }
        case 5: store.processor.set(trouble: .before)
        case 6:
            store.processor.set(trouble: .none)
            _ = try await store.current.service.purchases.sweep(now: .now + .seconds(60))
        case 7: _ = try? await alice.restore(key: "\(step)")
        default:
            let days = Int.random(in: 1...8, using: &random)
            _ = try? await store.move(by: "P\(days)D", key: "\(step)", within: .milliseconds(500))
        }
    }
}
