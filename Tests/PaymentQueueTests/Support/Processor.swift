import EventLoop
import PaymentProcessor
import StoreModels

/// A processor whose decisions and failures a test orders.
final class Processor: ProcessorBehavior {
    /// What happens to a charge on its way.
    enum Trouble: Sendable {
        case none
        /// It fails before anything is written.
        case before
        /// The charge is made and its answer is an error.
        case after
        /// It gets no further until ``Processor/release()``.
        case held
        /// The same, for one customer's charges; all others pass.
        case heldOf(String)

        fileprivate func holds(_ request: CreateChargeRequest) -> Bool {
            switch self {
            case .held: true
            case .heldOf(let customer): request.customerIdentifier == customer
            case .none, .before, .after: false
            }
        }
    }

    private struct Contents {
        var outcome = Charge.Outcome.approved
        /// Whether a request that wishes for an approval or a decline gets it.
        var grantsWishes = false
        var trouble = Trouble.none
        var attempts = 0
        var wishes: [ProcessorMode?] = []
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Locked(Contents())

    func set(outcome: Charge.Outcome) { contents.withLock { $0.outcome = outcome } }
    func set(grantsWishes: Bool) { contents.withLock { $0.grantsWishes = grantsWishes } }
    func set(trouble: Trouble) { contents.withLock { $0.trouble = trouble } }
    var attempts: Int { contents.withLock { $0.attempts } }
    /// What each request asked the processor to play.
    var wishes: [ProcessorMode?] { contents.withLock { $0.wishes } }

    /// Lets go of what is held, and holds nothing from now on.
    func release() {
        let held = contents.withLock { contents in
            contents.trouble = .none
            defer { contents.held = [] }
            return contents.held
        }
        for continuation in held { continuation.resume() }
    }

    /// How many charges are held.
    var heldCount: Int { contents.withLock { $0.held.count } }

    private func hold(_ request: CreateChargeRequest) async {
        await withCheckedContinuation { continuation in
            let isHeld = contents.withLock { contents in
                let holds = contents.trouble.holds(request)
                if holds { contents.held.append(continuation) }
                return holds
            }
            if !isHeld { continuation.resume() }
        }
    }

    func decide(_ request: CreateChargeRequest) -> ChargeDecision {
        let outcome = contents.withLock { contents -> Charge.Outcome in
            switch request.simulate {
            case .approve where contents.grantsWishes: .approved
            case .decline where contents.grantsWishes: .declined
            default: contents.outcome
            }
        }
        return ChargeDecision(outcome, declineReason: outcome == .declined ? "No money." : nil)
    }

    func beforeCharge(_ request: CreateChargeRequest) async throws {
        let trouble = contents.withLock { contents in
            contents.attempts += 1
            contents.wishes.append(request.simulate)
            return contents.trouble
        }
        if trouble.holds(request) { await hold(request) }
        if case .before = trouble { throw StoreError(.serviceUnavailable, "ordered by the test") }
    }

    func afterCharge(_ request: CreateChargeRequest) async throws {
        if case .after = contents.withLock({ $0.trouble }) { throw StoreError(.internal, "ordered by the test") }
    }
}
