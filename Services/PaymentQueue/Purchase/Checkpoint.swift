/// A place between two steps of a purchase where a process may die.
///
/// It does nothing in production. Tests stop a purchase at each place and check how the next process continues.
enum Checkpoint: String, CaseIterable, Sendable {
    /// The processor is about to be asked for an authorization.
    case beforeAuthorization
    /// The processor has replied, and nothing is stored.
    case afterAuthorization
    case beforeFirstCommit
    /// A decision has claimed the introductory offer. Nothing is written yet.
    case afterOfferClaim
    /// Everything of the first commit is written and not committed.
    case insideFirstCommit
    case afterFirstCommit
    /// The processor is about to be asked.
    case beforeCharge
    /// The processor has replied, and the reply is not stored.
    case afterCharge
    case insideOutcomeCommit
    case afterOutcomeCommit
    /// The processor is about to be asked to capture charges.
    case beforeCapture
    /// The processor has captured charges, and that is not stored.
    case afterCapture
    case afterPublish
    /// Everything is committed and published, and the caller has no reply yet.
    case beforeReply
    case insideFinishCommit
    case afterFinishCommit
    /// A prompt's answer is written and not committed.
    case insideAnswerCommit
    case afterAnswerCommit
    /// The processor has cancelled the charge of a purchase that will be removed.
    case afterCancel
    case insideRemovalCommit
    case afterRemovalCommit
    /// A part of a restore is written and not committed.
    case insideRestoreCommit
    case afterRestoreCommit
    /// A download's new state is written and not committed.
    case insideDownloadCommit
    case afterDownloadCommit
    /// A refund is decided and written, and not committed.
    case insideRefundCommit
    case afterRefundCommit
    /// The processor has returned the money, and the result is not stored.
    case afterRefund
    /// The charges of renewals are fixed and not committed.
    case insidePageCommit
    case afterPageCommit
    case beforeRenewalCharge
    /// The processor has replied about a renewal, and the reply is not stored.
    case afterRenewalCharge
    case insideRenewalCommit
    case afterRenewalCommit
}

/// Runs at a checkpoint. Throwing ends the step there, as a dying process would.
typealias CheckpointHook = @Sendable (Checkpoint) throws -> Void
