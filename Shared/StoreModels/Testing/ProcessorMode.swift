/// The sandbox processor's treatment of charges, for all (`PROCESSOR_MODE`) or for one tester.
///
/// The modes that leave the outcome unknown do so once per charge key. A caller that repeats the request with the same
/// key, as the payment queue does, receives the actual outcome.
public enum ProcessorMode: String, CaseIterable, Sendable, Codable {
    case approve
    case decline
    /// The first request is neither charged nor answered.
    case timeoutBefore
    /// Charged, and the first request is never answered.
    case timeoutAfter
    /// Charged, and the first request is answered with a processor failure.
    case errorAfter
    /// Approved after two seconds.
    case slow
    /// Answered `pending`, then approved two seconds later, with a callback.
    case pending
    /// Approved, and its callback comes twice, late.
    case duplicateCallback
}
