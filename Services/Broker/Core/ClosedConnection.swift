import BusProtocol

/// The monitoring data of a closed connection.
struct ClosedConnection {
    let cid: Int
    let name: String
    let user: String
    let lang: String
    let version: String
    let instance: String?
    let peer: String
    /// The time of acceptance, in milliseconds since 1970.
    let startTime: Int
    /// The time at which a byte was last received, in milliseconds since 1970.
    let lastTime: Int
    /// The time of the end, in milliseconds since 1970.
    let stopTime: Int
    let traffic: TrafficCounters
    let subscriptions: Int
    let pendingBytes: Int
    /// The reason of the end: an error code, `bye`, `eof`, `http`, `tls` or `chaos`.
    let reason: String
}

/// How a connection is closed.
package enum Ending: Sendable, Equatable {
    /// Writes pending bytes, then closes. A client that does not take them within the linger time is cut off.
    case afterFlush
    /// Closes immediately; pending bytes are discarded.
    case now
}
