/// How patient the library is. Tests are less so.
struct ClientTiming: Sendable {
    /// The first wait before something is tried again; it doubles up to `backoffMax`, with full jitter.
    var backoffMin = Duration.milliseconds(100)
    var backoffMax = Duration.seconds(5)
    /// How long a purchase or a restore that has certainly not reached the store is tried before it fails.
    var patience = Duration.seconds(30)
    /// How long one request may be without a byte. The store answers within 5 s, or says that it could not.
    var requestTimeout = Duration.seconds(15)
    /// How long a stream may be silent. The store sends a comment every 15 s.
    var streamTimeout = Duration.seconds(45)
    /// How long `canMakePayments()` waits for a first session.
    var firstSessionWait = Duration.seconds(5)
}
