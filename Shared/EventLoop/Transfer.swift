/// Carries a loop-confined value through a continuation.
///
/// Unchecked, because a continuation may in general resume anywhere; here the resumer is on the loop and the waiter is
/// an actor pinned to it (checked with `preconditionIsolated`), so the value never leaves the thread.
struct Transfer<Value>: @unchecked Sendable {
    let value: Value
}
