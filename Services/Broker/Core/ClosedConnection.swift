import BusProtocol

/// What monitoring keeps of a connection that is gone.
struct ClosedConnection {
    let cid: Int
    let name: String
    let user: String
    let lang: String
    let version: String
    let instance: String?
    let peer: String
    /// Milliseconds since 1970.
    let startTime: Int
    /// When a byte last came from it.
    let lastTime: Int
    let stopTime: Int
    let traffic: TrafficCounters
    let subscriptions: Int
    let pendingBytes: Int
    /// An error code, `bye`, `eof`, `http` or `tls`.
    let reason: String
}
