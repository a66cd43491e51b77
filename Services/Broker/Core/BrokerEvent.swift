import BusProtocol

/// Something worth a line in the log. The core collects them; the server writes them.
package enum BrokerEvent: Sendable, Equatable {
    /// A client signed in.
    case connected(cid: Int, name: String, user: String, peer: String)
    /// A connection is gone. `reason` is an error code, `bye`, `eof` or `http`.
    case disconnected(cid: Int, name: String, peer: String, reason: String)
    /// A connection was closed because it does not keep up.
    case slowConsumer(cid: Int, name: String, peer: String, pendingBytes: Int, why: String)
    /// Messages were dropped for a connection that asked for that rather than being closed.
    case dropped(cid: Int, name: String, sid: Int, count: Int)
    /// Somebody spoke HTTP or TLS.
    case foreignGreeting(cid: Int, peer: String, what: String)
    /// Other faults were asked for.
    case chaos(seed: UInt64, rules: Int)
    /// A frame was refused.
    case refused(cid: Int, name: String, code: BusErrorCode, message: String)
}
