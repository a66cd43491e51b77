import PaymentProcessor
import StoreModels
import StorebusTesting
import Testing

/// Goal: a pending charge is decided once, by the clock or by being given up, whichever comes first; the process it was
/// begun in does not matter.
@Suite struct PendingChargeTests {
    private let callbacks = Callbacks()

    private func request(_ key: String) throws -> CreateChargeRequest {
        try LedgerFixture.request(key, simulate: .pending)
    }

    @Test(arguments: Engine.allCases)
    func `it is approved two seconds later, with one callback behind the commit`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger in
            let settler = callbacks.settler(of: ledger)
            let pending = try await ledger.create(request("k"))
            #expect(pending.outcome == .pending)
            #expect(try await settler.round() == .seconds(2))
            fixture.advance(by: .milliseconds(1_999))
            #expect(try await ledger.create(request("k")) == pending)
            #expect(try await settler.round() == ChargeSettler.breath, "the next round is when it is due")
            #expect(callbacks.sent == [])
            fixture.advance(by: .milliseconds(1))
            #expect(try await settler.round() == nil)
            #expect(callbacks.sent == ["k"])
            var approved = pending
            approved.outcome = .approved
            #expect(try await ledger.create(request("k")) == approved)
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "k")) == approved)
            try await settler.round()
            #expect(callbacks.sent == ["k"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `it is approved in the next process too`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { _ = try await $0.create(request("k")) }
        fixture.advance(by: .seconds(2))
        try await fixture.withLedger { ledger in
            #expect(try await ledger.create(request("k")).outcome == .pending)
            try await callbacks.settler(of: ledger).round()
            #expect(callbacks.sent == ["k"])
            #expect(try await ledger.create(request("k")).outcome == .approved)
        }
    }

    @Test(arguments: [Duration.seconds(-3_600), .seconds(3_600)], Engine.allCases)
    func `P4: a wall clock that is set changes nothing about how long it is pending`(
        _ step: Duration, _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger in
            let settler = callbacks.settler(of: ledger)
            _ = try await ledger.create(request("k"))
            fixture.set(by: step)
            fixture.advance(by: .milliseconds(1_999))
            try await settler.round()
            #expect(callbacks.sent == [])
            fixture.advance(by: .milliseconds(1))
            try await settler.round()
            #expect(callbacks.sent == ["k"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P4: set back between two processes, it is approved two seconds after the second one has begun`(
        _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { _ = try await $0.create(request("k")) }
        fixture.set(by: .seconds(-3_600))
        try await fixture.withLedger { ledger in
            let settler = callbacks.settler(of: ledger)
            try await settler.round()
            #expect(callbacks.sent == [])
            fixture.advance(by: .seconds(2))
            try await settler.round()
            #expect(callbacks.sent == ["k"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5 given up before, it is cancelled for good`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger in
            _ = try await ledger.create(request("k"))
            let cancelled = try await ledger.cancel(CancelChargeRequest(chargeKey: "k"))
            #expect(cancelled.outcome == .cancelled)
            fixture.advance(by: .seconds(60))
            try await callbacks.settler(of: ledger).round()
            #expect(callbacks.sent == [])
            #expect(try await ledger.create(request("k")) == cancelled)
        }
    }

    @Test(arguments: Engine.allCases)
    func `many that are due at once are all approved, each with one callback`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger in
            let keys = (0..<300).map { "k\($0)" }
            for key in keys {
                _ = try await ledger.create(request(key))
                fixture.advance(by: .milliseconds(1))
            }
            fixture.advance(by: .seconds(2))
            let settler = callbacks.settler(of: ledger)
            #expect(try await settler.round() == ChargeSettler.breath, "there is more to do")
            #expect(callbacks.sent.count == 256)
            try await settler.round()
            #expect(callbacks.sent.sorted() == keys.sorted())
            #expect(try await settler.round() == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the same key with another amount is refused while it is pending`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger in
            _ = try await ledger.create(request("k"))
            let error = await #expect(throws: StoreError.self) {
                try await ledger.create(try LedgerFixture.request("k", "2.00", simulate: .pending))
            }
            #expect(error?.details["conflict"] == .string("amount"))
        }
    }
}
