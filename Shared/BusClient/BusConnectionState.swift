/// The state of a client's connection.
///
/// `connecting → connected → disconnected → connecting → …`, repeated until `closed`.
package enum BusConnectionState: Sendable, Equatable {
    /// No connection yet, or none again.
    case connecting
    /// Signed in, and the broker has taken all subscriptions again.
    case connected
    /// The connection was lost, with the reason. Requests in flight fail with it in the same turn of the loop.
    case disconnected(BusError)
    /// The end, after `close`, `drain` or a final error. The `disconnected` before it carries a final error
    /// (`authenticationFailed`, `replaced`).
    case closed
}
