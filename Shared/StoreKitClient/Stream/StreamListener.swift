/// Hears what an observer's stream brings. Each stream has a number, and only the latest is listened to: what an older
/// one still has under way says nothing of what is true now.
protocol StreamListener: AnyObject, Sendable {
    /// A stream is about to be requested: known transactions that do not come again in it are gone.
    func streamOpening(_ number: Int)
    func received(_ event: StreamEvent, from number: Int)
    /// Returns when callbacks have caught up, so that a slow observer slows the reading.
    func caughtUp() async
    /// The app was launched again elsewhere; this stream stays closed until an observer is registered anew.
    func streamSuperseded()
}

/// Leads to a listener without keeping it: the stream of a queue that is gone ends.
struct StreamListenerReference: Sendable {
    private(set) weak var listener: (any StreamListener)?

    init(_ listener: any StreamListener) { self.listener = listener }
}
