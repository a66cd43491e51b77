import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// A payment's row: the idempotency key with its fingerprint, and the reply once it has ended.
struct StoredPayment: Hashable, Sendable {
    /// The request's fingerprint (``RequestFingerprint``).
    var fingerprint: String
    /// The `id` of the payment's transaction.
    var transactionID: String
    /// The transaction as of its terminal commit, which a repeated request gets. Nil before that commit.
    var reply: AddPaymentReply?
}

/// Reads and writes idempotency keys. UNIQUE (app, customer, key) decides, and rows stay.
///
/// The reply to a payment is its transaction as of the terminal commit. Most transactions do not change after their
/// end, so the transaction's own row has the reply. A later change keeps a copy first (``keepReply(of:_:in:)``).
enum PaymentRepository {
    /// The HTTP status of a payment that has ended.
    static let endedStatus = 201
    /// The reply of a payment `p` whose transaction is `t`. NULL before its end.
    private static let reply = """
        p.answer_status, COALESCE(p.answer_body, CASE WHEN t.state IN ('purchased', 'failed') THEN t.body END) AS reply
        """

    static func find(
        key: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredPayment? {
        try await found(startFind(key: key, of: customer, in: reader), in: reader)
    }

    /// Starts to look for a key's payment, so that further queries share the round trip.
    static func startFind(
        key: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.start(
            """
            SELECT p.fingerprint, p.transaction_id, \(reply)
            FROM payment p JOIN payment_transaction t ON t.id = p.transaction_id
            WHERE p.bundle_id = ? AND p.customer_identifier = ? AND p.request_key = ?
            """, customer.bundleId, customer.customerIdentifier, key)
    }

    /// Waits for the payment that was looked for.
    static func found(_ query: StartedQuery, in reader: SQLReader) async throws -> StoredPayment? {
        let row = try await query.first()
        if PlantedBug.isActive(.checkThenInsert), reader is SQLTransaction { return nil }
        guard let row else { return nil }
        return StoredPayment(
            fingerprint: try row["fingerprint"], transactionID: try row["transaction_id"], reply: try reply(row))
    }

    /// Tells whether a promoted purchase has a payment.
    ///
    /// Without a payment its intent may still be used (``UsedIntentRepository``).
    static func exists(intent: String, bundleId: String, in reader: SQLReader) async throws -> Bool {
        try await reader.queryOne(
            "SELECT request_key FROM payment WHERE bundle_id = ? AND intent_identifier = ?", bundleId, intent) != nil
    }

    /// Reads the reply to a transaction's payment.
    /// - Returns: Nil before the terminal commit, and for a transaction without a key.
    static func reply(
        of transactionID: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> AddPaymentReply? {
        try await reader.queryOne(
            """
            SELECT \(reply) FROM payment p JOIN payment_transaction t ON t.id = p.transaction_id
            WHERE p.transaction_id = ? AND p.bundle_id = ? AND p.customer_identifier = ?
            """, transactionID, customer.bundleId, customer.customerIdentifier
        ).flatMap(reply)
    }

    private static func reply(_ row: SQLRow) throws -> AddPaymentReply? {
        let body: String? = try row["reply"]
        guard let body else { return nil }
        let transaction = try StoredJSON.value(PaymentTransaction.self, body)
        return AddPaymentReply(
            status: try row["answer_status"] ?? endedStatus, transaction: transaction, isReplayed: true)
    }

    static func insert(
        _ payment: Payment, fingerprint: String, transactionID: String, of customer: CustomerReference, wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        let key = PlantedBug.isActive(.noDeduplication) ? transactionID : payment.requestIdentifier
        try await transaction.send(
            """
            INSERT INTO payment (bundle_id, customer_identifier, request_key, fingerprint, intent_identifier,
                transaction_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            customer.bundleId, customer.customerIdentifier, key, fingerprint, payment.intentIdentifier, transactionID,
            wall.milliseconds)
    }

    /// Copies the reply to a transaction's payment, before the transaction's next revision takes its place.
    ///
    /// A transaction without a payment, as a renewal's, has no reply to keep.
    static func keepReply(
        of transactionID: String, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE payment SET answer_status = ?,
                answer_body = (SELECT t.body FROM payment_transaction t WHERE t.id = payment.transaction_id)
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND answer_body IS NULL
            """, endedStatus, transactionID, customer.bundleId, customer.customerIdentifier)
    }
}
