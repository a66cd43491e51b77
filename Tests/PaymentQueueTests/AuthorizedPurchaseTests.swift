import BusClient
import BusService
import EventLoop
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a purchase that is authorized, written in one commit and captured is as safe as one of two commits (ADR 0047;
/// P1 to P5).
/// Method: a customer's first paid purchase in a process takes two commits, and those after a plain one are authorized
/// first. Free ones are one commit.
@Suite(.serialized) struct AuthorizedPurchaseTests {
    /// A checkpoint that an authorized purchase and its capture come by, and the purchase's product.
    struct Death: Sendable, CustomTestStringConvertible {
        let product: String
        let checkpoint: Checkpoint
        var testDescription: String { "\(product), \(checkpoint)" }

        /// Whether nothing is written then.
        var isBeforeCommit: Bool {
            [.beforeAuthorization, .afterAuthorization, .beforeFirstCommit, .afterOfferClaim, .insideFirstCommit]
                .contains(checkpoint)
        }
    }

    private static let checkpoints: [Checkpoint] = [
        .beforeAuthorization, .afterAuthorization, .beforeFirstCommit, .insideFirstCommit, .afterFirstCommit,
        .afterPublish, .beforeReply, .beforeCapture, .afterCapture,
    ]
    /// A consumable, a non-consumable and a paid introductory offer.
    static let deaths =
        ["coins", "beaches", "pro.yearly"].flatMap { product in
            checkpoints.map { Death(product: product, checkpoint: $0) }
        } + [Death(product: "pro.yearly", checkpoint: .afterOfferClaim)]

    /// Sales after a purchase of coins, at the price that is authorized.
    private static let sales: [(product: String, price: String)] = [
        ("beaches", "1.99"), ("season", "4.99"), ("news.weekly", "9.99"), ("pro.yearly", "1.99"),
        ("basic.monthly", "0.49"),
    ]

    private static func withShopper(
        _ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "first")
            try await body(store, alice)
        }
    }

    /// The charge of a purchase, as it is now.
    private static func outcome(of value: PaymentTransaction, _ store: TestStore) async throws -> Charge.Outcome? {
        try await store.caller.call(ProcessorEndpoints.listCharges, ChargeListRequest(limit: 500)).charges.first {
            $0.chargeKey == "purchase:\(value.id)"
        }?.outcome
    }

    @Test(arguments: Engine.allCases)
    func `P2: one commit writes both states, and the charge is captured after it`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            let commits = store.database.statistics.commits
            let reply = try await alice.add("coins", key: "k")
            if engine == .sqlite { #expect(store.database.statistics.commits == commits + 1) }
            #expect(reply.status == 201)
            #expect(reply.transaction.transactionState == .purchased)
            #expect(try await Self.outcome(of: reply.transaction, store) == .authorized)
            let changes = try await alice.changes(after: 2).changes
            #expect(changes.map(\.seq) == [3, 4])
            #expect(changes.map(\.transaction?.revision) == [1, 2])
            #expect(changes.map(\.transaction?.transactionState) == [.purchasing, .purchased])
            #expect(changes[1].transaction == reply.transaction)
            #expect(try await alice.snapshot().transactions.last == reply.transaction)
            #expect(try await store.current.service.captures.sweep() == 1)
            #expect(try await Self.outcome(of: reply.transaction, store) == .approved)
            #expect(try await store.current.service.captures.captureAll() == 0)
            let again = try await alice.add("coins", key: "k")
            #expect(again.isReplayed && again.transaction == reply.transaction)
            #expect(try await store.ledger().count == 2)
        }
    }

    @Test(.slow, arguments: deaths, Engine.allCases)
    func `P1 to P5, O1, P8: dead at a checkpoint, the key has one transaction and one captured charge`(
        _ death: Death, _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            let queue = store.current
            queue.crash.arm(death.checkpoint)
            _ = try? await alice.add(death.product, key: "k")
            _ = try? await queue.service.captures.sweep()
            #expect(queue.crash.hasCrashed)
            try await store.restartQueue()
            try await store.settle()
            let isCommitted = !death.isBeforeCommit
            #expect(try await alice.changes().head == (isCommitted ? 4 : 2))
            // What was committed is captured without a request.
            #expect(try await store.charges().map(\.outcome) == Array(repeating: .approved, count: isCommitted ? 2 : 1))
            let reply = try await alice.add(death.product, key: "k")
            #expect(reply.isReplayed == isCommitted && reply.status == 201)
            #expect(reply.transaction.transactionState == .purchased)
            #expect(try await alice.changes().head == 4)
            #expect(try await store.charges().map(\.outcome) == [.approved, .approved])
            let charge = try #require(try await store.charges().last)
            #expect(charge.chargeKey == "purchase:\(reply.transaction.id)")
            #expect(charge.amount == reply.transaction.price)
            #expect(charge.amount == .usd(death.product == "coins" ? "0.99" : "1.99"))
            let offers = try await alice.offers().map(\.introductoryOfferTransaction)
            #expect(offers == (death.product == "pro.yearly" ? [reply.transaction.transactionIdentifier] : []))
            // Nothing is reserved any more: a non-consumable is free, and a subscription cannot be bought twice.
            guard death.product != "coins" else { return }
            let again = try await alice.add(death.product, key: "again").transaction
            if death.product == "beaches" {
                #expect(again.price == .usd("0.00"))
            } else {
                #expect(again.error?.underlying == 3532)
            }
            #expect(try await store.charges().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5: a declined authorization is a failed purchase, in one commit, and nothing is paid`(
        _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            store.processor.set(outcome: .declined)
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.status == 201)
            #expect(reply.transaction.transactionState == .failed)
            #expect(reply.transaction.error?.setting == "processor")
            #expect(reply.transaction.transactionIdentifier == nil)
            #expect(
                try await alice.changes(after: 2).changes.map(\.transaction?.transactionState) == [
                    .purchasing, .failed,
                ])
            #expect(try await store.charges().map(\.outcome) == [.approved, .declined])
            #expect(try await alice.add("coins", key: "k").isReplayed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: a processor that takes too long is asked after the first commit`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            store.processor.set(trouble: .held)
            let bought = Task { try await alice.add("coins", key: "k", within: .seconds(20)) }
            try await eventually("it has begun, and is charged") {
                try await alice.changes().head == 3 && store.processor.heldCount == 2
            }
            store.processor.release()
            let reply = try await bought.value
            #expect(reply.transaction.transactionState == .purchased)
            // The authorization that came late lapses.
            try await eventually("the late authorization is there") { try await store.ledger().count == 3 }
            #expect(try await store.charges().map(\.outcome) == [.approved, .approved])
            #expect(try await store.ledger().count { $0.outcome == .authorized } == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an answer that the commit finds missing has the authorization voided`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            try await store.set("alice", TesterSettings(askToBuy: true))
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.transaction.transactionState == .deferred)
            _ = try await store.current.service.captures.sweep()
            #expect(try await store.ledger().map(\.outcome) == [.approved, .cancelled])
            #expect(try await store.charges().map(\.outcome) == [.approved])
            #expect(try await store.approve(reply.transaction.id).transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved, .approved])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: one key sent often at the same time is one transaction and one charge`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await alice.add("coins", key: "k") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(replies.map(\.transaction.id)).count == 1)
            #expect(replies.allSatisfy { $0.status == 201 })
            #expect(try await alice.changes().head == 4)
            #expect(try await store.charges().map(\.outcome) == [.approved, .approved])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P10: a refund before the capture takes back what was paid`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            let bought = try await alice.add("coins", key: "k").transaction
            #expect(try await Self.outcome(of: bought, store) == .authorized)
            try await store.refund(bought.id)
            #expect(try await store.refunds().map(\.chargeKey) == ["purchase:\(bought.id)"])
            #expect(try await Self.outcome(of: bought, store) == .approved)
            #expect(try await store.charges().count == 2)
        }
    }

    // MARK: Products that a customer has once, offers and promoted purchases

    @Test(arguments: sales, Engine.allCases)
    func `P2, P6: what a customer has once, and what has an offer, is one commit, captured after it`(
        _ sale: (product: String, price: String), _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            let commits = store.database.statistics.commits
            let bought = try await alice.add(sale.product, key: "k").transaction
            if engine == .sqlite { #expect(store.database.statistics.commits == commits + 1) }
            #expect(bought.price == .usd(sale.price))
            #expect(try await Self.outcome(of: bought, store) == .authorized)
            let changes = try await alice.changes(after: 2).changes
            #expect(changes.map(\.transaction?.transactionState) == [.purchasing, .purchased])
            #expect(changes.last?.transaction == bought)
            #expect(try await store.charges().map(\.amount) == [.usd("0.99"), .usd(sale.price)])
            #expect(try await Self.outcome(of: bought, store) == .approved)
            #expect(try await store.ledger().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O1, M116: a free trial is one commit without a charge, and the group has no second one`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let trial = ProductDiscount.discount(.freeTrial, "0.00", 1, .week)
            store.catalogue.sell(.subscription("plus.monthly", "14.99", intro: trial), level: 1)
            let alice = try await store.customerApp()
            let writes = store.database.statistics.writes
            let first = try await alice.add("pro.monthly", key: "1").transaction
            if engine == .sqlite { #expect(store.database.statistics.writes == writes + 1) }
            #expect(first.isTrialPeriod == true && first.price == .usd("0.00"))
            #expect(
                try await alice.changes().changes.map(\.transaction?.transactionState) == [.purchasing, .purchased])
            #expect(try await store.ledger().isEmpty)
            let second = try await alice.add("plus.monthly", key: "2").transaction
            #expect(second.offer == nil && second.price == .usd("14.99"))
            // The customer is known to have subscribed, so the regular price was authorized.
            #expect(try await Self.outcome(of: second, store) == .authorized)
            #expect(try await alice.offers().map(\.introductoryOfferTransaction) == [first.transactionIdentifier])
            #expect(try await store.charges().map(\.amount) == [.usd("14.99")])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a promotional offer is one commit at its price, and one whose nonce was used has its charge voided`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.star, level: 1)
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("star.monthly")
            let commits = store.database.statistics.commits
            let discount = PaymentDiscount.offer("loyal", nonce: "n")
            let bought = try await alice.buy("star.monthly", key: "1", discount: discount, check: .valid)
            if engine == .sqlite { #expect(store.database.statistics.commits == commits + 1) }
            #expect(bought.price == .usd("1.99") && bought.offer?.identifier == "loyal")
            #expect(try await Self.outcome(of: bought, store) == .authorized)
            let refused = try await alice.buy("star.monthly", key: "2", discount: discount, check: .valid)
            #expect(refused.error?.code == 12)
            _ = try await store.current.service.captures.sweep()
            #expect(try await store.ledger().map(\.outcome) == [.approved, .cancelled])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P6: an offer that was used before has its authorization voided, and the regular price is charged`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let offer = ProductDiscount.discount(.payUpFront, "1.99", 1, .month)
            for product in ["plus.monthly", "peer.monthly"] {
                store.catalogue.sell(.subscription(product, "14.99", intro: offer), level: 1)
            }
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("pro.monthly")
            // The next process does not know of it.
            try await store.restartQueue()
            _ = try await alice.add("coins", key: "coins")
            let bought = try await alice.add("plus.monthly", key: "k").transaction
            #expect(bought.transactionState == .purchased)
            #expect(bought.offer == nil && bought.price == .usd("14.99"))
            let path = try await alice.changes(after: 4).changes.filter { $0.transactionID == bought.id }
            #expect(path.map(\.transaction?.transactionState) == [.purchasing, .purchased])
            _ = try await store.current.service.captures.sweep()
            let ledger = try await store.ledger()
            #expect(ledger.map(\.amount) == [.usd("0.99"), .usd("1.99"), .usd("14.99")])
            #expect(ledger.map(\.outcome) == [.approved, .cancelled, .approved])
            #expect(ledger.last?.chargeKey == "purchase:\(bought.id)")
            // The process knows the group now, so the next purchase in it is one commit.
            let next = try await alice.add("peer.monthly", key: "next").transaction
            #expect(next.transactionState == .purchased && next.price == .usd("14.99"))
            #expect(try await Self.outcome(of: next, store) == .authorized)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O4, P5: a declined authorization leaves the introductory offer unused`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            store.processor.set(outcome: .declined)
            let failed = try await alice.add("pro.yearly", key: "1").transaction
            #expect(failed.transactionState == .failed && failed.error?.setting == "processor")
            #expect(try await alice.changes().head == 4)
            #expect(try await alice.offers().isEmpty)
            #expect(try await store.charges().map(\.outcome) == [.approved, .declined])
            store.processor.set(outcome: .approved)
            let bought = try await alice.add("pro.yearly", key: "2").transaction
            #expect(bought.offer?.type == .introductory && bought.price == .usd("1.99"))
            let paid = try await store.charges().filter { $0.outcome == .approved }
            #expect(paid.map(\.amount) == [.usd("0.99"), .usd("1.99")])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P8: authorized purchases of one non-consumable at once are paid once, and the others are free`(
        _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            let replies = try await withThrowingTaskGroup { group in
                for number in 0..<8 { group.addTask { try await alice.add("beaches", key: "k\(number)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let bought = replies.map(\.transaction)
            #expect(Set(bought.map(\.transactionState)) == [.purchased])
            let paid = bought.filter { $0.price == .usd("1.99") }
            let free = bought.filter { $0.price == .usd("0.00") }
            #expect(paid.count == 1 && free.count == 7)
            _ = try await store.current.service.captures.sweep()
            let charges = try await store.charges()
            #expect(charges.map(\.outcome) == [.approved, .approved])
            #expect(charges.last?.chargeKey == "purchase:\(paid.first?.id ?? "")")
            #expect(try await !store.ledger().map(\.outcome).contains(.authorized))
            #expect(try await alice.changes().head == 18)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3: a promoted purchase is one commit, and of several keys at once one is paid`(
        _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            func payment(_ key: String, _ intent: String) -> Payment {
                Payment(requestIdentifier: key, productIdentifier: "coins", intentIdentifier: intent)
            }
            let only = try await alice.add(payment("only", "i_0")).transaction
            #expect(try await Self.outcome(of: only, store) == .authorized)
            let bought = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<8 {
                    let promoted = payment("k\(number)", "i_1")
                    group.addTask {
                        do {
                            return try await alice.add(promoted).transaction.id
                        } catch let error as StoreError where error.code == .intentDecided {
                            return ""
                        }
                    }
                }
                return try await group.reduce(into: [String]()) { if !$1.isEmpty { $0.append($1) } }
            }
            #expect(bought.count == 1)
            #expect(try await refusal { try await alice.add(payment("late", "i_1")) }?.code == .intentDecided)
            _ = try await store.current.service.captures.sweep()
            let charges = try await store.charges()
            #expect(charges.map(\.outcome) == [.approved, .approved, .approved])
            let keys = ([only.id] + bought).map { "purchase:\($0)" }
            #expect(charges.dropFirst().map(\.chargeKey) == keys)
            #expect(try await !store.ledger().map(\.outcome).contains(.authorized))
            #expect(try await alice.changes().head == 6)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M126, P10: an upgrade is one commit, and refunds the unused part of a charge that is not captured yet`(
        _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            store.catalogue.sell(.subscription("base.monthly", "5.00"), level: 2)
            try await store.putClock("2027-03-01", frozen: true)
            let base = try await alice.add("base.monthly", key: "base").transaction
            // 10 of 31 days are used.
            try await store.jump(by: "P10D")
            #expect(try await Self.outcome(of: base, store) == .authorized)
            let commits = store.database.statistics.commits
            let upgrade = try await alice.add("pro.monthly", key: "up").transaction
            if engine == .sqlite { #expect(store.database.statistics.commits == commits + 1) }
            #expect(upgrade.price == .usd("9.99") && upgrade.offer == nil)
            #expect(upgrade.originalTransactionIdentifier == base.transactionIdentifier)
            #expect(try await Self.outcome(of: upgrade, store) == .authorized)
            #expect(try await alice.get(base.id).isUpgraded == true)
            try await store.settleRefunds()
            let refund = try #require(try await store.refunds().first)
            #expect(refund.refundKey == "prorated:\(upgrade.id)" && refund.chargeKey == "purchase:\(base.id)")
            #expect(refund.amount.minorUnits == 500 * 21 / 31)
            #expect(try await store.charges().map(\.outcome) == [.approved, .approved, .approved])
            try await store.checkSubscriptions()
        }
    }

    // MARK: Captures

    @Test(arguments: Engine.allCases)
    func `a processor that is away captures when it is back`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            let bought = try await alice.add("coins", key: "k").transaction
            let captures = store.current.service.captures
            await store.stopProcessor()
            for _ in 0..<3 { #expect(try await captures.sweep(now: .now + .seconds(60)) == 0) }
            try await store.startProcessor()
            #expect(try await captures.sweep(now: .now + .seconds(120)) == 1)
            #expect(try await Self.outcome(of: bought, store) == .approved)
        }
    }

    @Test(arguments: Engine.allCases)
    func `health warns of charges that are not captured after a minute`(_ engine: Engine) async throws {
        try await Self.withShopper(engine) { store, alice in
            _ = try await alice.add("coins", key: "k")
            let discovery = ServiceDiscovery(store.bus.client(name: "operator"))
            func captures() async throws -> HealthCheck? {
                try await discovery.health("payment-queue", timeout: .seconds(2)).first?.checks["captures"]
            }
            #expect(try await captures()?.status == .pass)
            store.wall.withLock { $0 += 60_000 }
            let overdue = try await captures()
            #expect(overdue?.status == .warn)
            #expect(overdue?.message == "charges of 1 purchases are not captured after a minute; see payment-processor")
            #expect(try await store.current.service.captures.captureAll() == 1)
            #expect(try await captures()?.status == .pass)
        }
    }

    @Test func `what a replica has left is captured by another, after a while`() async throws {
        try await Self.withShopper(.postgres) { store, alice in
            let bought = try await alice.add("coins", key: "k").transaction
            await store.stopQueue()
            let other = try await store.startReplica()
            #expect(try await other.service.captures.sweep() == 0)
            store.advance(by: CaptureService.leftAfter)
            #expect(try await other.service.captures.sweep(now: .now + CaptureService.readInterval) == 1)
            #expect(try await Self.outcome(of: bought, store) == .approved)
        }
    }

    @Test(arguments: Engine.allCases)
    func `charges that a dead process has left are captured although the clock was set back a day`(
        _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            let bought = try await alice.add("coins", key: "k").transaction
            store.wall.withLock { $0 -= 86_400_000 }
            #expect(try await store.current.service.captures.overdueCount() == 1)
            try await store.restartQueue()
            #expect(try await store.current.service.captures.sweep() == 1)
            #expect(try await Self.outcome(of: bought, store) == .approved)
            #expect(try await store.current.service.captures.overdueCount() == 0)
        }
    }

    @Test func `a key is known for at least as many keys as one generation has`() {
        let keys = RecentKeys()
        let alice = CustomerReference(bundleId: "app", customerIdentifier: "alice")
        let bob = CustomerReference(bundleId: "app", customerIdentifier: "bob")
        #expect(keys.insert("\u{e9}", of: alice))
        #expect(!keys.insert("\u{e9}", of: alice))
        #expect(keys.insert("e\u{301}", of: alice) && keys.insert("\u{e9}", of: bob))
        for number in 0..<RecentKeys.generationMax { _ = keys.insert("\(number)", of: bob) }
        #expect(!keys.insert("\u{e9}", of: alice))
        for number in 0..<2 * RecentKeys.generationMax { _ = keys.insert("again \(number)", of: bob) }
        #expect(keys.insert("\u{e9}", of: alice))
    }
}
