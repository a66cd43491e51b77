/// The limits of requests. Each has a documented response and a test on both sides.
package enum HTTPLimits {
    /// Maximum size of a catalogue, in bytes. It is streamed, so it is never whole in memory.
    package static let catalogBytesMax = 128 * 1024 * 1024
    /// Maximum size of a catalogue without `Content-Length`, in bytes. It is held until its length is known.
    package static let unannouncedCatalogBytesMax = 8 * 1024 * 1024
    /// Maximum size of path and query, in bytes. More is 414. 500 product identifiers of 100 characters fit.
    static let targetBytesMax = 64 * 1024
    /// Maximum size of all header fields, in bytes. More is 431.
    static let headerBytesMax = 16 * 1024
    /// Maximum size of a bearer token, in bytes. The gateway's tokens are far shorter, so longer ones are rejected
    /// without parsing.
    static let tokenBytesMax = 4 * 1024
    /// Maximum number of product identifiers in one request. More is 400.
    package static let identifiersMax = 500
    /// Maximum length of a list's page.
    package static let pageMax = 100
    /// Maximum length of a page on the operator's paths.
    package static let adminPageMax = 500
    /// Maximum number of connections of the bus in a response, as the broker's.
    package static let busConnectionsMax = 1024
    /// Maximum number of traces in a response.
    package static let tracesMax = 100
    /// Maximum duration by which traces are chosen, in milliseconds.
    package static let slowMillisecondsMax = 300_000
    /// Maximum length, in characters, of text from clients that has no other limit.
    package static let identifierLengthMax = 255
    /// Timeout of a request unless `Sb-Timeout` sets another.
    package static let requestTimeout = Duration.seconds(5)
    /// Range of `Sb-Timeout`, in milliseconds.
    static let requestTimeoutMilliseconds = 50...30_000
    /// Timeout of a catalogue's upload.
    package static let uploadTimeout = Duration.seconds(300)
    /// Timeout of a reset or of clearing a history unless `Sb-Timeout` sets another.
    static let upkeepTimeout = Duration.seconds(30)
}
