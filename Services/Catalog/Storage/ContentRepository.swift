import Persistence
import StoreModels

/// Stores packages of hosted content and promotional images, from the beginning of their upload. Each has one row, and
/// its bytes are in chunks as they came over the bus.
///
/// A package is `open` during its upload, `inForce` from its commit on, and `dropped` when it has expired, or was
/// rejected or replaced. The chunks of a dropped package are deleted, a few at a time, and its row last.
struct ContentRepository: Sendable {
    /// The purpose of a package. An upload of one kind cannot be committed as the other.
    enum Kind: String, Sendable {
        case content, image
    }

    /// The version of every image. Content never has it. A new image replaces the previous one.
    static let imageVersion = ""

    let database: any SQLDatabase

    /// A package's row.
    struct Package: Hashable, Sendable {
        let id: String
        let bundleId: String
        let productIdentifier: String
        let version: String
        /// The number of bytes received so far.
        let length: Int64
        /// The reply to its commit. Nil before it.
        let reply: CommitContentReply?
    }

    /// Reads all content of an app, of every version.
    static func stored(of bundleId: String, in reader: SQLReader) async throws -> StoredContents {
        var contents = StoredContents()
        for row in try await reader.query(
            """
            SELECT product_identifier, version, length FROM content_package
            WHERE bundle_id = ? AND state = 'inForce' AND kind = 'content'
            """, bundleId)
        {
            contents.add(try row["version"], length: try row["length"], of: try row["product_identifier"])
        }
        return contents
    }

    /// Describes a package in force, or returns nil without one.
    func content(
        of productIdentifier: String, in bundleId: String, version: String
    ) async throws -> HostedContent? {
        try await database.read { reader in
            try await Self.inForce(.content, productIdentifier, bundleId, version, in: reader)?.reply?.content
        }
    }

    /// A package's length and the requested bytes, which are nil beyond its end.
    struct Reading: Sendable {
        let length: Int64
        let bytes: [UInt8]?
    }

    /// Reads a range of a package in force. Nil without a package of this SHA-256.
    func read(_ request: ReadContentRequest, _ kind: Kind = .content) async throws -> Reading? {
        try await database.read { reader in
            let found = try await Self.inForce(
                kind, request.productIdentifier, request.bundleId, request.version, in: reader)
            guard let package = found, package.reply?.content.sha256 == request.sha256 else { return nil }
            guard (0..<package.length).contains(request.offset) else {
                return Reading(length: package.length, bytes: nil)
            }
            let end = min(request.offset + Int64(request.length), package.length)
            let bytes = try await Self.bytes(of: package.id, request.offset..<end, in: reader)
            return Reading(length: package.length, bytes: bytes)
        }
    }

    static func inForce(
        _ kind: Kind, _ productIdentifier: String, _ bundleId: String, _ version: String, in reader: SQLReader
    ) async throws -> Package? {
        try await reader.queryOne(
            """
            SELECT * FROM content_package
            WHERE bundle_id = ? AND product_identifier = ? AND version = ? AND state = 'inForce' AND kind = ?
            """, bundleId, productIdentifier, version, kind.rawValue
        ).map(Package.init)
    }

    /// Reads a range of bytes. Chunks have the lengths of their parts, so the first one may begin before the range, and
    /// the last one may end after it.
    private static func bytes(
        of identifier: String, _ range: Range<Int64>, in reader: SQLReader
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for row in try await reader.query(
            """
            SELECT at_byte, data FROM content_chunk WHERE package_id = ? AND at_byte < ? AND at_byte >= (
                SELECT max(at_byte) FROM content_chunk WHERE package_id = ? AND at_byte <= ?)
            ORDER BY at_byte
            """, identifier, range.upperBound, identifier, range.lowerBound)
        {
            let (start, data): (Int64, [UInt8]) = (try row["at_byte"], try row["data"])
            let wanted = range.clamped(to: start..<start + Int64(data.count))
            bytes += data[Int(wanted.lowerBound - start)..<Int(wanted.upperBound - start)]
        }
        return bytes
    }

    /// Reads bytes of a package, at most ``ContentLimits/readMax`` chunks, starting with the chunk at `offset`.
    func bytes(of identifier: String, from offset: Int64) async throws -> [UInt8] {
        try await database.read { reader in
            try await joined(
                reader.query(
                    "SELECT data FROM content_chunk WHERE package_id = ? AND at_byte >= ? ORDER BY at_byte LIMIT ?",
                    identifier, offset, ContentLimits.readMax))
        }
    }
}

extension ContentRepository.Package {
    init(_ row: SQLRow) throws {
        id = try row["id"]
        bundleId = try row["bundle_id"]
        productIdentifier = try row["product_identifier"]
        version = try row["version"]
        length = try row["length"]
        let (sha256, isReplacement): (String?, Bool?) = (try row["sha256"], try row["is_replacement"])
        guard let sha256, let isReplacement else {
            reply = nil
            return
        }
        reply = CommitContentReply(
            content: HostedContent(
                contentIdentifier: productIdentifier, contentVersion: version, contentLength: length, sha256: sha256),
            isReplaced: isReplacement)
    }
}

/// The hosted content of an app in every version, for decisions about availability.
struct StoredContents: Hashable, Sendable {
    /// The lengths in bytes, by product and version.
    private var lengths: [ExactText: [ExactText: Int64]] = [:]

    mutating func add(_ version: String, length: Int64, of productIdentifier: String) {
        lengths[ExactText(productIdentifier), default: [:]][version] = length
    }

    /// Whether the declared content is stored, in this version and of this length.
    func hold(_ declared: DeclaredContent, of productIdentifier: String) -> Bool {
        lengths[ExactText(productIdentifier)]?[declared.version] == declared.length
    }
}
