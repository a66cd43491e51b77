import StoreModels

/// What a processor decides about a charge it has not seen before.
package struct ChargeDecision: Hashable, Sendable {
    package var outcome: Charge.Outcome
    /// A sentence, for declined charges.
    package var declineReason: String?

    package init(_ outcome: Charge.Outcome, declineReason: String? = nil) {
        self.outcome = outcome
        self.declineReason = declineReason
    }
}

/// The side of the processor that a real one has and a sandbox plays: the decision, and what goes wrong on the way.
///
/// The ledger asks `decide` once per charge, inside the commit, so it is quick and does no I/O. The two others surround
/// the commit; throwing or waiting there is how a test makes an outcome unknown.
package protocol ProcessorBehavior: Sendable {
    func decide(_ request: CreateChargeRequest) -> ChargeDecision
    /// Before anything is written.
    func beforeCharge(_ request: CreateChargeRequest) async throws
    /// The charge stands; its answer has not gone out.
    func afterCharge(_ request: CreateChargeRequest) async throws
}

extension ProcessorBehavior {
    package func beforeCharge(_ request: CreateChargeRequest) async throws {}
    package func afterCharge(_ request: CreateChargeRequest) async throws {}
}

/// The sandbox as configured: one mode for all charges.
package struct SandboxBehavior: ProcessorBehavior {
    package let mode: ProcessorMode

    package init(mode: ProcessorMode) { self.mode = mode }

    package func decide(_ request: CreateChargeRequest) -> ChargeDecision {
        switch mode {
        case .approve: ChargeDecision(.approved)
        case .decline: ChargeDecision(.declined, declineReason: "The sandbox declines every charge.")
        }
    }
}
