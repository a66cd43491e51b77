/// The limits of one queue, each with its effect.
enum ClientLimits {
    /// The maximum bytes of one response. A longer one fails its request.
    static let responseBytesMax = 16 * 1024 * 1024
    /// The maximum bytes of one event. A longer one ends the stream, which is reopened.
    static let eventBytesMax = 16 * 1024 * 1024
    /// The maximum bytes of the stream that wait for slow callbacks. More bytes end the stream. The queue reopens it
    /// when the callbacks have run, and it begins with every unfinished transaction.
    static let streamBytesMax = 8 * 1024 * 1024
    /// The maximum number of waiting callbacks. At the limit the stream is not read.
    static let callbacksMax = 1024
    /// The maximum number of payments without a response. A further one fails immediately, uncharged.
    static let paymentsMax = 256
    /// The maximum number of remembered purchase intents, and of decisions without a response. The store has at most 50
    /// open intents. The app is not asked about further ones, and the store defers them.
    static let intentsMax = 256
    /// The maximum number of waiting promotion calls. A further one fails immediately.
    static let overridesMax = 256
    /// The maximum number of remembered finished transactions, whose late events are dropped. Beyond it the oldest are
    /// forgotten, but the store does not send finished transactions anyway.
    static let finishedMax = 4096
    /// The maximum number of remembered ended restores. The queue reports each to the observer once.
    static let restoresMax = 256
    /// The maximum number of remembered delegate questions. The queue asks each of them once.
    static let questionsMax = 256
    /// The maximum number of elements that wait for one iterator. Beyond it the oldest are dropped.
    /// The lists have them.
    static let undeliveredMax = 1024
    /// The maximum number of remembered signed lists. Beyond it all are read anew.
    static let signedListsMax = 64
    /// The maximum bytes of the file with the signed lists. More are not saved, and a longer file is not read.
    static let savedListsBytesMax = 16 * 1024 * 1024
    /// The maximum number of identifiers in one request for products. More are asked for in further requests.
    static let productsMax = 500
    /// The size of one fetched part of content, in bytes.
    static let contentPartBytes: ClosedRange<Int64> = 64 * 1024...1024 * 1024
    /// The maximum number of attempts at one part before the download fails.
    static let contentAttemptsMax = 10
}
