/// The bounds of a client, each with its reason.
package enum BusClientLimits {
    /// Events kept while disconnected: a few seconds' worth, because older hints have lost their use.
    package static let bufferedBytesMax = 1 << 20
    /// The most requests in flight on one connection. It is far above the bulkheads (1024 per endpoint) and the 10 000
    /// that are tested.
    package static let requestsMax = 65_536
    /// States a slow reader of `states` may fall behind.
    package static let statesMax = 64
    /// How long `drain` waits for the broker's acknowledgements before it closes anyway.
    package static let drainTimeout: Duration = .seconds(5)
    /// How long one attempt to reach the broker may take.
    package static let connectTimeout: Duration = .seconds(2)
    /// How long the broker may take from the TCP connection to the `ok` of `connect`.
    package static let handshakeTimeout: Duration = .seconds(5)
    /// Silence after which a `ping` is sent.
    package static let pingInterval: Duration = .seconds(2)
    /// Silence after which the connection is dead.
    package static let silenceMax: Duration = .seconds(5)
    /// Upper bound of the wait before the second reconnect. The first reconnect is immediate. Each further bound
    /// doubles.
    package static let backoffMin: Duration = .milliseconds(100)
    /// The largest upper bound of such a wait. A broker that comes back has its clients back within a second.
    package static let backoffMax: Duration = .seconds(1)
    /// How long a connection must live to reset the backoff. A broker that accepts and drops connections is thus not
    /// hammered.
    package static let stableAfter: Duration = .seconds(1)
}
