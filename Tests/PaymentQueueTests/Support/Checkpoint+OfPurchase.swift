@testable import PaymentQueue

extension Checkpoint {
    /// Those that a purchase which is charged after its first commit comes by.
    static let ofPurchase: [Checkpoint] = [
        .beforeFirstCommit, .insideFirstCommit, .afterFirstCommit, .beforeCharge, .afterCharge, .insideOutcomeCommit,
        .afterOutcomeCommit, .afterPublish, .beforeReply,
    ]
}
