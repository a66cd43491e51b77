/// What the bus behind a client can do beyond what every one of them does. Code that works on any bus asks for none.
package enum BusCapability: String, CaseIterable, Sendable {
    /// Clients sign in, and wrong credentials end them.
    case authentication
    /// Messages with one `key` go to one member of a queue group, and `key` arrives.
    case keyAffinity
    /// A request whose taker goes away fails with `takerLost` immediately; elsewhere it waits for its deadline.
    case takerLoss
    /// A member of a queue group that falls behind gets less.
    case loadAwareQueues
    /// A request whose possible takers are all overloaded fails with `overloaded` immediately.
    case overloadStatus
    /// A client cannot read the replies to another client's requests, regardless of the users' permissions.
    case privateInboxes
    /// A second connection of the same instance ends the first.
    case instanceEviction
    /// Only the broker can send `noResponders`; elsewhere any client that may publish to an inbox can forge it.
    case trustedStatus
    /// A subscription that overlaps what is denied is refused; elsewhere it is accepted and the denied part left out.
    case refusesOverlaps
    /// The broker answers under `$SYS.REQ.`, and shows what passes under `$SYS.TAP.`.
    case systemSubjects
    /// Header values may be empty and begin or end with a space.
    case anyHeaderValue
}
