/// A place between two steps of a decision where a process may die. Nothing happens there in a store that sells; tests
/// stop the service at each of them and look at what the next process makes of it.
enum Checkpoint: String, CaseIterable, Sendable {
    /// The intent is written and not committed.
    case insideStartCommit
    case afterStartCommit
    /// The decision is written and not committed.
    case insideDecisionCommit
    /// The decision stands, and PaymentQueue has not heard of the payment.
    case afterDecisionCommit
    /// PaymentQueue has answered, and nobody has written it down.
    case afterAddition
    case insideAdditionCommit
    case afterAdditionCommit
}

/// What is run at a checkpoint; throwing ends the step right there, as a dying process would.
typealias CheckpointHook = @Sendable (Checkpoint) throws -> Void
