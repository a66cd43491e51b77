/// The broker's counters for monitoring.
package struct BrokerCounters: Sendable, Equatable {
    /// Traffic of all connections, closed ones included.
    package var traffic = TrafficCounters()
    /// Connections accepted since the start.
    package var totalConnections = 0
    /// Requests that got a 503, because their subject has no responder.
    package var noResponders = 0
    /// Requests that got a 502, because their receiver has disconnected.
    package var takersLost = 0
    /// Messages without `reply` that had no subscriber.
    package var noInterest = 0
    /// Messages that only queue members matched, none of them eligible.
    package var noEligible = 0
    /// Publishes and subscriptions rejected with `perm_pub`, `perm_sub` or `reserved`.
    package var permissionsDenied = 0
    /// Connections closed with `slow_consumer`.
    package var slowConsumers = 0
    /// Connections closed with `stale`.
    package var staleConnections = 0
    /// Messages dropped for `overflow: "drop"`.
    package var dropped = 0
    /// Connections closed with `auth_failed` or `auth_timeout`.
    package var authFailures = 0
    /// Connections closed because the same instance connected again.
    package var replaced = 0
    /// `err` frames sent, by code.
    package var errors: [String: Int] = [:]
}

/// Messages and bytes in both directions, of one connection or of the broker.
package struct TrafficCounters: Sendable, Equatable {
    /// Accepted `pub` frames.
    package var messagesIn = 0
    /// Bytes of everything received.
    package var bytesIn = 0
    /// `msg` frames written.
    package var messagesOut = 0
    /// Bytes of everything written.
    package var bytesOut = 0
}
