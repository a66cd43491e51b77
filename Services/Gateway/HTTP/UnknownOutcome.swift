import StoreModels

/// Requests a change that may take effect although no reply arrives.
///
/// - Parameter sentence: The error's text in that case, which says how to find out.
/// - Throws: The service's error; `outcomeUnknown` when it is not known whether the change took effect.
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
