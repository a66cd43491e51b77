/// The end of a request on the bus, as a tap of the bus saw it.
package enum BusRequestOutcome: String, CaseIterable, Sendable, Codable {
    /// The reply is a result.
    case replied
    /// The reply is an error.
    case failed
    /// The requester's deadline has passed. A late reply may follow.
    case noReply
    /// The subject has no subscriber.
    case noResponders
    /// Every subscriber was overloaded.
    case overloaded
    /// The service that took the request has gone.
    case receiverLost
}
