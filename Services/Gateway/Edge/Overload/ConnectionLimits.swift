import NIOCore

/// The limits of one connection to the gateway, and of all of them together. Tests have shorter times.
struct ConnectionLimits: Sendable {
    /// The longest time between two requests, before the connection is closed.
    var idleMax = TimeAmount.seconds(60)
    /// Within this time a request's head must arrive, and of the rest the bytes of ``arrivalBytesMin`` each time. A
    /// request that is late gets 408, one that has begun is cut off.
    var arrivalWindow = TimeAmount.seconds(15)
    /// The least that arrives of a body within ``arrivalWindow``, in bytes: about a kilobyte a second.
    var arrivalBytesMin = 16 * 1024
    /// Within this time a client takes the bytes of ``unreadBytesMin`` of its response, or the rest of it. One that does
    /// not is cut off.
    var unreadWindow = TimeAmount.seconds(5)
    /// The least that a client takes of a response within ``unreadWindow``, in bytes.
    var unreadBytesMin = 4 * 1024
    /// How long an unread response may keep a gateway that stops.
    var unreadStopMax = TimeAmount.seconds(1)
    /// How often a connection is looked at that is slow in one direction.
    var watchInterval = TimeAmount.seconds(1)
    /// Maximum number of bytes kept behind a request in turn. The connection of a client that sends more is closed after
    /// the turn.
    var behindBytesMax = 128 * 1024
    /// Number of bytes given to the HTTP parser at once, but for bodies of a known length. So at most a hundred
    /// requests are parsed ahead.
    var parsedBytesMax = 2 * 1024
    /// Maximum number of bytes of all requests that have not begun. At the bound the connection whose request is the
    /// oldest is closed.
    var arrivingBytesMax = 64 * 1024 * 1024
    /// Maximum number of unread bytes of all responses. At the bound the connection that has been reading longest is
    /// closed.
    var unreadBytesMax = 128 * 1024 * 1024
    /// How long a connection without further requests waits for its client to close.
    var lingerMax = TimeAmount.seconds(1)
}
