import StoreModels

/// What an import may take.
enum ImportLimits {
    /// Bytes of one file (`http-api.md`, limits).
    static let fileBytesMax = 128 * 1024 * 1024
    /// Bytes of all open imports, as announced: one of the largest, or many ordinary ones.
    static let openBytesMax = fileBytesMax
    static let openMax = 16
    /// Finished imports whose answer is kept for a repeated commit.
    static let finishedMax = 1_000
    /// Part indexes run to here; a file in parts of 16 KiB still fits.
    static let partsMax = 8_192
    /// An import nobody commits is deleted after this.
    static let lifetime: Duration = .seconds(3_600)

    /// Imports begun before this are gone.
    static func expiry(_ now: Timestamp) -> Timestamp { now + (.zero - lifetime) }

    static let unknownImport = StoreError(
        .notFound, "no such import; it was finished or abandoned more than an hour ago. Begin it again")
}
