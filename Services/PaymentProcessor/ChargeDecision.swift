import StoreModels

/// A processor's decision about a charge it has not seen before.
package struct ChargeDecision: Hashable, Sendable {
    /// `pending` is approved ``ChargeLedger/pendingTime`` later, unless it is cancelled before.
    package var outcome: Charge.Outcome
    /// Reason for a declined charge, a sentence.
    package var declineReason: String?

    package init(_ outcome: Charge.Outcome, declineReason: String? = nil) {
        self.outcome = outcome
        self.declineReason = declineReason
    }
}

extension ChargeDecision {
    init(_ mode: ProcessorMode) {
        switch mode {
        case .approve, .timeoutBefore, .timeoutAfter, .errorAfter, .slow, .duplicateCallback: self.init(.approved)
        case .decline: self.init(.declined, declineReason: "The sandbox declines every charge.")
        case .pending: self.init(Charge.Outcome.pending)
        }
    }
}
