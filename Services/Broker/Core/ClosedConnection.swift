import BusProtocol

/// Monitoring data of a closed connection.
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
    /// When a byte was last received from it.
    let lastTime: Int
    let stopTime: Int
    let traffic: TrafficCounters
    let subscriptions: Int
    let pendingBytes: Int
    /// An error code, `bye`, `eof`, `http`, `tls` or `chaos`.
    let reason: String
}

/// How a connection is closed.
package enum Ending: Sendable, Equatable {
    /// Write pending bytes, then close. A client that does not take them within the linger time is cut off.
    case afterFlush
    /// Close immediately; pending bytes are discarded.
    case now
}
