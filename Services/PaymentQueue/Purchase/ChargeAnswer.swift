import StoreModels

/// What the processor's answer means for the purchase that asked.
enum ChargeAnswer: Hashable, Sendable {
    case approved
    case failed(TransactionError)
    /// The answer is about another amount than was agreed. The purchase neither succeeds nor fails until an operator
    /// has looked at it.
    case mismatch(charged: Money?)
    /// The processor has not made up its mind; it is asked again.
    case undecided

    init(_ charge: Charge, expected: Money) {
        switch charge.outcome {
        case .approved: self = charge.amount == expected ? .approved : .mismatch(charged: charge.amount)
        case .declined:
            let error = TransactionError(.unknown, charge.declineReason ?? "The payment was declined.")
            self = .failed(error.dueTo("processor"))
        case .cancelled: self = .failed(TransactionError(.paymentCancelled, "The payment was cancelled."))
        case .pending: self = .undecided
        }
    }
}
