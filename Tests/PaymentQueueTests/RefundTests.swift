import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what is taken back is gone everywhere and its money goes back once, also when a process dies in between (P2,
/// P10; R1; M128).
@Suite(.serialized) struct RefundTests {
    @Test(arguments: Engine.allCases)
    func `a refunded non-consumable is gone, its money is back, and again is the same transaction`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            store.advance(by: .seconds(60))
            let refunded = try await store.refund(bought.id, reason: .appIssue)
            #expect(refunded.revocationDate == store.now)
            #expect(refunded.revocationReason == .appIssue)
            #expect(refunded.transactionState == .purchased)
            #expect(refunded.revision == bought.revision + 1)
            let refund = try #require(try await store.refunds().first)
            #expect(refund.refundKey == "refund:\(bought.id)")
            #expect(refund.chargeKey == "purchase:\(bought.id)")
            #expect(refund.amount == bought.price)
            #expect(try await store.refund(bought.id) == refunded)
            #expect(try await store.refunds().count == 1)
            // It is not owned any more: the next one is paid.
            let again = try await alice.add("beaches", key: "2").transaction
            #expect(again.price == .usd("1.99"))
            #expect(again.originalTransactionIdentifier == nil)
            #expect(try await store.charges().count == 2)
            // The first reply to a key stays what it was.
            let replay = try await alice.add("beaches", key: "1")
            #expect(replay.isReplayed && replay.status == 201 && replay.transaction == bought)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a consumable is refunded too, and no entitlement is lost by it`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1", quantity: 3).transaction
            try await alice.finish(bought.id)
            let head = try await alice.changes().head
            _ = try await store.refund(bought.id)
            #expect(try await store.refunds().map(\.amount) == [.usd("2.97")])
            // Streams pass it over.
            let changes = try await alice.changes(after: head).changes
            #expect(changes.map(\.kind) == [.subscriptionChanged])
            #expect(changes.allSatisfy { !$0.isVisible(to: alice.device) })
        }
    }

    @Test(arguments: Engine.allCases)
    func `a revocation takes the entitlement and leaves the money`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let start = try await store.position()
            let bought = try await alice.add("season", key: "1").transaction
            #expect(try await store.revoke(bought.id).revocationReason == .other)
            #expect(try await store.refunds().isEmpty)
            let events = try await store.events(after: start, count: 3)
            #expect(events.map(\.type) == [.purchasing, .purchased, .revoked])
            #expect(events.last?.transaction.revocationDate != nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refunded subscription period ends the subscription, and its renewals stop`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            _ = try await alice.subscribe("news.weekly")
            try await store.jump(to: "2027-03-10")
            let latest = try #require(try await alice.history().transactions.last)
            let start = try await store.position()
            let refunded = try await store.refund(latest.id)
            #expect(refunded.revocationDate == Timestamp("2027-03-10T10:00:00.000Z"))
            #expect(try await alice.subscription().state == .revoked)
            let refund = try #require(try await store.refunds().first)
            #expect(refund.chargeKey.hasPrefix("renew:"))
            try await store.jump(by: "P60D")
            #expect(try await store.renewals().count == 1)
            #expect(try await store.events(after: start, count: 1).map(\.type) == [.refunded])
            let lines = try await store.lines(latest.id)
            #expect(lines.last == "2027-03-10 refunded 9.99")
            // Buying again goes on with the same subscription.
            let again = try await alice.add("news.weekly", key: "again").transaction
            #expect(again.originalTransactionIdentifier == refunded.originalTransactionIdentifier)
            #expect(try await alice.subscription().state == .subscribed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an earlier period is refunded and the subscription goes on`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            try await store.jump(to: "2027-03-10")
            _ = try await store.refund(original)
            #expect(try await alice.subscription().state == .subscribed)
            #expect(try await store.refunds().count == 1)
            #expect(try await alice.snapshot().revocations.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P10: of a period that was replaced only the rest of its money goes back`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.subscription("base.monthly", "5.00"), level: 2)
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let first = try await alice.subscribe("base.monthly")
            try await store.jump(by: "P10D")
            let upgrade = try await alice.add("pro.monthly", key: "2").transaction
            let refunded = try await store.refund(first)
            #expect(refunded.isUpgraded == true)
            try await store.settleRefunds()
            #expect(try await store.refunds().reduce(0) { $0 + $1.amount.minorUnits } == 500)
            // The upgrade itself stays.
            #expect(try await alice.subscription().state == .subscribed)
            #expect(try await alice.get(upgrade.id).revocationDate == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M128, O2: a refunded trial stays used`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let trial = try await alice.add("pro.monthly", key: "1").transaction
            _ = try await store.refund(trial.id)
            #expect(try await store.refunds().isEmpty)
            let group = try #require(try await alice.offers().first)
            #expect(group.introductoryOfferTransaction == trial.transactionIdentifier)
            #expect(group.state == .revoked)
            let again = try await alice.add("pro.yearly", key: "2").transaction
            #expect(again.offer == nil)
            #expect(again.price == .usd("9.99"))
        }
    }

    @Test(arguments: Engine.allCases) func `R1: what was revoked does not come back`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for product in ["beaches", "guide", "pro.monthly"] {
                let bought = try await alice.add(product, key: product).transaction
                try await alice.finish(bought.id)
                if product != "guide" { _ = try await store.revoke(bought.id) }
            }
            #expect(try await alice.restore().restored == 1)
            #expect(try await alice.snapshot().transactions.map(\.payment.productIdentifier) == ["guide"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `only purchases are taken back, and only such as there are`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            #expect(try await refusal { try await store.refund("t_nothing") }?.code == .notFound)
            #expect(try await refusal { try await store.refund("2000000000000099") }?.code == .notFound)
            let failed = try await alice.add("unknown", key: "1").transaction
            #expect(try await refusal { try await store.refund(failed.id) }?.code == .transactionStateInvalid)
            let bought = try await alice.add("beaches", key: "2").transaction
            try await alice.finish(bought.id)
            _ = try await alice.restore()
            let restored = try #require(try await alice.snapshot().transactions.last)
            #expect(try await refusal { try await store.revoke(restored.id) }?.code == .transactionStateInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a processor that is away gets the refund when it is back, once`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            store.current.crash.arm(.afterRefundCommit)
            await #expect(throws: StoreError.self) { try await store.refund(bought.id) }
            try await store.restartQueue()
            #expect(try await store.refunds().isEmpty)
            #expect(try await alice.get(bought.id).revocationDate != nil)
            try await store.settleRefunds()
            #expect(try await store.refunds().count == 1)
            try await store.settleRefunds()
            #expect(try await store.refunds().count == 1)
        }
    }

    @Test(arguments: [Checkpoint.insideRefundCommit, .afterRefundCommit, .afterRefund], Engine.allCases)
    func `P2, P10: dead at any step, asked again it is one refund`(_ place: Checkpoint, _ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            store.current.crash.arm(place)
            _ = try? await store.refund(bought.id)
            #expect(store.current.crash.hasCrashed)
            try await store.restartQueue()
            _ = try await store.refund(bought.id)
            try await store.settleRefunds()
            #expect(try await store.refunds().map(\.amount) == [.usd("1.99")])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P2, P10: a renewal is refunded under its own charge, also after its original was deleted`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            try await store.jump(to: "2027-03-10")
            let renewal = try #require(try await alice.history().transactions.last)
            let key = try await store.renewalKey(original)
            try await store.delete(original)
            #expect(try await store.refund(renewal.id).revocationDate != nil)
            try await store.settleRefunds()
            let refund = try #require(try await store.refunds().first)
            #expect(refund.chargeKey == "\(key):1")
            #expect(refund.amount == renewal.price)
        }
    }

    @Test(
        arguments: [Checkpoint.insideRemovalCommit, .afterRemovalCommit, .afterRefund, nil], Engine.allCases)
    func `P2: a refund that was acknowledged reaches the ledger, also when the history is cleared before`(
        _ place: Checkpoint?, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            store.current.crash.arm(.afterRefundCommit)
            await #expect(throws: StoreError.self) { try await store.refund(bought.id) }
            try await store.restartQueue()
            if let place { store.current.crash.arm(place) }
            _ = try? await store.reset()
            if store.current.crash.hasCrashed { try await store.restartQueue() }
            _ = try await store.reset()
            #expect(try await store.transactions().isEmpty)
            if place == .afterRefund {
                _ = try? await store.current.service.refunds.sweep(now: .now + .seconds(60))
                #expect(store.current.crash.hasCrashed, "the processor has answered, and it is not written down")
                try await store.restartQueue()
            }
            try await store.settleRefunds()
            #expect(try await store.refunds().map(\.refundKey) == ["refund:\(bought.id)"])
            // Nothing is left of it, and nothing prevents the next purchase.
            #expect(try await store.outbox() == 0)
            let again = try await alice.add("beaches", key: "1").transaction
            _ = try await store.refund(again.id)
            #expect(try await store.refunds().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `sixteen refunds at once are one`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            let answers = try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask {
                        number % 4 == 0
                            ? try await store.revoke(bought.id)
                            : try await store.refund(bought.id, within: .seconds(20))
                    }
                }
                return try await group.reduce(into: Set<PaymentTransaction>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
            #expect(try await store.refunds().count <= 1)
        }
    }
}
