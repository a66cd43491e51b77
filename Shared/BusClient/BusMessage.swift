import BusProtocol

/// A message as it was delivered: an event, a request or a reply. A request has `reply`.
package struct BusMessage: Sendable, Equatable {
    /// The subject it was published to.
    package var subject: String
    /// Where an answer goes; nil when none is wanted.
    package var reply: String?
    /// The affinity key it was published with.
    package var key: String?
    /// As published; empty for a message without headers.
    package var headers: BusHeaders = [:]
    /// The broker's answer in place of a reply; nil on messages of clients. 503: the subject has no subscriber; 429:
    /// every subscriber is overloaded; 502: the member that took the request has gone. Clients turn it into errors, so
    /// requests never return a message with a status.
    package var status: Int?
    /// Byte for byte as published; JSON unless `Content-Type` says otherwise.
    package var body: [UInt8] = []
}
