import EventLoop
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentProcessor

/// Goal: one key is one charge whose outcome never changes, and the ledger survives its process.
@Suite struct ChargeLedgerTests {
    /// Decides as told, for each charge it is asked about.
    private final class Order: ProcessorBehavior {
        enum Trouble { case none, before, after }
        struct Failure: Error {}

        let outcome = Locked(Charge.Outcome.approved)
        let trouble = Locked(Trouble.none)

        func decide(_ request: CreateChargeRequest) -> ChargeDecision {
            let outcome = outcome.withLock { $0 }
            return ChargeDecision(outcome, declineReason: outcome == .declined ? "No money." : nil)
        }

        func beforeCharge(_ request: CreateChargeRequest) async throws {
            if trouble.withLock({ $0 == .before }) { throw Failure() }
        }

        func afterCharge(_ request: CreateChargeRequest) async throws {
            if trouble.withLock({ $0 == .after }) { throw Failure() }
        }
    }

    private let order = Order()

    private func request(_ key: String, _ amount: String = "1.99", currency: String = "USD") throws
        -> CreateChargeRequest
    {
        try LedgerFixture.request(key, amount, currency: currency)
    }

    @Test(arguments: Engine.allCases)
    func `the same key is the same charge, in the next process and in another mode too`(_ engine: Engine)
        async throws
    {
        let fixture = try LedgerFixture(engine)
        let first = try await fixture.withLedger(order) { try await $0.create(request("k")) }
        #expect(first.outcome == .approved)
        #expect(first.chargeIdentifier == "1")
        #expect(first.amount?.amount == "1.99")
        #expect(first.declineReason == nil)
        order.outcome.withLock { $0 = .declined }
        let again = try await fixture.withLedger(order) { ledger in
            #expect(try await ledger.create(request("k")) == first)
            return try await ledger.create(request("k2"))
        }
        #expect(again.outcome == .declined)
        #expect(again.declineReason == "No money.")
    }

    @Test(arguments: Engine.allCases)
    func `P3 32 creates at once are one charge`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            let charge = try request("k")
            let charges = try await withThrowingTaskGroup { group in
                for _ in 0..<32 { group.addTask { try await ledger.create(charge) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(charges.count == 1)
        }
    }

    @Test(arguments: [("2.00", "USD"), ("1.99", "EUR")], Engine.allCases)
    func `the same key with another amount is refused and changes nothing`(
        _ other: (amount: String, currency: String), _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            let first = try await ledger.create(request("k"))
            let error = await #expect(throws: StoreError.self) {
                try await ledger.create(request("k", other.amount, currency: other.currency))
            }
            #expect(error?.code == .requestInvalid)
            #expect(error?.details["conflict"] == .string("amount"))
            #expect(try await ledger.create(request("k")) == first)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a cancelled key is a tombstone: a late create answers cancelled`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            let tombstone = try await ledger.cancel(CancelChargeRequest(chargeKey: "k"))
            #expect(tombstone.outcome == .cancelled)
            #expect(tombstone.amount == nil)
            #expect(try await ledger.create(request("k")) == tombstone)
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "k")) == tombstone)
        }
    }

    @Test(arguments: Engine.allCases)
    func `cancelling a decided charge returns it`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            let charge = try await ledger.create(request("k"))
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "k")) == charge)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a failure before the charge leaves nothing, one after it leaves the charge`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            order.trouble.withLock { $0 = .before }
            await #expect(throws: Order.Failure.self) { try await ledger.create(request("before")) }
            order.trouble.withLock { $0 = .after }
            await #expect(throws: Order.Failure.self) { try await ledger.create(request("after")) }
            let charges = try await ledger.list(ChargeListRequest()).charges
            #expect(charges.map(\.chargeKey) == ["after"])
            order.trouble.withLock { $0 = .none }
            #expect(try await ledger.create(request("after")) == charges.first)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the ledger is listed in order, page by page`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            for number in 1...5 { _ = try await ledger.create(request("k\(number)")) }
            var (seen, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await ledger.list(ChargeListRequest(after: after, limit: 2))
                #expect(page.charges.count <= 2)
                seen += page.charges.map(\.chargeKey)
                after = page.after
            } while after != nil
            #expect(seen == ["k1", "k2", "k3", "k4", "k5"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the ledger of one app has the charges and refunds of that app`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            var other = try request("other")
            other.bundleId = "com.example.other"
            for request in [try request("own"), other] {
                _ = try await ledger.create(request)
                _ = try await ledger.refund(
                    CreateRefundRequest(
                        refundKey: "refund:\(request.chargeKey)", chargeKey: request.chargeKey,
                        amount: request.amount))
            }
            let own = ChargeListRequest(bundleId: "com.example.app")
            #expect(try await ledger.list(own).charges.map(\.chargeKey) == ["own"])
            #expect(try await ledger.listRefunds(own).refunds.map(\.refundKey) == ["refund:own"])
            #expect(try await ledger.listRefunds(ChargeListRequest()).refunds.count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `keys, amounts and limits have bounds`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(order) { ledger in
            let calls: [() async throws -> Void] = [
                { _ = try await ledger.create(request("")) },
                { _ = try await ledger.create(request(String(repeating: "k", count: 256))) },
                { _ = try await ledger.create(request("k", "0.00")) },
                { _ = try await ledger.cancel(CancelChargeRequest(chargeKey: "")) },
                { _ = try await ledger.list(ChargeListRequest(limit: 501)) },
                { _ = try await ledger.list(ChargeListRequest(after: "x")) },
            ]
            for call in calls {
                let error = await #expect(throws: StoreError.self) { try await call() }
                #expect(error?.code == .requestInvalid)
            }
            let listed = try await ledger.list(ChargeListRequest(limit: 500))
            #expect(listed.charges.isEmpty)
        }
    }

    /// Only SQLite has ledgers of that version.
    @Test func `a ledger of the first version keeps its charges and counts on`() async throws {
        let fixture = try LedgerFixture()
        try await fixture.withDatabase(migrations: Array(PaymentProcessorSchema.migrations.prefix(1))) { database in
            _ = try await database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO charge (charge_number, charge_key, outcome, amount_minor, currency, created_at)
                    VALUES (6, 'old', 'declined', 199, 'USD', 1)
                    """)
            }
        }
        try await fixture.withLedger(order) { ledger in
            let old = try #require(try await ledger.charge("old"))
            #expect(try await ledger.create(request("old")) == old)
            #expect(old.outcome == .declined)
            #expect(try await ledger.create(request("new")).chargeIdentifier == "7")
        }
    }

    @Test(arguments: Engine.allCases)
    func `only so many withheld answers are remembered; the oldest is forgotten`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        let remembered = try await fixture.withDatabase { database in
            try await database.write { transaction in
                for number in 0..<WithheldReplyRepository.rowsMax {
                    try await transaction.send(
                        "INSERT INTO withheld_answer (charge_key, created_at) VALUES (?, ?)", "k\(number)", number)
                }
                let now = Timestamp(milliseconds: Int64(WithheldReplyRepository.rowsMax))
                #expect(try await WithheldReplyRepository.claim("new", at: now, in: transaction))
                return try await transaction.query(
                    "SELECT charge_key FROM withheld_answer WHERE charge_key IN ('k0', 'k1', 'new') ORDER BY charge_key"
                ).map { try $0["charge_key"] as String }
            }
        }
        #expect(remembered == ["k1", "new"])
    }
}
