import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a deleted app leaves no rows but refunds that are owed, its charges are settled first, and no request of an
/// ended deletion touches the next app of its name (P1, P10).
@Suite(.serialized) struct DeletedAppTests {
    private static let neighbour = "com.example.app2"

    private func remove(
        _ deletion: Int64, isLast: Bool = false, in store: TestStore, within time: Duration = .seconds(20)
    ) async throws {
        try await eventually("the app is removed", within: .seconds(60)) {
            try await store.caller.call(
                PaymentEndpoints.removeApp,
                RemoveAppRequest(bundleId: Catalogue.bundleId, deletion: deletion, isLast: isLast),
                context: CallContext(deadline: .now + time)
            ).isDone
        }
    }

    private func buy(_ product: String, of bundleId: String, in store: TestStore) async throws -> String {
        let account = try await store.caller.call(
            PaymentEndpoints.openAccount, OpenAccountRequest(bundleId: bundleId, account: "alice", deviceId: "phone"))
        return try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(
                bundleId: bundleId, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                payment: Payment(requestIdentifier: "1", productIdentifier: product))
        ).transaction.id
    }

    /// Counts an app's rows in each table that has some.
    private func rows(of bundleId: String, in store: TestStore) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        let tables = [
            "customer", "payment_transaction", "journal", "server_event", "refund", "subscription", "app_clock",
        ]
        for table in tables {
            let count = try await store.database.read { reader in
                try await reader.query("SELECT 1 AS one FROM \(table) WHERE bundle_id = ?", bundleId).count
            }
            if count > 0 { counts[table] = count }
        }
        return counts
    }

    @Test(arguments: Engine.allCases)
    func `purchases in flight are cancelled, each approved charge has had its transaction, and nothing is left`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let neighbours = try await buy("coins", of: Self.neighbour, in: store)
            let (alice, bob) = (try await store.customerApp(), try await store.customerApp("bob"))
            var purchased = [neighbours, try await alice.add("coins", key: "1").transaction.id]
            store.processor.set(trouble: .after)
            purchased.append(try await alice.begin("beaches", key: "2").transaction.id)
            try await eventually("it is charged") { try await store.charges().count == 3 }
            store.processor.set(trouble: .held)
            async let late = refusal { try await bob.add("coins", key: "1", within: .seconds(30)) }
            try await eventually("a charge is on its way") { store.processor.heldCount == 1 }
            try await remove(1, in: store)
            try await remove(1, isLast: true, in: store)
            store.processor.release()
            #expect(try await late?.code == .notFound)
            let approved = try await store.charges().filter { $0.outcome == .approved }.map(\.chargeKey)
            #expect(approved.sorted() == purchased.map { "purchase:\($0)" }.sorted())
            #expect(try await rows(of: Catalogue.bundleId, in: store).isEmpty)
            #expect(try await store.transactions().map(\.id) == [neighbours])
            #expect(try await rows(of: Self.neighbour, in: store)["customer"] == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `while the processor is away nothing is removed that it may have charged`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            await store.stopProcessor()
            let begun = try await alice.begin("beaches", key: "1").transaction
            let away = try await refusal {
                try await store.caller.call(
                    PaymentEndpoints.removeApp, RemoveAppRequest(bundleId: Catalogue.bundleId, deletion: 1))
            }
            #expect(away?.code == .serviceUnavailable)
            #expect(try await store.transactions().map(\.id) == [begun.id])
            try await store.startProcessor()
            try await remove(1, isLast: true, in: store)
            #expect(try await rows(of: Catalogue.bundleId, in: store).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refund without a reply outlives its app, and is given when the processor is back`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            _ = try await store.charges()
            await store.stopProcessor()
            _ = try await store.refund(bought.id)
            try await remove(1, in: store)
            try await remove(1, isLast: true, in: store)
            #expect(try await rows(of: Catalogue.bundleId, in: store) == ["refund": 1])
            try await store.startProcessor()
            try await store.settleRefunds()
            #expect(try await store.refunds().map(\.refundKey) == ["refund:\(bought.id)"])
            #expect(try await store.outbox() == 0)
        }
    }

    /// Runs `body` beside a transaction that commits its changes when `body` waits for a row of a table.
    private func run<Output: Sendable>(
        beside changes: [String], waitingFor table: String, in store: TestStore,
        _ body: @escaping @Sendable (any SQLDatabase) async throws -> Output
    ) async throws -> Output {
        let (gate, database) = (RowGate(), store.database)
        let holding = Task {
            try await database.write { transaction in
                for change in changes { try await transaction.execute(change) }
                await gate.wait()
            }
        }
        defer { gate.open() }
        try await eventually("the rows are changed") { gate.isWaitedFor }
        let running = Task { try await body(database) }
        try await eventually("a row is waited for") {
            try await database.read { reader in
                try await reader.queryOne(
                    """
                    SELECT 1 AS found FROM pg_locks WHERE locktype = 'tuple' AND granted
                        AND relation = '\(table)'::regclass
                    """) != nil
            }
        }
        gate.open()
        try await holding.value
        return try await running.value
    }

    @Test(arguments: ["journal", "customer", "app_clock"])
    func `rows that another commit changes meanwhile are removed too`(_ table: String) async throws {
        try await TestStore.with(.postgres) { store in
            _ = try await buy("coins", of: Catalogue.bundleId, in: store)
            let change = "UPDATE \(table) SET bundle_id = bundle_id"
            let reply = try await run(beside: [change], waitingFor: table, in: store) { database in
                try await AppRemoval(database: database).remove(
                    RemoveAppRequest(bundleId: Catalogue.bundleId, deletion: 1, isLast: true))
            }
            #expect(reply.isDone)
            #expect(try await rows(of: Catalogue.bundleId, in: store).isEmpty)
        }
    }

    @Test func `a purchase that begins beside the removal keeps its customer and its clock`() async throws {
        try await TestStore.with(.postgres) { store in
            _ = try await buy("coins", of: Catalogue.bundleId, in: store)
            let changes = [
                "UPDATE customer SET head_seq = head_seq + 1",
                """
                INSERT INTO payment_transaction SELECT (jsonb_populate_record(bought, '{
                    "id": "late", "created_seq": 1000, "state": "purchasing", "phase": "charging",
                    "request_key": "late", "transaction_number": null, "history_seq": null
                }')).* FROM payment_transaction bought
                """,
            ]
            let begun = try await run(beside: changes, waitingFor: "customer", in: store) { database in
                try await refusal {
                    try await AppRemoval(database: database).remove(
                        RemoveAppRequest(bundleId: Catalogue.bundleId, deletion: 1))
                }
            }
            #expect(begun?.code == .serviceUnavailable)
            let left = try await rows(of: Catalogue.bundleId, in: store)
            #expect(left["payment_transaction"] == 2 && left["customer"] == 1 && left["app_clock"] == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a renewal under way is given up with its app`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            _ = try await alice.subscribe("news.weekly")
            store.processor.set(trouble: .before)
            _ = try? await store.move(by: "9d", key: "on", within: .milliseconds(900))
            try await remove(1, in: store)
            try await remove(1, isLast: true, in: store)
            store.processor.set(trouble: .none)
            #expect(try await rows(of: Catalogue.bundleId, in: store).isEmpty)
            #expect(try await store.renewals().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a late request of an ended deletion touches nothing of an app made anew`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            _ = try await buy("coins", of: Catalogue.bundleId, in: store)
            try await remove(4, in: store)
            try await remove(4, isLast: true, in: store)
            let again = try await buy("coins", of: Catalogue.bundleId, in: store)
            store.processor.set(trouble: .held)
            let alice = try await store.customerApp()
            async let bought = alice.add("beaches", key: "2", within: .seconds(30))
            try await eventually("a charge is on its way") { store.processor.heldCount == 1 }
            for (deletion, isLast) in [(4, false), (4, true), (3, true)] as [(Int64, Bool)] {
                try await remove(deletion, isLast: isLast, in: store)
            }
            store.processor.release()
            let transaction = try await bought.transaction
            #expect(transaction.transactionState == .purchased)
            #expect(try await store.transactions().map(\.id).sorted() == [again, transaction.id].sorted())
            try await remove(5, isLast: true, in: store)
            #expect(try await store.transactions().isEmpty)
        }
    }
}
