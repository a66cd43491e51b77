/// The limits of live delivery.
package enum DeliveryLimits {
    /// Maximum number of bytes waiting for one observer. At the bound its connection is cut. No event is lost, because
    /// the next stream begins with every unfinished transaction.
    package static let pendingBytesMax = 8 * 1024 * 1024
    /// The interval of comments, by which both sides detect a broken connection.
    package static let commentInterval = Duration.seconds(15)
    /// The interval at which the heads of all open customers are read.
    package static let headsInterval = Duration.seconds(1)
    /// The longest time a stream waits for pending purchase intents. After that it opens without them.
    package static let intentsTimeout = Duration.seconds(1)
    /// The longest time a read of the operator's stream waits for a service. After it the service counts as away.
    package static let eventsTimeout = Duration.seconds(2)
    /// Maximum number of streams of one gateway. Further ones get 503.
    package static let streamsMax = 20_000
    /// Maximum number of streams of one installation. Further ones get 429. An app has one stream, and perhaps a few
    /// that are closing.
    package static let streamsPerInstallationMax = 10
    /// Maximum number of remembered newest sessions, and of remembered storefronts. At the bound all are dropped: then
    /// an older session's stream may stay open, or a storefront may be sent twice.
    package static let sessionsRememberedMax = 65_536
}
