import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a receipt has every purchase once, with the flags and dates Apple's has (M120, M128, M139).
@Suite(.serialized) struct ReceiptFactsTests {
    @Test(arguments: Engine.allCases)
    func `M139: before the first purchase a receipt is empty, and knows when the customer came`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            _ = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let bob = try await store.customerApp("bob", device: "pad")
            let page = try await bob.receipt()
            #expect(page.items.isEmpty)
            #expect(page.subscriptions.isEmpty)
            #expect(page.after == nil)
            #expect(page.firstSeen == Timestamp("2027-03-01T10:00:00.000Z"))
            #expect(page.businessNow == page.firstSeen)
            #expect(try await refusal { try await bob.named("c_nobody").receipt() }?.code == .notFound)
            #expect(try await refusal { try await bob.receipt(limit: 501) }?.code == .requestInvalid)
            #expect(try await refusal { try await bob.receipt(after: "x") }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `consumables are in it until their finish, everything else permanently`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for product in ["coins", "beaches", "season", "pro.monthly"] {
                try await alice.finish(try await alice.add(product, key: product).transaction.id)
            }
            _ = try await alice.add("coins", key: "more", quantity: 2)
            _ = try await alice.add("unknown", key: "failed")
            _ = try await alice.restore()
            let items = try await alice.receipt().items
            #expect(items.map(\.productIdentifier) == ["beaches", "season", "pro.monthly", "coins"])
            #expect(items.map(\.type) == [.nonConsumable, .nonRenewable, .autoRenewable, .consumable])
            #expect(items.last?.quantity == 2)
            let subscribed = items[2]
            #expect(subscribed.isTrialPeriod == true)
            #expect(subscribed.isInIntroOfferPeriod == false)
            #expect(subscribed.subscriptionGroupIdentifier == "pro")
            #expect(subscribed.expiresDate != nil)
            #expect(items[0].isTrialPeriod == nil)
            #expect(items[0].webOrderLineItemIdentifier == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `periods have the first one as their original, and each its own line item`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            try await store.jump(to: "2027-03-16")
            let page = try await alice.receipt()
            #expect(page.items.count == 3)
            #expect(page.items.allSatisfy { $0.originalTransactionIdentifier == original })
            #expect(page.items.allSatisfy { $0.originalPurchaseDate == Timestamp("2027-03-01T10:00:00.000Z") })
            let lines = page.items.compactMap(\.webOrderLineItemIdentifier)
            #expect(Set(lines).count == 3)
            #expect(
                lines.allSatisfy { line in
                    Int64(line) != nil && !page.items.contains { $0.transactionIdentifier == line }
                })
            #expect(try await alice.receipt().items.compactMap(\.webOrderLineItemIdentifier) == lines)
            #expect(page.subscriptions.map(\.originalTransactionIdentifier) == [original])
            #expect(page.subscriptions.first?.state == .subscribed)
            #expect(page.businessNow == Timestamp("2027-03-16T10:00:00.000Z"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `M128: refunded ones stay with their date and reason, a change that waits does not stand in it`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            let refunded = try await store.refund(bought.id, reason: .appIssue)
            _ = try await alice.subscribe("pro.monthly")
            let noted = try await alice.add("basic.monthly", key: "2").transaction
            #expect(noted.effectiveDate != nil)
            let page = try await alice.receipt()
            #expect(page.items.map(\.productIdentifier) == ["beaches", "pro.monthly"])
            #expect(page.items.first?.cancellationDate == refunded.revocationDate)
            #expect(page.items.first?.cancellationReason == .appIssue)
            #expect(page.subscriptions.first?.autoRenewProductIdentifier == "basic.monthly")
        }
    }

    @Test(arguments: Engine.allCases)
    func `pages have everything once, and the subscriptions stand on the first`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("news.weekly")
            for number in 0..<7 {
                let bought = try await alice.add("coins", key: "\(number)").transaction
                if number % 2 == 0 { try await alice.finish(bought.id) }
            }
            let all = try await alice.receipt().items
            #expect(all.count == 4)
            var (items, after, subscriptions): ([ReceiptItem], String?, Int) = ([], nil, 0)
            repeat {
                let page = try await alice.receipt(after: after, limit: 2)
                (items, after) = (items + page.items, page.after)
                subscriptions += page.subscriptions.count
            } while after != nil
            #expect(items == all)
            #expect(subscriptions == 1)
        }
    }
}
