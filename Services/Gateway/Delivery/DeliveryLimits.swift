/// The bounds of live delivery.
enum DeliveryLimits {
    /// Bytes that may wait for one observer. At the bound its connection is cut; no event is lost, because the next
    /// stream begins with everything unfinished.
    static let pendingBytesMax = 8 * 1024 * 1024
    /// How long the reader may take no byte during a write before the connection is cut.
    static let stallMax = Duration.seconds(5)
    /// How often a comment is sent, so that both sides notice a broken connection.
    static let commentInterval = Duration.seconds(15)
    /// How often the heads of all open customers are read.
    static let headsInterval = Duration.seconds(1)
    /// How long a stream waits for pending purchases that began in the store. After that it opens without them.
    static let intentsPatience = Duration.seconds(1)
    /// Streams of one gateway; further ones get 503.
    static let streamsMax = 20_000
    /// Streams of one installation; further ones get 429. One app has one observer, and a few that are closing.
    static let streamsPerInstallationMax = 10
    /// Installations whose newest session is remembered, and sessions whose last storefront is. At the bound all are
    /// dropped: then an older session's stream may stay open, or a storefront may be sent twice.
    static let sessionsRememberedMax = 65_536
}
