import BusProtocol

/// The broker's limits, with the response at each. Defaults are the protocol's; tests use smaller ones.
package struct BrokerLimits: Sendable {
    /// Pending bytes of one connection that keep it from queue messages. Above them `overflow: "drop"` drops.
    package var softPendingBytes = 8 << 20
    /// Pending bytes of one connection past which it is closed with `slow_consumer`.
    package var hardPendingBytes = 64 << 20
    /// Pending bytes of all connections past which the largest is closed with `slow_consumer`.
    package var totalPendingBytes = 256 << 20
    /// Pending bytes without any write progress for this long: closed with `slow_consumer`.
    package var stallTimeout: Duration = .seconds(10)
    /// Subscriptions of one connection; one more is `too_many_subs`.
    package var subscriptions = BusLimits.subscriptionsMax
    /// Connections; one more gets `too_many_conns` and is closed.
    package var connections = BusLimits.connectionsMax
    /// Time for `connect`, then `auth_timeout`.
    package var connectTimeout = BusLimits.connectTimeout
    /// Time for one frame, then `bad_frame`.
    package var frameTimeout = BusLimits.frameTimeout
    /// How long a connection may linger after the broker's last frame to it.
    package var byeTimeout = BusLimits.byeTimeout
    /// Silence after which a ping is sent.
    package var pingInterval = BusLimits.pingInterval
    /// Publishes to a reply subject that receiving a request allows.
    package var grantsPerRequest = 1
    /// Lifetime of such a grant.
    package var grantLifetime: Duration = .seconds(60)
    /// Live grants of one connection from which it gets no queue messages. Grants are never evicted.
    package var grants = 16_384
    /// How long an unanswered request counts as load.
    package var loadMemory: Duration = .seconds(5)
    /// Age of the oldest unanswered request from which a member is slow. It is then skipped while another is faster.
    package var slowRequest: Duration = .seconds(1)
    /// Maximum number of cached routes; beyond it the cache is cleared, which only costs time.
    package var cachedRoutes = 4096
    /// Sids ended by `max` that a later `unsub` still finds; older ones are `unknown_sid`.
    package var endedSids = 1024
    /// Output buffer that a busy connection keeps between turns. A larger one is freed immediately, and all of it after
    /// a while without output.
    package var keptOutputBytes = 2 << 20
    /// Maximum number of closed connections kept for monitoring.
    package var closedConnections = 1000
    /// Time from `drain` to the last `bye` when the broker stops.
    package var drainWindow: Duration = .seconds(1)

    package init() {}
}
