import Persistence
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
    func `charges that are captured at once are paid by one commit, once per key`(_ engine: Engine) async throws {
        let fixture = try LedgerFixture(engine)
        try await fixture.withLedger { ledger async throws in
            _ = try await ledger.authorize(key: "held")
            let commits = ledger.database.statistics.commits
            let requests = try ["a", "b", "held"].map { try LedgerFixture.request($0) }
            let batch = AuthorizeChargesRequest(charges: requests, capturesAtOnce: true)
            let results = try await ledger.authorize(batch).charges.map(\.charge)
            #expect(results.map { $0?.outcome } == [.approved, .approved, .authorized])
            if engine == .sqlite { #expect(ledger.database.statistics.commits == commits + 1) }
            #expect(try await ledger.authorize(batch).charges.map(\.charge) == results)
            #expect(try await ledger.create(requests[0]) == results[0])
            // The caller of `create` charges what it has authorized.
            #expect(try await ledger.create(requests[2]).outcome == .approved)
            #expect(try await ledger.list(ChargeListRequest()).charges.map(\.outcome).count == 3)
        }
        try await fixture.withLedger(SandboxBehavior(mode: .pending)) { ledger async throws in
            let batch = AuthorizeChargesRequest(charges: [try LedgerFixture.request("slow")], capturesAtOnce: true)
            #expect(try await ledger.authorize(batch).charges.map { $0.charge?.outcome } == [.pending])
            #expect(try await ledger.list(ChargeListRequest()).charges.count == 3)
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

    @Test(arguments: Engine.allCases)
    func `each charge of a batch has a result of its own, and a refused one leaves its neighbours alone`(
        _ engine: Engine
    ) async throws {
        try await LedgerFixture(engine).withLedger { ledger async throws in
            let known = try await ledger.authorize(key: "known")
            _ = try await ledger.create(try LedgerFixture.request("charged"))
            let results = try await ledger.authorize([
                try LedgerFixture.request("z"), try LedgerFixture.request("free", "0.00"),
                try LedgerFixture.request("charged", "2.99"), try LedgerFixture.request("later", simulate: .pending),
                try LedgerFixture.request("poor", simulate: .decline), try LedgerFixture.request("known"),
                try LedgerFixture.request(""), try LedgerFixture.request(String(repeating: "k", count: 256)),
                try LedgerFixture.request("a"),
            ])
            let outcomes: [Charge.Outcome?] = [
                .authorized, nil, nil, .pending, .declined, .authorized, nil, nil, .authorized,
            ]
            #expect(results.map { $0.charge?.outcome } == outcomes)
            #expect(results.allSatisfy { ($0.charge == nil) == ($0.error?.code == .requestInvalid) })
            #expect(results.allSatisfy { ($0.charge == nil) == ($0.error != nil) })
            let paths: [JSONValue] = [
                .string("$.amount"), .string("$.amount"), .string("$.chargeKey"), .string("$.chargeKey"),
            ]
            #expect(results.compactMap { $0.error?.details["path"] } == paths)
            #expect(results[2].error?.details["conflict"] == .string("amount"))
            #expect(results[5].charge == known)
            #expect(results[8].charge?.chargeKey == "a")
            let listed = try await ledger.list(ChargeListRequest()).charges
            #expect(listed.map(\.chargeKey).sorted() == ["a", "charged", "known", "poor", "z"])
            for charge in results.compactMap(\.charge) where charge.outcome != .pending {
                #expect(listed.contains(charge))
            }
            #expect(try await ledger.charge("charged")?.outcome == .approved)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3 a batch of any size is one commit, and sent again it is the same charges`(_ engine: Engine) async throws {
        var random = SplitMix64.seeded()
        try await LedgerFixture(engine).withLedger { ledger async throws in
            var recorded: Set<Charge> = []
            for count in [1, 2, 3, 5, 32, 33, AuthorizeChargesRequest.chargesMax] {
                let requests = try (0..<count).map { try LedgerFixture.request("\(count)-\($0)") }
                let before = ledger.database.statistics
                let results = try await ledger.authorize(requests.shuffled(using: &random))
                #expect(ledger.database.statistics.writes == before.writes + 1)
                #expect(ledger.database.statistics.commits == before.commits + 1)
                let charges = Set(results.compactMap(\.charge))
                #expect(charges.count == count && charges.allSatisfy { $0.outcome == .authorized })
                let again = try await ledger.authorize(requests)
                #expect(again.compactMap(\.charge?.chargeKey) == requests.map(\.chargeKey))
                #expect(Set(again.compactMap(\.charge)) == charges)
                recorded.formUnion(charges)
            }
            // A batch of known and new ones.
            let mixed = ["5-0", "new", "5-1", "newer"]
            let results = try await ledger.authorize(try mixed.map { try LedgerFixture.request($0) })
            #expect(results.compactMap(\.charge?.chargeKey) == mixed)
            recorded.formUnion(results.compactMap(\.charge))
            #expect(Set(recorded.map(\.chargeIdentifier)).count == recorded.count)
            let listed = try await ledger.list(ChargeListRequest(limit: ChargeLedger.pageMax)).charges
            #expect(listed.count == recorded.count && Set(listed) == recorded)
        }
    }

    @Test(arguments: Engine.allCases)
    func `keys that differ only in how Unicode writes a letter are two charges of one batch`(
        _ engine: Engine
    ) async throws {
        try await LedgerFixture(engine).withLedger { ledger async throws in
            let keys = ["e\u{301}", "\u{E9}"]
            let requests = [try LedgerFixture.request(keys[0]), try LedgerFixture.request(keys[1], "2.99")]
            let amounts = requests.map(\.amount)
            for _ in 0..<2 {
                let charges = try await ledger.authorize(requests).compactMap(\.charge)
                #expect(charges.map { Array($0.chargeKey.utf8) } == keys.map { Array($0.utf8) })
                #expect(charges.map(\.amount) == amounts)
            }
            #expect(try await ledger.list(ChargeListRequest()).charges.count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3 two processors that authorize the same keys in opposite order both end, with the same charges`(
        _ engine: Engine
    ) async throws {
        try await LedgerFixture(engine).withTwoLedgers(SandboxBehavior(mode: .approve)) { ledgers in
            for round in 0..<20 {
                let requests = try (0..<32).map { try LedgerFixture.request("\(round)-\($0)") }
                let batches = [requests, Array(requests.reversed())]
                let answers = try await withThrowingTaskGroup(of: [AuthorizedCharge].self) { group in
                    for (ledger, batch) in zip(ledgers, batches) {
                        group.addTask { try await ledger.authorize(batch) }
                    }
                    return try await group.reduce(into: [Set<Charge>]()) { $0.append(Set($1.compactMap(\.charge))) }
                }
                #expect(answers.count == 2 && answers[0] == answers[1] && answers[0].count == requests.count)
            }
            // Nobody waited for a deadlock to be found.
            #expect(ledgers.allSatisfy { $0.database.statistics.failedCommits == 0 })
        }
    }

    /// Fails at the charges that a key names.
    private struct FailingBehavior: ProcessorBehavior {
        struct Failure: Error {}

        func decide(_ request: CreateChargeRequest) -> ChargeDecision { ChargeDecision(.approved) }

        func beforeCharge(_ request: CreateChargeRequest) async throws {
            if request.chargeKey == "before" { throw StoreError(.serviceUnavailable, "ordered by the test") }
        }

        func afterCharge(_ request: CreateChargeRequest) async throws {
            if request.chargeKey == "after" { throw Failure() }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a failure before the commit leaves nothing of its charge, one after it leaves that charge, and the rest pass`(
        _ engine: Engine
    ) async throws {
        let fixture = try LedgerFixture(engine)
        let requests = try ["before", "a", "after", "b"].map { try LedgerFixture.request($0) }
        let recorded = try await fixture.withLedger(FailingBehavior()) { ledger async throws in
            let results = try await ledger.authorize(requests)
            let codes: [StoreErrorCode?] = [.serviceUnavailable, nil, .internal, nil]
            #expect(results.map { $0.error?.code } == codes)
            #expect(results.map { $0.charge?.chargeKey } == [nil, "a", nil, "b"])
            return try await ledger.list(ChargeListRequest()).charges
        }
        #expect(recorded.map(\.chargeKey).sorted() == ["a", "after", "b"])
        try await fixture.withLedger { ledger async throws in
            let charges = try await ledger.authorize(requests).compactMap(\.charge)
            #expect(charges.count == 4 && Set(charges).isSuperset(of: recorded))
        }
    }

    @Test func `no charges, too many, and a key that appears twice, are refused as a whole`() async throws {
        try await LedgerFixture().withLedger { ledger async throws in
            let most = try (0..<AuthorizeChargesRequest.chargesMax).map { try LedgerFixture.request("\($0)") }
            let more = try LedgerFixture.request("more")
            let refused: [[CreateChargeRequest]] = [[], most + [more], [more, most[0], more]]
            for requests in refused {
                let error = await #expect(throws: StoreError.self) { _ = try await ledger.authorize(requests) }
                #expect(error?.code == .requestInvalid)
                #expect(error?.details["path"] == .string("$.charges"))
            }
            #expect(try await ledger.list(ChargeListRequest()).charges == [])
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

    /// Authorizes a batch of one.
    fileprivate func authorize(_ request: CreateChargeRequest) async throws -> Charge {
        let results = try await authorize([request])
        #expect(results.count == 1)
        if let error = results.first?.error { throw error }
        return try #require(results.first?.charge)
    }

    fileprivate func authorize(_ requests: [CreateChargeRequest]) async throws -> [AuthorizedCharge] {
        try await authorize(AuthorizeChargesRequest(charges: requests)).charges
    }
}
