import StoreModels

/// Limits for uploads of hosted content.
enum ContentLimits {
    /// Maximum number of open uploads.
    static let openMax = 64
    /// Maximum bytes of all open uploads, as their catalogues declare them. Four of the largest fit, or many ordinary
    /// ones.
    static let openBytesMax = 4 * ContentPartRequest.contentMax
    /// Maximum number of parts of one package. The largest package still fits in parts of 16 KiB.
    static let partsMax = 16_384
    /// Maximum number of versions kept for one product. Old transactions may still be downloading them.
    static let versionsMax = 100
    /// Time after which an untouched upload is dropped.
    static let lifetime: Duration = .seconds(3_600)
    /// Chunks deleted by one commit, at most 4 MiB: other commits wait for it.
    static let deletedMax = 16
    /// Chunks per read when a whole package is read, at most 1 MiB.
    static let readMax = 4

    /// Uploads last touched before this time are dropped.
    static func expiry(_ now: Timestamp) -> Timestamp { now + (.zero - lifetime) }
}
