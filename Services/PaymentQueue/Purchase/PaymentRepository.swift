import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// A payment's row: the idempotency key with its fingerprint, and the stored reply.
struct StoredPayment: Hashable, Sendable {
    /// The request's fingerprint (``RequestFingerprint``).
    var fingerprint: String
    /// The `id` of the payment's transaction.
    var transactionID: String
    /// The reply the terminal commit stored, which a repeated request gets; nil before that commit.
    var reply: AddPaymentReply?
}

/// Reads and writes idempotency keys. UNIQUE (app, customer, key) decides, and rows stay.
enum PaymentRepository {
    static func find(
        key: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredPayment? {
        #if PLANTED_BUGS
            if PlantedBug.active == .checkThenInsert, reader is SQLTransaction { return nil }
        #endif
        guard
            let row = try await reader.queryOne(
                "SELECT * FROM payment WHERE bundle_id = ? AND customer_identifier = ? AND request_key = ?",
                customer.bundleId, customer.customerIdentifier, key)
        else { return nil }
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

    /// Reads the reply that a transaction's terminal commit stored.
    /// - Returns: Nil before that commit, and for a transaction without a key.
    static func reply(
        of transactionID: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> AddPaymentReply? {
        try await reader.queryOne(
            """
            SELECT answer_status, answer_body FROM payment
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ?
            """, transactionID, customer.bundleId, customer.customerIdentifier
        ).flatMap(reply)
    }

    private static func reply(_ row: SQLRow) throws -> AddPaymentReply? {
        let status: Int? = try row["answer_status"]
        let body: String? = try row["answer_body"]
        guard let status, let body else { return nil }
        let transaction = try StoredJSON.value(PaymentTransaction.self, body)
        return AddPaymentReply(status: status, transaction: transaction, isReplayed: true)
    }

    static func insert(
        _ payment: Payment, fingerprint: String, transactionID: String, of customer: CustomerReference, wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        #if PLANTED_BUGS
            let payment = PlantedBug.active == .noDeduplication ? payment.under(key: transactionID) : payment
        #endif
        try await transaction.send(
            """
            INSERT INTO payment (bundle_id, customer_identifier, request_key, fingerprint, intent_identifier,
                transaction_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            customer.bundleId, customer.customerIdentifier, payment.requestIdentifier, fingerprint,
            payment.intentIdentifier, transactionID, wall.milliseconds)
    }

    /// Stores the reply unless one is stored. A transaction without a key has none.
    /// - Parameter body: The transaction's JSON.
    static func storeReply(
        status: Int, body: String, of transactionID: String, _ customer: CustomerReference,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE payment SET answer_status = ?, answer_body = ?
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND answer_status IS NULL
            """, status, body, transactionID, customer.bundleId, customer.customerIdentifier)
    }
}
