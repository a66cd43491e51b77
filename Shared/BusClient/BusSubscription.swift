/// A subscription that was acknowledged. Dropping it does not end it.
package protocol BusSubscription: Sendable {
    /// Ends the subscription. A barrier: what was delivered before is handled, and the handler is not called after this
    /// returns. Idempotent.
    func unsubscribe() async
}
