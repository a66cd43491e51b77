/// A package of hosted content in the store:
///
/// ```json
/// {"contentIdentifier":"com.example.guide","contentVersion":"1.0","contentLength":73412,
///  "sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
/// ```
public struct HostedContent: Hashable, Sendable, Codable {
    /// The product's identifier: a product has one package.
    public var contentIdentifier: String
    /// Dotted integers, `1.0`.
    public var contentVersion: String
    /// Bytes.
    public var contentLength: Int64
    /// The hash of the whole package, in 64 hexadecimal digits.
    public var sha256: String
}

/// Begins an upload. Nothing is in force before its commit, and an upload untouched for an hour is deleted.
public struct BeginContentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// A product whose catalogue entry declares hosted content.
    public var productIdentifier: String
    /// The version that the catalogue declares. Any other is refused with `catalogInvalid`.
    public var version: String
}

/// The upload that parts and commit name.
public struct BeginContentReply: Hashable, Sendable, Codable {
    /// 24 hexadecimal digits, made by Catalog.
    public var uploadIdentifier: String
}

/// The bytes from `offset` on. Parts come in order, and repeating a part has no effect.
public struct ContentPartRequest: Hashable, Sendable, Codable {
    /// Bytes of one part, so that the message stays below 512 KiB in base64.
    public static let bytesMax = 256 * 1024
    /// Bytes of one package.
    public static let contentMax: Int64 = 256 * 1024 * 1024

    /// As ``BeginContentReply/uploadIdentifier``.
    public var uploadIdentifier: String
    /// Bytes before this part, from 0.
    public var offset: Int64
    /// Base64.
    public var data: String
}

/// Commits an upload.
public struct CommitContentRequest: Hashable, Sendable, Codable {
    /// As ``BeginContentReply/uploadIdentifier``.
    public var uploadIdentifier: String
    /// The number of bytes sent. The sizes of the parts must add up to it.
    public var length: Int64
}

/// The result of a commit.
public struct CommitContentReply: Hashable, Sendable, Codable {
    /// The package or image as stored, with its hash.
    public var content: HostedContent
    /// Whether the store had content of this version before.
    public var isReplaced: Bool
}

/// Asks for the content of a product. Without `version` it is the version that the catalogue declares.
public struct ContentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// Dotted integers. Nil for the version that the catalogue declares.
    public var version: String?
}

/// Reads at most ``ContentPartRequest/bytesMax`` bytes from `offset` on. `sha256` names the package that the reader
/// began with. If it was replaced meanwhile, the answer is `notFound`.
public struct ReadContentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// Dotted integers, `1.0`.
    public var version: String
    /// 64 hexadecimal digits, from ``HostedContent/sha256``.
    public var sha256: String
    /// Bytes before the part, from 0.
    public var offset: Int64
    /// Bytes to read, at most ``ContentPartRequest/bytesMax``.
    public var length: Int
}

/// Bytes of a package or an image.
public struct ContentPart: Hashable, Sendable, Codable {
    /// Base64.
    public var data: String
}
