import StoreModels

/// Checks that an upload matches the catalogue's declaration. The errors say which part to change.
struct ContentRules: Sendable {
    let productIdentifier: String
    let declared: DeclaredContent

    /// - Throws: `catalogInvalid` when the product declares no content.
    init(_ product: CatalogProduct) throws(StoreError) {
        guard let declared = product.conditions.hostedContent else {
            throw StoreError(
                .catalogInvalid,
                "the catalogue declares no hosted content of \(product.productIdentifier); "
                    + "add `hostedContent` to the product and import it again")
        }
        self.productIdentifier = product.productIdentifier
        self.declared = declared
    }

    /// Checks the version of an upload.
    /// - Throws: `catalogInvalid` that names both versions.
    func check(version: String) throws(StoreError) {
        guard version == declared.version else {
            throw StoreError(
                .catalogInvalid,
                "the catalogue declares version \(declared.version) of the content of \(productIdentifier), "
                    + "not \(version.prefix(64)); upload that one, or change `hostedContent` and import it again")
        }
    }

    /// Checks the length of an upload.
    /// - Throws: `catalogInvalid` that names both lengths.
    func check(length: Int64) throws(StoreError) {
        guard length == declared.length else {
            throw Self.otherLength(length, declared: declared.length)
        }
    }

    /// Creates the error for an upload of another length than declared.
    /// - Parameter length: The bytes received so far, perhaps not of the whole package.
    static func otherLength(_ length: Int64, declared: Int64) -> StoreError {
        let more = length > declared ? "\(length) or more" : "\(length)"
        return StoreError(
            .catalogInvalid,
            "the catalogue declares content of \(declared) bytes, and the upload has \(more); "
                + "upload that package, or change `hostedContent.lengths` and import it again")
    }

    static let imageTooLarge = StoreError(
        .bodyTooLarge, "a promotional image has at most \(PromotionImage.lengthMax) bytes")

    static let unknownUpload = StoreError(
        .notFound, "no such upload; it was refused, or left alone for more than an hour. Begin it again")
}

/// The limits of uploads of hosted content.
enum ContentLimits {
    /// Maximum number of open uploads.
    static let openMax = 64
    /// Maximum number of bytes of all open uploads, as their catalogues declare them. Four of the largest fit, or many
    /// ordinary ones.
    static let openBytesMax = 4 * ContentPartRequest.contentMax
    /// Maximum number of parts of one package. The largest package still fits in parts of 16 KiB.
    static let partsMax = 16_384
    /// Maximum number of versions kept for one product. Older transactions may still download them.
    static let versionsMax = 100
    /// The time after which an untouched upload is dropped.
    static let lifetime: Duration = .seconds(3_600)
    /// Maximum number of chunks deleted by one commit, at most 4 MiB: other commits wait for it.
    static let deletedMax = 16
    /// Maximum number of chunks of one read, at most 1 MiB.
    static let readMax = 4

    /// Returns the time before which untouched uploads are dropped.
    static func expiry(_ now: Timestamp) -> Timestamp { now + (.zero - lifetime) }

    /// Returns the time after which they are dropped as well. They were touched before the clock was set back.
    static func latest(_ now: Timestamp) -> Timestamp { now + lifetime }
}
