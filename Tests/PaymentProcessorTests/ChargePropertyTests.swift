import PaymentProcessor
import StoreModels
import StorebusTesting
import Testing

/// Goal: P3, P4, P7 of the ledger, under any requests. Method: random modes, creates and cancels of a few keys, several
/// at once and by two processors, with the clock moving and the processes starting again in between; every answer is
/// held against all others.
@Suite struct ChargePropertyTests {
    private enum Step: Sendable {
        case create(CreateChargeRequest)
        case cancel(String)
        case settle
    }

    /// What a step came back with.
    private enum Answer: Sendable {
        case charge(Charge)
        /// An answer that was withheld or spoiled, of this key.
        case spoiled(String)
        case settled
    }

    /// What was seen of each key.
    private struct History {
        var decided: [String: Charge.Outcome] = [:]
        var identifiers: [String: String] = [:]
        var spoiled: [String: Int] = [:]

        mutating func note(_ answer: Answer) {
            switch answer {
            case .charge(let charge): note(charge)
            case .spoiled(let key):
                spoiled[key, default: 0] += 1
                #expect(spoiled[key] == 1, "\(key) was left without an answer twice")
            case .settled: break
            }
        }

        mutating func note(_ charge: Charge) {
            let key = charge.chargeKey
            #expect(identifiers[key, default: charge.chargeIdentifier] == charge.chargeIdentifier, "\(key) twice")
            identifiers[key] = charge.chargeIdentifier
            guard charge.outcome != .pending else { return }
            let before = decided.updateValue(charge.outcome, forKey: key) ?? charge.outcome
            #expect(before == charge.outcome, "\(key) was \(before) and is \(charge.outcome)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3 P4 a key is captured once at most and its outcome never changes once it is decided`(
        _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded()
        let fixture = try LedgerFixture(engine)
        var history = History()
        for life in 0..<12 {
            let steps = try (0..<60).map { _ in try step(life: life, &random) }
            history = try await fixture.withTwoLedgers(SandboxBehavior(mode: .approve)) { ledgers in
                try await Self.run(steps, on: ledgers, history) { fixture.advance(by: .milliseconds(400)) }
            }
        }
        fixture.advance(by: .seconds(60))
        try await fixture.withLedger { ledger in
            try await ChargeSettler(ledger: ledger) { _ in }.round()
            let charges = try await ledger.list(ChargeListRequest(limit: 500)).charges
            for charge in charges { history.note(charge) }
            #expect(Set(charges.map(\.chargeKey)).count == charges.count)
            #expect(charges.allSatisfy { $0.outcome != .pending })
            // The run has seen everything it is about.
            #expect(Set(charges.map(\.outcome)) == [.approved, .declined, .cancelled])
            #expect(history.spoiled.count > 3)
        }
    }

    /// Chooses a random step. Its key is of this life or the one before, so that some keys are used across a restart.
    private func step(life: Int, _ random: inout SplitMix64) throws -> Step {
        let key = "\(life - Int.random(in: 0...1, using: &random))-\(Int.random(in: 0..<4, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .settle
        case 1: return .cancel(key)
        default:
            let mode = ProcessorMode.allCases.randomElement(using: &random)
            return .create(try LedgerFixture.request(key, simulate: mode))
        }
    }

    /// Five steps at a time.
    private static func run(
        _ steps: [Step], on ledgers: [ChargeLedger], _ history: History, between: () -> Void
    ) async throws -> History {
        var history = history
        for start in stride(from: 0, to: steps.count, by: 5) {
            let answers = try await withThrowingTaskGroup { group in
                for (index, step) in steps[start..<min(start + 5, steps.count)].enumerated() {
                    let ledger = ledgers[index % ledgers.count]
                    group.addTask { try await perform(step, on: ledger) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers { history.note(answer) }
            between()
        }
        return history
    }

    private static func perform(_ step: Step, on ledger: ChargeLedger) async throws -> Answer {
        switch step {
        case .settle:
            try await ChargeSettler(ledger: ledger) { _ in }.round()
            return .settled
        case .cancel(let key):
            let charge = try await ledger.cancel(CancelChargeRequest(chargeKey: key))
            #expect(charge.outcome != .pending)
            return .charge(charge)
        case .create(let request):
            do {
                return .charge(try await ledger.create(request))
            } catch let error as StoreError where error.code == .internal || error.code == .deadlineExceeded {
                return .spoiled(request.chargeKey)
            }
        }
    }
}
