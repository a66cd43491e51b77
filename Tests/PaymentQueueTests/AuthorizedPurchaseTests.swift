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
/// Method: a customer's first plain purchase takes two commits, and those after it are authorized first.
@Suite(.serialized) struct AuthorizedPurchaseTests {
    /// Those that an authorized purchase and its capture come by.
    static let checkpoints: [Checkpoint] = [
        .beforeAuthorization, .afterAuthorization, .insideOnlyCommit, .afterOnlyCommit, .afterPublish, .beforeReply,
        .beforeCapture, .afterCapture,
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

    @Test(.slow, arguments: checkpoints, Engine.allCases)
    func `P1 to P5: dead at a checkpoint, the key has one transaction and one captured charge`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            let queue = store.current
            queue.crash.arm(checkpoint)
            _ = try? await alice.add("coins", key: "k")
            _ = try? await queue.service.captures.sweep()
            #expect(queue.crash.hasCrashed)
            try await store.restartQueue()
            try await store.settle()
            let isCommitted = ![.beforeAuthorization, .afterAuthorization, .insideOnlyCommit].contains(checkpoint)
            #expect(try await alice.changes().head == (isCommitted ? 4 : 2))
            // What was committed is captured without a request.
            #expect(try await store.charges().map(\.outcome) == Array(repeating: .approved, count: isCommitted ? 2 : 1))
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.isReplayed == isCommitted && reply.status == 201)
            #expect(reply.transaction.transactionState == .purchased)
            #expect(try await alice.changes().head == 4)
            #expect(try await store.charges().map(\.outcome) == [.approved, .approved])
            #expect(try await store.charges().last?.chargeKey == "purchase:\(reply.transaction.id)")
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
    func `P3: a processor that takes too long is asked after a first commit`(_ engine: Engine) async throws {
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

    @Test(arguments: Engine.allCases)
    func `what a customer has once, and what has an offer, is reserved before it is charged`(
        _ engine: Engine
    ) async throws {
        try await Self.withShopper(engine) { store, alice in
            store.catalogue.sell(.subscription("basic.monthly"), level: 1)
            for product in ["beaches", "basic.monthly"] {
                let bought = try await alice.add(product, key: product).transaction
                #expect(bought.transactionState == .purchased)
                #expect(try await Self.outcome(of: bought, store) == .approved)
            }
        }
    }

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
