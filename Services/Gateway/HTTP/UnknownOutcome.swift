import StoreModels

/// Asks for a change that may be made although no answer comes.
///
/// - Parameter sentence: What to say then, and how to find out.
/// - Throws: What the service says; `outcomeUnknown` when nobody can say whether it was done.
func withKnownOutcome<Value>(
    else sentence: String, isRepeatable: Bool = true, _ operation: () async throws(StoreError) -> Value
) async throws(StoreError) -> Value {
    do {
        return try await operation()
    } catch  where error.leavesOutcomeUnknown {
        var unknown = StoreError(.outcomeUnknown, sentence, retryAfterMs: isRepeatable ? 1000 : nil)
        unknown.retryable = isRepeatable
        throw unknown
    }
}
