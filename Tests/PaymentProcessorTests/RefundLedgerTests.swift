import PaymentProcessor
import Persistence
import StoreModels
import StorebusTesting
import Testing

/// Goal: money goes back once per key, and never more than was charged (P10).
@Suite struct RefundLedgerTests {
    private func refund(
        _ key: String, of charge: String = "c", _ amount: String = "1.99", currency: String = "USD"
    ) throws -> CreateRefundRequest {
        CreateRefundRequest(
            refundKey: key, chargeKey: charge,
            amount: try LedgerFixture.request(charge, amount, currency: currency).amount)
    }

    /// The `conflict` a refund is refused with; nil when it is not refused.
    private func conflict(_ request: CreateRefundRequest, _ ledger: ChargeLedger) async throws -> JSONValue? {
        do {
            _ = try await ledger.refund(request)
            return nil
        } catch let error as StoreError {
            #expect(error.code == .requestInvalid)
            return error.details["conflict"]
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refund is written once, and the same key returns it, in the next process too`(
        _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        let first = try await fixture.withLedger { ledger in
            _ = try await ledger.create(try LedgerFixture.request("c"))
            return try await ledger.refund(try refund("r", of: "c", "0.99"))
        }
        #expect(first.refundIdentifier == "1")
        fixture.advance(by: .seconds(5))
        try await fixture.withLedger { ledger in
            let again = try await ledger.refund(try refund("r", of: "c", "0.99"))
            #expect(again == first)
            #expect(try await ledger.listRefunds(ChargeListRequest()).refunds == [first])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P10: the refunds of a charge end where the charge ends`(_ engine: Engine) async throws {
        try await LedgerFixture(engine).withLedger { ledger in
            _ = try await ledger.create(try LedgerFixture.request("c", "2.00"))
            _ = try await ledger.refund(try refund("1", of: "c", "1.50"))
            #expect(try await conflict(try refund("2", of: "c", "0.51"), ledger) == .string("amount"))
            _ = try await ledger.refund(try refund("3", of: "c", "0.50"))
            #expect(try await conflict(try refund("4", of: "c", "0.01"), ledger) == .string("amount"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `another amount, currency or charge under a key is refused`(_ engine: Engine) async throws {
        try await LedgerFixture(engine).withLedger { ledger in
            for key in ["c", "d"] { _ = try await ledger.create(try LedgerFixture.request(key)) }
            _ = try await ledger.refund(try refund("r", of: "c", "1.00"))
            #expect(try await conflict(try refund("r", of: "c", "0.50"), ledger) == .string("amount"))
            #expect(try await conflict(try refund("r", of: "d", "1.00"), ledger) == .string("charge"))
            #expect(try await conflict(try refund("s", of: "c", "0.50", currency: "EUR"), ledger) == .string("amount"))
            #expect(try await ledger.listRefunds(ChargeListRequest()).refunds.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `nothing comes back of a charge that is unknown, declined, cancelled or pending`(
        _ engine: Engine
    ) async throws {
        try await LedgerFixture(engine).withLedger { ledger in
            _ = try await ledger.create(try LedgerFixture.request("declined", simulate: .decline))
            _ = try await ledger.create(try LedgerFixture.request("pending", simulate: .pending))
            _ = try await ledger.cancel(CancelChargeRequest(chargeKey: "cancelled"))
            for charge in ["unknown", "declined", "pending", "cancelled"] {
                #expect(try await conflict(try refund("r-\(charge)", of: charge), ledger) == .string("charge"))
            }
        }
    }

    @Test func `keys have 1 to 255 bytes and amounts are above zero`() async throws {
        try await LedgerFixture().withLedger { ledger in
            _ = try await ledger.create(try LedgerFixture.request("c"))
            for (request, path) in [
                (try refund(""), "$.refundKey"), (try refund(String(repeating: "k", count: 256)), "$.refundKey"),
                (try refund("r", of: ""), "$.chargeKey"), (try refund("r", of: "c", "0.00"), "$.amount"),
            ] {
                let error = await #expect(throws: StoreError.self) { _ = try await ledger.refund(request) }
                #expect(error?.details["path"] == .string(path))
            }
        }
    }

    @Test(arguments: Engine.allCases) func `refunds are listed in order and in pages`(_ engine: Engine) async throws {
        try await LedgerFixture(engine).withLedger { ledger in
            _ = try await ledger.create(try LedgerFixture.request("c"))
            for number in 0..<5 { _ = try await ledger.refund(try refund("\(number)", of: "c", "0.01")) }
            var (keys, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await ledger.listRefunds(ChargeListRequest(after: after, limit: 2))
                (keys, after) = (keys + page.refunds.map(\.refundKey), page.after)
            } while after != nil
            #expect(keys == ["0", "1", "2", "3", "4"])
            for request in [ChargeListRequest(limit: 0), ChargeListRequest(after: "x")] {
                await #expect(throws: StoreError.self) { _ = try await ledger.listRefunds(request) }
            }
        }
    }

    @Test(arguments: Engine.allCases) func `a ledger of the version before keeps its charges and takes refunds`(
        _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        _ = try await fixture.withDatabase(migrations: Array(PaymentProcessorSchema.migrations.prefix(2))) { database in
            try await database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO charge (charge_key, outcome, amount_minor, currency, bundle_id, customer_identifier,
                        product_identifier, created_at)
                    VALUES ('c', 'approved', 199, 'USD', 'app', 'customer', 'product', 1)
                    """)
            }
        }
        try await fixture.withLedger { ledger in
            let given = try await ledger.refund(try refund("r"))
            #expect(given.amount == .usd("1.99"))
        }
    }
}

extension Money {
    static func usd(_ amount: String) -> Money? {
        Currency(code: "USD").flatMap { Money(amount: amount, currency: $0) }
    }
}
