/// The bounds of the event loop, each with its reason.
package enum EventLoopLimits {
    /// One read takes at most this many bytes. One buffer serves all streams of a loop, so it may be generous.
    package static let readBytes = 64 * 1024
    /// Maximum number of reads of one stream in one turn, if each fills the buffer. The rest waits for the next turn.
    /// The limit gives other streams their share, and one turn's output stays small enough for the processor's caches.
    package static let readsPerTurn = 8
    /// Jobs run, and outputs flushed, in one turn before the loop polls its sockets. The rest follows in the next turn.
    package static let jobsPerTurn = 4096
    /// Connections accepted in one turn before the others get their share.
    package static let acceptsPerTurn = 64
    /// An output buffer that has grown beyond this is given back once it is empty.
    package static let keptOutputBytes = 64 * 1024
    /// Pause of a listener when the process has no descriptor left.
    package static let acceptPause = Duration.milliseconds(100)
    /// `TCP_USER_TIMEOUT`: how long written bytes may stay unacknowledged before the connection counts as dead.
    package static let userTimeout = Duration.seconds(30)
    /// Time that `closeAfterFlush` gives the peer to take the rest.
    package static let linger = Duration.seconds(2)
}
