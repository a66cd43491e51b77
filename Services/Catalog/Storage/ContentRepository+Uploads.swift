import FoundationEssentials
import Persistence
import StoreModels

extension ContentRepository {
    /// Bytes of a package, with their offset.
    struct Part: Hashable, Sendable {
        let offset: Int64
        let bytes: [UInt8]

        init(offset: Int64, bytes: [UInt8]) {
            self.offset = offset
            self.bytes = bytes
        }

        /// Decodes the part of a request.
        /// - Throws: `requestInvalid`, `bodyTooLarge`.
        init(_ request: ContentPartRequest) throws(StoreError) {
            guard let bytes = Data(base64Encoded: request.data), !bytes.isEmpty else {
                throw StoreError(
                    .requestInvalid, "$.data: must be base64 of one byte or more", details: ["path": "$.data"])
            }
            guard bytes.count <= ContentPartRequest.bytesMax else {
                throw StoreError(.bodyTooLarge, "a part has at most \(ContentPartRequest.bytesMax) bytes")
            }
            self.init(offset: request.offset, bytes: Array(bytes))
        }
    }

    /// Opens an upload, after dropping expired ones.
    /// - Throws: `serviceUnavailable` for an app that is being deleted, `rateLimited` when too many or too large uploads
    ///   are open, or `requestInvalid` when too many versions of the product's content are kept.
    func begin(
        _ identifier: String, _ kind: Kind, _ request: BeginContentRequest, declaredLength: Int64,
        now: Timestamp
    ) async throws {
        try await database.write { transaction in
            try await AppRepository.checkIsOpen(request.bundleId, in: transaction)
            try await Self.forgetExpired(now: now, in: transaction)
            try await Self.checkRoom(for: declaredLength, in: transaction)
            if kind == .content { try await Self.checkVersions(request, in: transaction) }
            try await transaction.execute(
                """
                INSERT INTO content_package (id, kind, bundle_id, product_identifier, version, state, declared_length,
                    length, part_count, touched_at)
                VALUES (?, ?, ?, ?, ?, 'open', ?, 0, 0, ?)
                """, identifier, kind.rawValue, request.bundleId, request.productIdentifier, request.version,
                declaredLength,
                now.milliseconds)
        }
    }

    private static func checkRoom(for length: Int64, in transaction: SQLTransaction) async throws {
        // PostgreSQL's sum of integers is a decimal.
        let open = try await found(
            transaction.queryOne(
                """
                SELECT count(*) AS n, CAST(coalesce(sum(declared_length), 0) AS BIGINT) AS bytes
                FROM content_package WHERE state = 'open'
                """))
        guard try open["n"] < ContentLimits.openMax, try open["bytes"] + length <= ContentLimits.openBytesMax else {
            throw StoreError(
                .rateLimited, "too many uploads are under way; commit them, or wait until they expire",
                retryAfterMs: 60_000)
        }
    }

    private static func checkVersions(_ request: BeginContentRequest, in transaction: SQLTransaction) async throws {
        let others = try await found(
            transaction.queryOne(
                """
                SELECT count(*) AS n FROM content_package
                WHERE bundle_id = ? AND product_identifier = ? AND version <> ? AND state = 'inForce'
                    AND kind = 'content'
                """, request.bundleId, request.productIdentifier, request.version))
        guard try others["n"] < ContentLimits.versionsMax else {
            throw StoreError(
                .requestInvalid,
                "the store keeps at most \(ContentLimits.versionsMax) versions of a product's content and has as many; "
                    + "declare one of them and replace its content")
        }
    }

    /// Stores the next part. An existing part changes nothing.
    /// - Returns: The error that has ended the upload, if the package is longer than allowed.
    /// - Throws: `notFound`, `requestInvalid`, `bodyTooLarge`.
    func add(
        _ part: Part, to identifier: String, _ kind: Kind = .content, now: Timestamp
    ) async throws -> StoreError? {
        try await database.write { transaction in
            let row = try await Self.openRow(identifier, kind, now: now, in: transaction)
            let (length, declared, parts): (Int64, Int64, Int) = (
                try row["length"], try row["declared_length"], try row["part_count"]
            )
            guard part.offset >= length else {
                try await Self.checkRepeated(part, of: identifier, in: transaction)
                return nil
            }
            try Self.checkPlace(part, behind: length, parts: parts)
            let end = length + Int64(part.bytes.count)
            guard end <= declared else {
                try await Self.drop(identifier, in: transaction)
                return kind == .content
                    ? ContentRules.otherLength(end, declared: declared) : ContentRules.imageTooLarge
            }
            try await transaction.execute(
                "INSERT INTO content_chunk (package_id, at_byte, data) VALUES (?, ?, ?)", identifier, length,
                part.bytes)
            try await transaction.execute(
                "UPDATE content_package SET length = ?, part_count = ?, touched_at = ? WHERE id = ?", end, parts + 1,
                now.milliseconds, identifier)
            return nil
        }
    }

    private static func openRow(
        _ identifier: String, _ kind: Kind, now: Timestamp, in transaction: SQLTransaction
    ) async throws -> SQLRow {
        let row = try await transaction.queryOne(
            """
            SELECT * FROM content_package WHERE id = ? AND kind = ? AND state = 'open' AND touched_at >= ? \
            \(transaction.dialect.lockRow)
            """, identifier, kind.rawValue, ContentLimits.expiry(now).milliseconds)
        guard let row else { throw ContentRules.unknownUpload }
        return row
    }

    private static func checkPlace(_ part: Part, behind length: Int64, parts: Int) throws(StoreError) {
        guard part.offset == length else {
            throw StoreError(
                .requestInvalid, "$.offset: is \(part.offset); the part from \(length) on comes next",
                details: ["path": "$.offset"])
        }
        guard parts < ContentLimits.partsMax else {
            throw StoreError(
                .bodyTooLarge, "a package has at most \(ContentLimits.partsMax) parts; send larger ones")
        }
    }

    private static func checkRepeated(_ part: Part, of identifier: String, in transaction: SQLTransaction) async throws
    {
        let row = try await transaction.queryOne(
            "SELECT data FROM content_chunk WHERE package_id = ? AND at_byte = ?", identifier, part.offset)
        let data: [UInt8]? = try row.map { row in try row["data"] }
        guard data == part.bytes else {
            throw StoreError(
                .requestInvalid, "$.offset: other bytes were sent for \(part.offset) before; begin the upload again",
                details: ["path": "$.offset"])
        }
    }
}
