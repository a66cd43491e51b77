import StoreModels

/// Limits for imports.
enum ImportLimits {
    /// Maximum bytes of one file (`http-api.md`, limits).
    static let fileBytesMax = 128 * 1024 * 1024
    /// Maximum bytes of all open imports, as announced. One of the largest fits, or many ordinary ones.
    static let openBytesMax = fileBytesMax
    static let openMax = 16
    /// Finished imports whose reply is kept for a repeated commit.
    static let finishedMax = 1_000
    /// Maximum number of parts; a file in parts of 16 KiB still fits.
    static let partsMax = 8_192
    /// Time after which an uncommitted import is deleted.
    static let lifetime: Duration = .seconds(3_600)

    /// Imports begun before this time are deleted.
    static func expiry(_ now: Timestamp) -> Timestamp { now + (.zero - lifetime) }

    static let unknownImport = StoreError(
        .notFound, "no such import; it was finished or abandoned more than an hour ago. Begin it again")
}
