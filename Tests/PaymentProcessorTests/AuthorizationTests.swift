import StoreModels
import StorebusTesting
import Testing

@testable import PaymentProcessor

/// Goal: an authorization charges nothing until it is captured, and is captured once (ADR 0047; P2, P3, P10).
@Suite struct AuthorizationTests {
    @Test(arguments: Engine.allCases)
    func `an authorization is captured once, also after its time`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger async throws in
            let authorized = try await ledger.authorize(key: "a")
            #expect(authorized.outcome == .authorized && authorized.amount == .usd("1.99"))
            #expect(authorized.authorizedUntil == authorized.createdAt + ChargeLedger.authorizedTime)
            #expect(try await ledger.authorize(key: "a") == authorized)
            fixture.advance(by: ChargeLedger.authorizedTime * 2)
            for _ in 0..<2 {
                #expect(try await ledger.capture(CaptureChargesRequest(chargeKeys: ["a"])).refused == [])
            }
            let charges = try await ledger.list(ChargeListRequest()).charges
            #expect(charges.map(\.outcome) == [.approved] && charges[0].authorizedUntil == nil)
            #expect(charges[0].chargeIdentifier == authorized.chargeIdentifier)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what was voided, declined or never authorized is refused, and the rest is captured`(
        _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(SandboxBehavior(mode: .decline)) { ledger async throws in
            #expect(try await ledger.authorize(key: "declined").outcome == .declined)
        }
        try await fixture.withLedger { ledger async throws in
            for key in ["voided", "a", "b", "c"] { _ = try await ledger.authorize(key: key) }
            let voided = try await ledger.cancel(CancelChargeRequest(chargeKey: "voided"))
            #expect(voided.outcome == .cancelled && voided.authorizedUntil != nil)
            #expect(try await ledger.authorize(key: "voided").outcome == .cancelled)
            _ = try await ledger.create(try LedgerFixture.request("charged"))
            let keys = ["voided", "a", "declined", "unknown", "b", "charged", "A"]
            let reply = try await ledger.capture(CaptureChargesRequest(chargeKeys: keys))
            #expect(reply.refused == ["voided", "declined", "unknown", "A"])
            // A capture is final, as a charge is.
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "a")).outcome == .approved)
            let outcomes = try await ledger.list(ChargeListRequest()).charges.map(\.outcome)
            #expect(outcomes == [.declined, .cancelled, .approved, .approved, .authorized, .approved])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a key has one amount, and a caller that charges what it has authorized charges once`(
        _ engine: Engine
    ) async throws {
        try await LedgerFixture(engine).withLedger { ledger async throws in
            _ = try await ledger.authorize(key: "a")
            for isAuthorization in [true, false] {
                let error = await #expect(throws: StoreError.self) {
                    let other = try LedgerFixture.request("a", "2.99")
                    _ = isAuthorization ? try await ledger.authorize(other) : try await ledger.create(other)
                }
                #expect(error?.details["conflict"] == .string("amount"))
            }
            #expect(try await ledger.list(ChargeListRequest()).charges.map(\.outcome) == [.authorized])
            for _ in 0..<2 {
                let charge = try await ledger.create(try LedgerFixture.request("a"))
                #expect(charge.outcome == .approved)
            }
            #expect(try await ledger.list(ChargeListRequest()).charges.map(\.outcome) == [.approved])
        }
    }

    @Test(arguments: [ProcessorMode.pending, .slow, .timeoutBefore, .timeoutAfter, .errorAfter, .duplicateCallback])
    func `a mode that takes time or fails is left to the charge, and nothing is recorded`(
        _ mode: ProcessorMode
    ) async throws {
        try await LedgerFixture().withLedger(SandboxBehavior(mode: mode)) { ledger async throws in
            #expect(try await ledger.authorize(key: "a").outcome == .pending)
            #expect(try await ledger.list(ChargeListRequest()).charges == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P10: a refund of an authorization captures it, and gives back at most that`(_ engine: Engine) async throws {
        try await LedgerFixture(engine).withLedger { ledger async throws in
            _ = try await ledger.authorize(key: "a")
            let refund = CreateRefundRequest(refundKey: "r", chargeKey: "a", amount: try #require(.usd("1.99")))
            #expect(try await ledger.refund(refund).amount == .usd("1.99"))
            #expect(try await ledger.list(ChargeListRequest()).charges.map(\.outcome) == [.approved])
            let more = CreateRefundRequest(refundKey: "s", chargeKey: "a", amount: try #require(.usd("0.01")))
            await #expect(throws: StoreError.self) { _ = try await ledger.refund(more) }
        }
    }

    @Test func `no keys, and too many, are refused`() async throws {
        try await LedgerFixture().withLedger { ledger async throws in
            for count in [0, ChargeLedger.capturedMax + 1] {
                let keys = (0..<count).map { "\($0)" }
                let error = await #expect(throws: StoreError.self) {
                    _ = try await ledger.capture(CaptureChargesRequest(chargeKeys: keys))
                }
                #expect(error?.details["path"] == .string("$.chargeKeys"))
            }
            let most = (0..<ChargeLedger.capturedMax).map { "\($0)" }
            #expect(try await ledger.capture(CaptureChargesRequest(chargeKeys: most)).refused == most)
        }
    }
}

extension ChargeLedger {
    fileprivate func authorize(key: String) async throws -> Charge {
        try await authorize(try LedgerFixture.request(key))
    }
}
