import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: any number of payment queues on one PostgreSQL are as one (P3, P8, D2, O1): what must happen once does, at
/// either queue, and neither misses what the other writes.
/// Method: two of them share the bus's queue group, so each request goes to either.
@Suite(.serialized) struct ReplicaTests {
    private func withReplicas(_ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(.postgres) { store in
            try await store.startReplica()
            try await body(store, try await store.customerApp())
        }
    }

    @Test func `P3: 32 posts of one key over two replicas are one charge and one transaction`() async throws {
        try await withReplicas { store, alice in
            for round in 0..<5 {
                let replies = try await withThrowingTaskGroup(of: AddPaymentReply.self) { group in
                    for _ in 0..<32 { group.addTask { try await alice.add("coins", key: "k\(round)") } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(replies.map(\.transaction)).count == 1)
                #expect(replies.allSatisfy { $0.status == 201 && $0.transaction.transactionState == .purchased })
                #expect(try await store.charges().count == round + 1)
            }
            #expect(try await store.transactions().count == 5)
            #expect(try await alice.changes().changes.map(\.seq) == [Int64](1...10))
            #expect(store.current.database.statistics.writes > 0)
        }
    }

    @Test func `P8, O1: a non-consumable and an offer are sold once, however many ask two replicas at once`()
        async throws
    {
        try await withReplicas { store, alice in
            let replies = try await withThrowingTaskGroup(of: AddPaymentReply.self) { group in
                for number in 0..<8 {
                    group.addTask { try await alice.add("beaches", key: "b\(number)", within: .seconds(20)) }
                    group.addTask { try await alice.add("pro.monthly", key: "p\(number)", within: .seconds(20)) }
                }
                return try await group.reduce(into: []) { $0.append($1.transaction) }
            }
            let beaches = replies.filter { $0.payment.productIdentifier == "beaches" }
            #expect(beaches.allSatisfy { $0.transactionState == .purchased })
            #expect(beaches.count { ($0.price?.minorUnits ?? 0) > 0 } == 1)
            #expect(replies.count { $0.offer != nil } <= 1)
            let paid = try await store.charges().filter { $0.outcome == .approved }
            #expect(
                paid.count == replies.count { ($0.price?.minorUnits ?? 0) > 0 && $0.transactionState == .purchased })
        }
    }

    @Test func `a replica that stalls in the midst of a commit holds its customer up for less than six seconds`()
        async throws
    {
        try await withReplicas { store, alice in
            let stopped = try await store.startReplica().database
            let (locked, isLocked) = AsyncStream<Void>.makeStream()
            let (released, release) = AsyncStream<Void>.makeStream()
            async let storePageCustomer = refusal {
                try await stopped.write { transaction in
                    // Tests' sessions may pause longer than a service's.
                    _ = try await transaction.query(
                        "SELECT set_config('idle_in_transaction_session_timeout', ?, true)",
                        "\(PostgresSettings.idleTime.components.seconds)s")
                    _ = try await transaction.query("SELECT 1 FROM customer FOR UPDATE")
                    isLocked.finish()
                    for await _ in released {}
                    _ = try await transaction.query("SELECT 1 AS still_there")
                }
            }
            for await _ in locked {}
            let start = ContinuousClock.now
            try await eventually("the customer buys again", within: .seconds(20)) {
                (try? await alice.add("gift", key: "k"))?.transaction.transactionState == .purchased
            }
            #expect(ContinuousClock.now - start < .seconds(6))
            release.finish()
            _ = try? await storePageCustomer
        }
    }

    @Test func `D2: of approve and decline at two replicas one decides, and all get the same`() async throws {
        try await withReplicas { store, alice in
            try await store.set("alice", TesterSettings(askToBuy: true))
            for round in 0..<5 {
                let deferred = try await alice.add("coins", key: "k\(round)").transaction
                #expect(deferred.transactionState == .deferred)
                let ends = try await withThrowingTaskGroup(of: PaymentTransaction.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            number.isMultiple(of: 2)
                                ? try await store.approve(deferred.id) : try await store.decline(deferred.id)
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(ends.count == 1)
                #expect(ends.first?.transactionState.isTerminal == true)
            }
            let bought = try await alice.snapshot().transactions.count { $0.transactionState == .purchased }
            #expect(try await store.charges().count == bought)
        }
    }

    @Test func `an account opened at two replicas at once is one customer`() async throws {
        try await withReplicas { store, _ in
            let customerApps = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 { group.addTask { try await store.customerApp("bob").customer } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(customerApps.count == 1)
        }
    }

    @Test func `what was left under way is divided: no purchase is swept twice`() async throws {
        try await TestStore.with(.postgres, withProcessor: false) { store in
            let alice = try await store.customerApp()
            var begun: Set<String> = []
            for number in 0..<12 { begun.insert(try await alice.begin("coins", key: "\(number)").transaction.id) }
            let database = store.current.database
            func claim(_ claims: PurchaseClaims, limit: Int = 100) async throws -> [String] {
                try await database.write { transaction in
                    try await TransactionRepository.claimUnsettled(claims, after: "", limit: limit, in: transaction)
                }
            }
            // A purchase that has just begun is left to its request.
            #expect(try await claim(PurchaseClaims(headStart: .seconds(60))).isEmpty)
            let replicas = (0..<4).map { _ in PurchaseClaims(headStart: .zero) }
            let pages = try await withThrowingTaskGroup(of: [String].self) { group in
                for replica in replicas { group.addTask { try await claim(replica, limit: 3) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(pages.flatMap(\.self).count == 12)
            #expect(Set(pages.flatMap(\.self)) == begun)
            // Each keeps its own while it lives, and gets nothing of the others.
            #expect(Set(try await claim(replicas[0])).count == 3)
            // What a dead one has left is taken up when its time is over.
            let dead = PurchaseClaims(headStart: .zero, lease: .zero)
            try await database.write { try await $0.send("UPDATE payment_transaction SET claimed_until = 0") }
            #expect(Set(try await claim(dead)) == begun)
            #expect(Set(try await claim(PurchaseClaims(headStart: .zero))) == begun)
            // As after a clock that is set back a day: a claim that ends too late is over.
            try await database.write { transaction in
                try await transaction.send("UPDATE payment_transaction SET claimed_until = claimed_until + 86400000")
            }
            #expect(Set(try await claim(PurchaseClaims(headStart: .zero))) == begun)
        }
    }

    @Test func `a replica claims no more than its limit, whatever plan PostgreSQL chooses`() async throws {
        try await TestStore.with(.postgres, withProcessor: false) { store in
            let alice = try await store.customerApp()
            for number in 0..<5 { _ = try await alice.begin("coins", key: "\(number)") }
            let claims = PurchaseClaims(headStart: .zero)
            try await store.current.database.write { transaction in
                // Left with nested loops, the planner may run a selection again for each row of the table.
                for plan in ["hashjoin", "mergejoin", "material", "hashagg", "sort", "memoize"] {
                    try await transaction.send("SET LOCAL enable_\(plan) = off")
                }
                _ = try await TransactionRepository.claimUnsettled(claims, after: "", limit: 2, in: transaction)
            }
            let claimed = try await store.current.database.read { reader in
                try await reader.query(
                    "SELECT id FROM payment_transaction WHERE claimed_by = ?", claims.replica
                ).count
            }
            #expect(claimed == 2)
        }
    }

    @Test func `P4: what a dead replica has left under way another one takes to its end`() async throws {
        try await TestStore.with(.postgres, withProcessor: false) { store in
            let survivor = try await store.startReplica(PurchaseClaims(headStart: .zero, lease: .milliseconds(500)))
            let alice = try await store.customerApp()
            for number in 0..<6 { _ = try await alice.begin("coins", key: "\(number)") }
            await store.stopQueue()
            try await store.startProcessor()
            let janitor = survivor.service.purchases
            try await eventually("all are purchased") {
                _ = try await janitor.sweep(now: .now + .seconds(60))
                return try await store.transactions().allSatisfy { $0.transactionState == .purchased }
            }
            #expect(try await store.charges().count == 6)
        }
    }

    @Test func `an event whose commit is slow is not skipped by who reads on meanwhile`() async throws {
        try await withReplicas { store, alice in
            let bought = try await alice.add("coins", key: "before").transaction
            let body = String(decoding: try StoreJSON.encode(bought), as: UTF8.self)
            let bob = try await store.customerApp("bob")
            let start = try await store.events(after: nil).after
            let database = store.current.database
            let (written, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            // A change of Alice's has its place among the events and does not commit.
            async let slow: Void = database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO journal (bundle_id, customer_identifier, seq, transaction_id, revision, kind, body,
                        happened_at, written_at, event)
                    VALUES (?, ?, 1000, ?, 1, 'updated', ?, 0, 0, 'purchased')
                    """, Catalogue.bundleId, alice.customer, bought.id, body)
                written.continuation.finish()
                for await _ in gate.stream {}
            }
            for await _ in written.stream {}
            _ = try await bob.add("coins", key: "fast")
            // Bob's events come later in the order, so they wait for Alice's.
            let early = try await store.events(after: start)
            #expect(early.events.isEmpty)
            gate.continuation.finish()
            try await slow
            let events = try await store.events(after: early.after, count: 3)
            #expect(events.map(\.account) == ["alice", "bob", "bob"])
        }
    }
}
