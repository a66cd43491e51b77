import BusProtocol

/// The broker's limits, each with its effect. The defaults are those of the protocol (docs/PROTOCOL.md). Tests use
/// smaller ones.
package struct BrokerLimits: Sendable {
    /// Pending bytes of one connection above which it gets no queue messages. Above them `overflow: "drop"` drops.
    package var softPendingBytes = 8 << 20
    /// Pending bytes of one connection above which it is closed with `slow_consumer`.
    package var hardPendingBytes = 64 << 20
    /// Pending bytes of all connections above which the largest is closed with `slow_consumer`.
    package var totalPendingBytes = 256 << 20
    /// The longest time without write progress. After it the connection is closed with `slow_consumer`.
    package var stallTimeout: Duration = .seconds(10)
    /// Maximum number of subscriptions of one connection. One more is `too_many_subs`.
    package var subscriptions = BusLimits.subscriptionsMax
    /// Maximum number of connections. With one more the oldest that has not signed in, which may be the new one, gets
    /// `too_many_conns` and is closed.
    package var connections = BusLimits.connectionsMax
    /// The timeout of `connect`. After it the error is `auth_timeout`.
    package var connectTimeout = BusLimits.connectTimeout
    /// The timeout of one frame. After it the error is `bad_frame`.
    package var frameTimeout = BusLimits.frameTimeout
    /// The longest time a connection stays open after the broker's last frame.
    package var byeTimeout = BusLimits.byeTimeout
    /// The silence after which a ping is sent.
    package var pingInterval = BusLimits.pingInterval
    /// The number of publishes to a reply subject that receiving a request grants.
    package var grantsPerRequest = 1
    /// The lifetime of such a grant.
    package var grantLifetime: Duration = .seconds(60)
    /// The number of grants of one connection from which it gets no queue messages. Grants are never evicted.
    package var grants = 16_384
    /// The time for which a request without a reply counts as load.
    package var loadMemory: Duration = .seconds(5)
    /// The age of the oldest request without a reply from which a member is slow. A slow member is skipped while
    /// another is faster.
    package var slowRequest: Duration = .seconds(1)
    /// Maximum number of cached routes. Beyond it the cache is cleared.
    package var cachedRoutes = 4096
    /// Maximum number of sids ended by `max` that a later `unsub` still finds. Older ones are `unknown_sid`.
    package var endedSids = 1024
    /// Maximum size of the output buffer that a connection keeps between turns. A larger one is freed immediately, and
    /// any after a while without output.
    package var keptOutputBytes = 2 << 20
    /// Maximum number of closed connections kept for monitoring.
    package var closedConnections = 1000
    /// The time from `drain` to the last `bye` when the broker stops.
    package var drainWindow: Duration = .seconds(1)

    /// Creates the default limits.
    package init() {}
}
