import StoreModels

/// What uploads of hosted content may take.
enum ContentLimits {
    /// Uploads under way.
    static let openMax = 64
    /// Bytes of all of them, as their catalogues declare them: four of the largest, or many ordinary ones.
    static let openBytesMax = 4 * ContentPartRequest.contentMax
    /// Parts of one package. The largest one still fits in parts of 16 KiB.
    static let partsMax = 16_384
    /// Versions that are kept of one product. Transactions of long ago may still be downloading them.
    static let versionsMax = 100
    /// An upload that is left alone for so long is forgotten.
    static let lifetime: Duration = .seconds(3_600)
    /// Chunks deleted by one commit, at most 4 MiB: others wait for it.
    static let deletedMax = 16
    /// Chunks read at once where a whole package is read, at most 1 MiB.
    static let readMax = 4

    /// Uploads last touched before this are gone.
    static func expiry(_ now: Timestamp) -> Timestamp { now + (.zero - lifetime) }
}
