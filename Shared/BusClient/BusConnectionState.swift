/// The state of a client's connection.
///
/// `connecting → connected → disconnected → connecting → …`, repeated until `closed`.
package enum BusConnectionState: Sendable, Equatable {
    /// No connection yet, or again; an attempt is under way or waits for its turn.
    case connecting
    /// Signed in, and the broker has taken all subscriptions again.
    case connected
    /// The connection was lost, with the reason. Requests in flight have failed by now.
    case disconnected(BusError)
    /// The end: `close`, `drain`, or a reason after which reconnecting is pointless, which the preceding `disconnected`
    /// carries (`authenticationFailed`, `replaced`).
    case closed
}
