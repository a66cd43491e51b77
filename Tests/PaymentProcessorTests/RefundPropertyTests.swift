import PaymentProcessor
import StoreModels
import StorebusTesting
import Testing

/// Goal: P10 under concurrent requests. Method: random refunds of a few charges, with keys that repeat, at two
/// processors at once; then the ledger is added up.
@Suite struct RefundPropertyTests {
    /// What became of one attempt.
    private enum Answer: Sendable {
        case given(Refund)
        case refused(String)
    }

    @Test(arguments: Engine.allCases)
    func `P10 the refunds of a charge never exceed it, one a key, and answers are final`(
        _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded()
        let fixture = try LedgerFixture(engine)
        let charges = ["a": "1.00", "b": "2.50", "c": "0.10"]
        try await fixture.withTwoLedgers(SandboxBehavior(mode: .approve)) { ledgers in
            for (key, amount) in charges { _ = try await ledgers[0].create(try LedgerFixture.request(key, amount)) }
            var given: [String: Refund] = [:]
            for _ in 0..<30 {
                let requests = (0..<8).map { _ in Self.request(charges.keys.sorted(), &random) }
                for answer in try await Self.ask(requests, ledgers) {
                    guard case .given(let refund) = answer else { continue }
                    #expect(given.updateValue(refund, forKey: refund.refundKey) ?? refund == refund)
                }
            }
            let rows = try await ledgers[0].listRefunds(ChargeListRequest(limit: 500)).refunds
            #expect(rows.sorted { $0.refundKey < $1.refundKey } == given.values.sorted { $0.refundKey < $1.refundKey })
            for (key, amount) in charges {
                let total = rows.filter { $0.chargeKey == key }.reduce(0) { $0 + $1.amount.minorUnits }
                let charged = try LedgerFixture.request(key, amount).amount.minorUnits
                #expect(total <= charged, "\(total) of \(charged) were given back of \(key)")
                // The run has come to each charge's end, so the bound was what held it.
                #expect(total > charged - 40)
            }
        }
    }

    private static func request(_ charges: [String], _ random: inout SplitMix64) -> CreateRefundRequest {
        let charge = charges.randomElement(using: &random) ?? ""
        guard let currency = Currency(code: "USD") else { preconditionFailure("USD is a currency") }
        return CreateRefundRequest(
            refundKey: "\(charge)-\(Int.random(in: 0..<60, using: &random))", chargeKey: charge,
            amount: Money(minorUnits: Int64.random(in: 1...40, using: &random), currency: currency))
    }

    private static func ask(_ requests: [CreateRefundRequest], _ ledgers: [ChargeLedger]) async throws -> [Answer] {
        try await withThrowingTaskGroup { group in
            for (index, request) in requests.enumerated() {
                let ledger = ledgers[index % ledgers.count]
                group.addTask {
                    do {
                        return Answer.given(try await ledger.refund(request))
                    } catch let error as StoreError where error.code == .requestInvalid {
                        return .refused(error.message)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
