/// The bounds of one queue. Each has a stated answer.
enum ClientLimits {
    /// Bytes of one answer; more is a failed request.
    static let answerBytesMax = 16 * 1024 * 1024
    /// Bytes of one event; more ends the stream, which is opened again.
    static let eventBytesMax = 16 * 1024 * 1024
    /// Bytes of the stream that wait for slow callbacks; more ends the stream, which is opened again when they are done
    /// and begins with everything unfinished.
    static let streamBytesMax = 8 * 1024 * 1024
    /// Callbacks that wait for slow ones before no more of the stream is read.
    static let callbacksMax = 1024
    /// Payments that have not been answered; one more fails at once, uncharged.
    static let paymentsMax = 256
    /// Purchases that began in the store and are remembered, and decisions about them that have not been answered. The
    /// store has fifty open ones at most; what is beyond is not asked about and deferred by the store.
    static let intentsMax = 256
    /// Calls about promotions that wait for the one before; one more fails at once.
    static let overridesMax = 256
    /// Finished transactions that are remembered, so that nothing late brings them again. The oldest are forgotten; the
    /// store does not send finished transactions anyway.
    static let finishedMax = 4096
    /// Restores whose end is remembered, so that the observer is notified once.
    static let restoresMax = 256
    /// Questions to the delegate that are remembered, so that each is asked once.
    static let questionsMax = 256
    /// Parts that content is fetched in, in bytes.
    static let contentPartBytes: ClosedRange<Int64> = 64 * 1024...1024 * 1024
    /// Attempts at one part that bring no byte further before the download fails.
    static let contentAttemptsMax = 10
}
