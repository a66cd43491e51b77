/// A capability of the bus beyond ``BusClient``'s promises. Code that works on any bus asks for none.
package enum BusCapability: String, CaseIterable, Sendable {
    /// Clients authenticate, and wrong credentials close the client.
    case authentication
    /// Messages with one `key` go to one member of a queue group, and `key` arrives.
    case keyAffinity
    /// A request whose responder disconnects fails with `takerLost` immediately. Elsewhere it waits for its deadline.
    case takerLoss
    /// A member of a queue group that falls behind gets fewer messages.
    case loadAwareQueues
    /// A request fails with `overloaded` immediately when every subscriber is overloaded.
    case overloadStatus
    /// A client cannot read the replies to another client's requests, regardless of the users' permissions.
    case privateInboxes
    /// A second connection of the same instance ends the first.
    case instanceEviction
    /// Only the broker can send `noResponders`. Elsewhere any client that may publish to an inbox can forge it.
    case trustedStatus
    /// The broker refuses a subscription that overlaps a denied subject. Elsewhere it is accepted and the denied part
    /// left out.
    case refusesOverlaps
    /// The broker answers under `$SYS.REQ.`, and shows messages under `$SYS.TAP.`.
    case systemSubjects
    /// Header values may be empty and begin or end with a space.
    case anyHeaderValue
}
