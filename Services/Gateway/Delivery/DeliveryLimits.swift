/// The bounds of live delivery.
enum DeliveryLimits {
    /// Bytes that may wait for one observer. At the bound its connection is cut; it loses nothing, because the next one
    /// begins with everything unfinished.
    static let pendingBytesMax = 8 * 1024 * 1024
    /// How long the reader of a write may take no byte before the connection is cut.
    static let stallMax = Duration.seconds(5)
    /// How often a comment is sent, so that a broken connection is noticed by both sides.
    static let commentInterval = Duration.seconds(15)
    /// How often the heads of all open customers are read.
    static let headsInterval = Duration.seconds(1)
    /// How long a stream waits for what is pending of purchases that began in the store; it opens without then.
    static let intentsPatience = Duration.seconds(1)
    /// Streams of one gateway; more are answered 503.
    static let streamsMax = 20_000
    /// Streams of one installation; more are answered 429. One app has one observer, and a few that are going away.
    static let streamsPerInstallationMax = 10
    /// Installations whose newest session is remembered, and sessions that were told of a storefront. At the bound all
    /// are forgotten, which costs only that an old session's stream is not ended, or is told of a storefront twice.
    static let sessionsRememberedMax = 65_536
}
