import PaymentProcessor
import StoreModels
import StorebusTesting
import Testing

/// Goal: each mode does what it is called, once a key where it leaves the outcome unknown, and the same in the next
/// process. P3, P5: in each mode one key is one charge at most.
@Suite struct ProcessorModeTests {

    @Test(arguments: ProcessorMode.allCases)
    func `a mode decides every charge, and a request's own mode goes before it`(_ mode: ProcessorMode) throws {
        let outcomes: [ProcessorMode: Charge.Outcome] = [.decline: .declined, .pending: .pending]
        let expected = outcomes[mode] ?? .approved
        let asked = SandboxBehavior(mode: .approve).decide(try LedgerFixture.request("k", simulate: mode))
        let configured = SandboxBehavior(mode: mode).decide(try LedgerFixture.request("k"))
        #expect(asked == configured)
        #expect(asked.outcome == expected)
        #expect((asked.declineReason != nil) == (expected == .declined))
        let (overruled, decline) = (SandboxBehavior(mode: mode), try LedgerFixture.request("k", simulate: .decline))
        #expect(overruled.decide(decline).outcome == .declined)
        #expect(overruled.trouble(with: decline) == .none)
    }

    @Test(arguments: Engine.allCases)
    func `P3 timeoutBefore does not answer a key's first create and charges nothing, once`(_ engine: Engine)
        async throws
    {
        let fixture = try LedgerFixture(engine)
        let request = try LedgerFixture.request("k", simulate: .timeoutBefore)
        try await fixture.withLedger { ledger async throws in
            let deadline = ContinuousClock.now + .seconds(3_600)
            let error = await #expect(throws: StoreError.self) { try await ledger.create(request, until: deadline) }
            #expect(error?.code == .deadlineExceeded)
            #expect(fixture.waited.count == 1)
            #expect(fixture.waited[0] > .seconds(3_000), "the asker's deadline passes before anything is answered")
            #expect(try await ledger.charge("k") == nil)
        }
        try await fixture.withLedger { ledger async throws in
            #expect(try await ledger.create(request).outcome == .approved)
            #expect(try await ledger.create(request).outcome == .approved)
            #expect(fixture.waited.count == 1)
        }
    }

    @Test(arguments: [ProcessorMode.timeoutAfter, .errorAfter], Engine.allCases)
    func `P3 a charge whose first answer is lost is kept and found again`(
        _ mode: ProcessorMode, _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        let request = try LedgerFixture.request("k", simulate: mode)
        let charged = try await fixture.withLedger { ledger async throws in
            let error = await #expect(throws: StoreError.self) {
                try await ledger.create(request, until: .now + .seconds(3_600))
            }
            #expect(error?.code == (mode == .errorAfter ? .internal : .deadlineExceeded))
            #expect(fixture.waited.allSatisfy { $0 > .seconds(3_000) })
            #expect(fixture.waited.count == (mode == .errorAfter ? 0 : 1))
            return try #require(try await ledger.charge("k"))
        }
        #expect(charged.outcome == .approved)
        try await fixture.withLedger { ledger async throws in
            #expect(try await ledger.create(request) == charged)
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "k")) == charged)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a key has one answer withheld, also when its mode changes in between`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger async throws in
            let before = try LedgerFixture.request("k", simulate: .timeoutBefore)
            await #expect(throws: StoreError.self) { try await ledger.create(before) }
            let after = try LedgerFixture.request("k", simulate: .errorAfter)
            #expect(try await ledger.create(after).outcome == .approved)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5 a key that was given up while its answer was withheld stays free of charge`(_ engine: Engine) async throws
    {
        let fixture = try LedgerFixture(engine)
        let request = try LedgerFixture.request("k", simulate: .timeoutBefore)
        try await fixture.withLedger { ledger async throws in
            await #expect(throws: StoreError.self) { try await ledger.create(request) }
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "k")).outcome == .cancelled)
            #expect(try await ledger.create(request).outcome == .cancelled)
            let other = try LedgerFixture.request("other", simulate: .timeoutBefore)
            #expect(try await ledger.cancel(CancelChargeRequest(chargeKey: "other")).outcome == .cancelled)
            #expect(try await ledger.create(other).outcome == .cancelled)
        }
    }

    @Test(arguments: Engine.allCases)
    func `slow approves after two seconds, and other charges do not wait for it`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        let request = try LedgerFixture.request("slow", simulate: .slow)
        try await fixture.withLedger(whileWaiting: { ledger async throws in
            #expect(try await ledger.create(try LedgerFixture.request("quick")).outcome == .approved)
            #expect(try await ledger.charge("slow") == nil)
        }) { ledger async throws in
            #expect(try await ledger.create(request).outcome == .approved)
            #expect(try await ledger.create(request).outcome == .approved)
            #expect(fixture.waited == [.seconds(2)])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5 a slow charge that is given up meanwhile is cancelled`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger(whileWaiting: { ledger async throws in
            _ = try await ledger.cancel(CancelChargeRequest(chargeKey: "k"))
        }) { ledger async throws in
            #expect(try await ledger.create(try LedgerFixture.request("k", simulate: .slow)).outcome == .cancelled)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a wait that ends with the process charges nothing and may be tried again`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        struct Stopped: Error {}
        let request = try LedgerFixture.request("k", simulate: .slow)
        try await fixture.withLedger(whileWaiting: { _ in throw Stopped() }) { ledger async throws in
            let error = await #expect(throws: StoreError.self) { try await ledger.create(request) }
            #expect(error?.code == .serviceUnavailable)
            #expect(try await ledger.charge("k") == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `duplicateCallback approves at once and sends its callback twice, late`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        let callbacks = Callbacks()
        try await fixture.withLedger { ledger async throws in
            let settler = callbacks.settler(of: ledger)
            for _ in 0..<2 {
                let request = try LedgerFixture.request("k", simulate: .duplicateCallback)
                #expect(try await ledger.create(request).outcome == .approved)
            }
            try await settler.round()
            #expect(callbacks.sent == [])
            fixture.advance(by: .milliseconds(999))
            #expect(try await settler.round() == ChargeSettler.breath)
            #expect(callbacks.sent == [])
            fixture.advance(by: .milliseconds(1))
            try await settler.round()
            #expect(callbacks.sent == ["k"])
            fixture.advance(by: .seconds(1))
            try await settler.round()
            fixture.advance(by: .seconds(60))
            #expect(try await settler.round() == nil)
            #expect(callbacks.sent == ["k", "k"])
        }
    }
}
