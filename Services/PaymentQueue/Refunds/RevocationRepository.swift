import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes revocations, and the journal row up to which devices have them.
///
/// The rows outlive the journal's: a device may come back after a year.
enum RevocationRepository {
    /// Maximum number of revocations in one snapshot. Later ones come with the next, or live.
    static let snapshotMax = 100

    static func insert(
        _ value: PaymentTransaction, seq: Int64, of customer: CustomerReference
    ) throws -> SQLChange {
        SQLChange(
            inserted, customer.bundleId, customer.customerIdentifier, seq, value.id,
            try StoredJSON.text([value.payment.productIdentifier]))
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "revocation",
        [
            "bundle_id": .text, "customer_identifier": .text, "seq": .integer, "transaction_id": .text,
            "product_identifiers": .text,
        ])

    /// Reads the revocations no stream has delivered to the device yet, oldest first.
    /// - Returns: The revocations, or nil for a new device, which has no entitlement to lose.
    static func unseen(
        of customer: CustomerReference, deviceId: String, in reader: SQLReader
    ) async throws -> [Revocation]? {
        guard
            let row = try await reader.queryOne(
                """
                SELECT seq FROM revocation_seen WHERE bundle_id = ? AND customer_identifier = ? AND device_id = ?
                """, customer.bundleId, customer.customerIdentifier, deviceId)
        else { return nil }
        let seen: Int64 = try row["seq"]
        return try await reader.query(
            """
            SELECT seq, product_identifiers FROM revocation
            WHERE bundle_id = ? AND customer_identifier = ? AND seq > ? ORDER BY seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, seen, snapshotMax
        ).map { row in
            Revocation(
                seq: try row["seq"],
                productIdentifiers: try StoredJSON.value([String].self, try row["product_identifiers"]))
        }
    }

    /// Records that the device has received all revocations up to `seq`. The position never decreases.
    static func see(
        through seq: Int64, of customer: CustomerReference, deviceId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO revocation_seen (bundle_id, customer_identifier, device_id, seq) VALUES (?, ?, ?, ?)
            ON CONFLICT (bundle_id, customer_identifier, device_id) DO UPDATE SET seq = excluded.seq
            WHERE excluded.seq > revocation_seen.seq
            """, customer.bundleId, customer.customerIdentifier, deviceId, seq)
    }
}
