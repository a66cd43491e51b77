@testable import PaymentQueue

extension Checkpoint {
    /// Those every purchase comes by.
    static let ofPurchase: [Checkpoint] = [
        .beforeFirstCommit, .insideFirstCommit, .afterFirstCommit, .beforeCharge, .afterCharge, .insideOutcomeCommit,
        .afterOutcomeCommit, .afterPublish, .beforeReply,
    ]
}
