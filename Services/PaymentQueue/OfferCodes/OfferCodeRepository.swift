import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes offer codes and their redemptions.
enum OfferCodeRepository {
    // MARK: The operator's list

    /// Writes a code with the digests of its texts.
    static func insert(
        _ code: OfferCode, of bundleId: String, digests: [String], in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO offer_code (
                id, bundle_id, product_identifier, offer_identifier, word, redemptions_max, expires_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, code.codeIdentifier, bundleId, code.productIdentifier, code.offer, code.code, code.redemptionsMax,
            code.expiresAt?.milliseconds, code.createdAt.milliseconds)
        var texts = SQLBatch(insertedTexts)
        for digest in digests { texts.append(bundleId, digest, code.codeIdentifier) }
        try await transaction.send(texts)
    }

    private static let insertedTexts = SQLBatchStatement.insert(
        into: "offer_code_text", ["bundle_id": .text, "digest": .text, "code_id": .text])

    /// Counts an app's custom codes and batches, and the one-time codes of its batches. Inactive ones, and those whose
    /// time is over, do not count.
    static func counts(
        of bundleId: String, at now: Timestamp, in reader: SQLReader
    ) async throws -> (codes: Int, oneTime: Int) {
        let row = try await reader.queryOne(
            """
            SELECT COUNT(*) AS codes,
                CAST(COALESCE(SUM(CASE WHEN word IS NULL THEN redemptions_max ELSE 0 END), 0) AS BIGINT) AS one_time
            FROM offer_code WHERE bundle_id = ? AND is_active = 1 AND (expires_at IS NULL OR expires_at > ?)
            """, bundleId, now.milliseconds)
        guard let row else { return (0, 0) }
        return (try row["codes"], try row["one_time"])
    }

    /// Reads an app's codes after `after`, oldest first.
    static func all(
        of bundleId: String, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [OfferCode] {
        try await reader.query(listSQL, bundleId, after, limit).map(OfferCode.init)
    }

    /// Reads codes from the index `offer_code_app`.
    static let listSQL = "SELECT * FROM offer_code WHERE bundle_id = ? AND id > ? ORDER BY id LIMIT ?"

    /// - Returns: Nil for an unknown code, and for another app's.
    static func find(_ id: String, of bundleId: String, in reader: SQLReader) async throws -> OfferCode? {
        try await reader.queryOne("SELECT * FROM offer_code WHERE id = ? AND bundle_id = ?", id, bundleId)
            .map(OfferCode.init)
    }

    static func setActive(
        _ isActive: Bool, _ id: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE offer_code SET is_active = ? WHERE id = ? AND bundle_id = ?", isActive, id, bundleId)
    }

    // MARK: Redemptions

    /// Looks for a code by the digest of its text.
    static func find(digest: String, of bundleId: String) -> SQLLookup<StoredOfferCode?> {
        SQLLookup(first: byDigest, bundleId, digest) { row in
            StoredOfferCode(code: try OfferCode(row), isSpent: try row["is_spent"])
        }
    }

    static let digestSQL = """
        SELECT c.*, t.is_spent FROM offer_code_text t JOIN offer_code c ON c.id = t.code_id
        WHERE t.bundle_id = ? AND t.digest = ?
        """
    private static let byDigest = SQLBatchStatement.query(digestSQL, .text, .text)

    /// Tells whether a customer has redeemed a code of an offer, or has a purchase with one in progress.
    static func hasRedeemed(_ code: RedeemedCode, _ customer: CustomerReference) -> SQLLookup<Bool> {
        SQLLookup(
            redeemedBefore, customer.bundleId, customer.customerIdentifier, code.productIdentifier, code.offer
        ) { rows in !rows.isEmpty }
    }

    private static let redeemedBefore = SQLBatchStatement.query(
        """
        SELECT transaction_id FROM code_redemption
        WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ? AND offer_identifier = ?
        """, .text, .text, .text, .text)

    /// Redeems a code for a transaction.
    ///
    /// The conditions are those of ``OfferCodeRules/refusal(of:hasRedeemed:now:)`` that another customer's commit may
    /// have changed since the code was read.
    static func redeem(
        _ code: RedeemedCode, _ kind: OfferCode.Kind, for transactionID: String, _ customer: CustomerReference
    ) -> [SQLChange] {
        var changes = [
            SQLChange(counted, code.codeIdentifier, changes: 1),
            SQLChange(
                redemptions, customer.bundleId, customer.customerIdentifier, code.productIdentifier, code.offer,
                transactionID),
        ]
        if kind == .oneTime { changes.append(SQLChange(spent, code.digest, customer.bundleId, changes: 1)) }
        return changes
    }

    private static let counted = SQLBatchStatement.update(
        "offer_code", set: "redemptions = redemptions + 1",
        where: "id = ? AND is_active = 1 AND redemptions < redemptions_max", .text)
    private static let spent = SQLBatchStatement.update(
        "offer_code_text", set: "is_spent = 1", where: "digest = ? AND bundle_id = ? AND is_spent = 0", .text, .text)
    private static let redemptions = SQLBatchStatement.insert(
        into: "code_redemption",
        [
            "bundle_id": .text, "customer_identifier": .text, "product_identifier": .text, "offer_identifier": .text,
            "transaction_id": .text,
        ])

    /// Gives a redemption back whose purchase has failed.
    static func giveBack(
        _ code: RedeemedCode, of transactionID: String, _ customer: CustomerReference
    ) -> [SQLChange] {
        [
            SQLChange(uncounted, code.codeIdentifier), SQLChange(unspent, code.digest, customer.bundleId),
            SQLChange(removed, transactionID, customer.bundleId, customer.customerIdentifier, changes: 1),
        ]
    }

    private static let uncounted = SQLBatchStatement.update(
        "offer_code", set: "redemptions = redemptions - 1", where: "id = ?", .text)
    private static let unspent = SQLBatchStatement.update(
        "offer_code_text", set: "is_spent = 0", where: "digest = ? AND bundle_id = ?", .text, .text)
    private static let removed = SQLBatchStatement.delete(
        from: "code_redemption", where: "transaction_id = ? AND bundle_id = ? AND customer_identifier = ?",
        .text, .text, .text)
}

extension OfferCode {
    fileprivate init(_ row: SQLRow) throws {
        let word: String? = try row["word"]
        self.init(
            codeIdentifier: try row["id"], kind: word == nil ? .oneTime : .custom, code: word,
            productIdentifier: try row["product_identifier"], offer: try row["offer_identifier"],
            redemptionsMax: try row["redemptions_max"], redemptions: try row["redemptions"],
            isActive: try row["is_active"], expiresAt: try row["expires_at"], createdAt: try row["created_at"])
    }
}
