/// A point between two steps of a decision where a process may crash. It has no effect in production; tests stop the
/// service at each of them and check how the next process continues.
enum Checkpoint: String, CaseIterable, Sendable {
    /// The intent is written and not committed.
    case insideStartCommit
    case afterStartCommit
    /// The decision is written and not committed.
    case insideDecisionCommit
    /// The decision is committed, and PaymentQueue does not have the payment.
    case afterDecisionCommit
    /// PaymentQueue has answered, and its answer is not recorded.
    case afterAddition
    case insideAdditionCommit
    case afterAdditionCommit
}

/// Called at a checkpoint; throwing ends the step there, as a crash would.
typealias CheckpointHook = @Sendable (Checkpoint) throws -> Void
