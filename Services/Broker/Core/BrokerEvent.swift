import BusProtocol

/// An event for the log. The core collects events; the server writes them.
package enum BrokerEvent: Sendable, Equatable {
    /// A client signed in.
    case connected(cid: Int, name: String, user: String, peer: String)
    /// A connection has ended. `reason` is an error code, `bye`, `eof`, `http`, `tls` or `chaos`.
    case disconnected(cid: Int, name: String, peer: String, reason: String)
    /// A connection was closed because it does not keep up.
    case slowConsumer(cid: Int, name: String, peer: String, pendingBytes: Int, why: String)
    /// Messages were dropped for a connection that prefers this to being closed.
    case dropped(cid: Int, name: String, sid: Int, count: Int)
    /// A client used HTTP or TLS.
    case foreignGreeting(cid: Int, peer: String, what: String)
    /// The rules for faults were changed.
    case chaos(seed: UInt64, rules: Int)
    /// A frame was rejected.
    case refused(cid: Int, name: String, code: BusErrorCode, message: String)
}
