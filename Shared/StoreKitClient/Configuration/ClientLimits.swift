/// The bounds of one queue. Each has a stated answer.
enum ClientLimits {
    /// The most bytes of one response; a longer one is a failed request.
    static let answerBytesMax = 16 * 1024 * 1024
    /// The most bytes of one event; a longer one ends the stream, which is reopened.
    static let eventBytesMax = 16 * 1024 * 1024
    /// The most bytes of the stream that wait for slow callbacks. More end the stream; it is reopened when they are
    /// done and begins with everything unfinished.
    static let streamBytesMax = 8 * 1024 * 1024
    /// The most callbacks that wait for slow ones; beyond it the stream is not read.
    static let callbacksMax = 1024
    /// The most payments without an answer; a further one fails immediately, uncharged.
    static let paymentsMax = 256
    /// The most purchases begun in the store that are remembered, and decisions about them without an answer. The store
    /// has at most fifty open ones; the app is not asked about further ones, and the store defers them.
    static let intentsMax = 256
    /// The most promotion calls that wait for the one before; a further one fails immediately.
    static let overridesMax = 256
    /// The most finished transactions that are remembered, so that no late event brings them again. The oldest are
    /// forgotten; the store does not send finished transactions anyway.
    static let finishedMax = 4096
    /// The most restores whose end is remembered, so that the observer is notified once.
    static let restoresMax = 256
    /// The most questions to the delegate that are remembered, so that each is asked once.
    static let questionsMax = 256
    /// The size of the parts that content is fetched in, in bytes.
    static let contentPartBytes: ClosedRange<Int64> = 64 * 1024...1024 * 1024
    /// Attempts at one part without progress before the download fails.
    static let contentAttemptsMax = 10
}
