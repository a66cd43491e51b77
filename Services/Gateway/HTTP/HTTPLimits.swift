import NIOCore

/// What a request may weigh. Each limit has a stated answer, and a test on both sides of it.
enum HTTPLimits {
    /// A JSON body, in bytes; more is 413 `bodyTooLarge`.
    static let bodyBytesMax = 64 * 1024
    /// A body with a receipt in it, in bytes (S11).
    static let receiptBytesMax = 1024 * 1024
    /// A catalogue, in bytes; streamed, so it never stands in memory whole.
    static let catalogBytesMax = 128 * 1024 * 1024
    /// A catalogue whose length is not announced has to be held until it is known.
    static let unannouncedCatalogBytesMax = 8 * 1024 * 1024
    /// Path and query, in bytes; more is 414. Enough for 500 product identifiers of 100 characters.
    static let targetBytesMax = 64 * 1024
    /// All header fields, in bytes; more is 431.
    static let headerBytesMax = 16 * 1024
    /// A bearer token, in bytes; ours are far below, so nothing longer is worth a look.
    static let tokenBytesMax = 4 * 1024
    /// Product identifiers in one request; more is 400.
    static let identifiersMax = 500
    /// A list's page.
    static let pageMax = 100
    /// The operator's pages may be longer.
    static let adminPageMax = 500
    /// Characters in text that somebody else chose and no other bound is stated for.
    static let identifierLengthMax = 255
    /// How long a request may take unless it says otherwise with `Sb-Timeout`.
    static let requestTimeout = Duration.seconds(5)
    /// What `Sb-Timeout` may ask for, in milliseconds.
    static let requestTimeoutMilliseconds = 50...30_000
    /// How long an upload of a catalogue may take.
    static let uploadTimeout = Duration.seconds(300)
    /// How long a reset or the clearing of a history may take unless `Sb-Timeout` says otherwise.
    static let upkeepTimeout = Duration.seconds(30)
    /// How long an upload or a download of content may stand still before its connection is cut.
    static let contentStallMax = TimeAmount.seconds(30)
    /// How long a body may take to arrive.
    static let bodyTimeout = Duration.seconds(15)
}
