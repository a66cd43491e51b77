import Persistence
import ServiceDatabase
import StoreModels

/// A payment: the request that an idempotency key names, and the reply once it has ended.
struct StoredPayment: Hashable, Sendable {
    /// The request's fingerprint (``RequestFingerprint``).
    var fingerprint: String
    /// The `id` of the payment's transaction.
    var transactionID: String
    /// The transaction as of its terminal commit, which a repeated request gets. Nil before that commit.
    var reply: AddPaymentReply?
}

/// Reads idempotency keys, which are columns of their transactions. UNIQUE (app, customer, key) decides.
///
/// The reply to a payment is its transaction as of the terminal commit. Most transactions do not change after their
/// end, so the transaction's own JSON is the reply. A later change keeps a copy first (``keepReply(of:_:)``).
enum PaymentRepository {
    /// The HTTP status of a payment that has ended.
    static let endedStatus = 201
    /// The reply to a transaction's payment. NULL before its end.
    private static let reply =
        "COALESCE(answer_body, CASE WHEN state IN ('purchased', 'failed') THEN body END) AS reply"

    /// Looks for a key's payment. Decisions ask ``CustomerState/payment(key:)``.
    static func find(key: String, of customer: CustomerReference) -> SQLLookup<StoredPayment?> {
        SQLLookup(first: byKey, customer.bundleId, customer.customerIdentifier, key) { row in
            StoredPayment(fingerprint: try row["fingerprint"], transactionID: try row["id"], reply: try reply(row))
        }
    }

    static let keySQL = """
        SELECT id, fingerprint, \(reply) FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND request_key = ?
        """
    private static let byKey = SQLBatchStatement.query(keySQL, .text, .text, .text)

    /// Tells whether a promoted purchase has a payment.
    ///
    /// Without a payment its intent may still be used (``UsedIntentRepository``).
    static func exists(intent: String, bundleId: String) -> SQLLookup<Bool> {
        SQLLookup(byIntent, bundleId, intent) { rows in !rows.isEmpty }
    }

    static let intentSQL = "SELECT id FROM payment_transaction WHERE bundle_id = ? AND intent_identifier = ?"
    private static let byIntent = SQLBatchStatement.query(intentSQL, .text, .text)

    /// Looks for the reply to a transaction's payment.
    ///
    /// The answer is nil before the terminal commit, and for a transaction without a key.
    static func reply(of transactionID: String, _ customer: CustomerReference) -> SQLLookup<AddPaymentReply?> {
        SQLLookup(byTransaction, transactionID, customer.bundleId, customer.customerIdentifier) { rows in
            try rows.first.flatMap(reply)
        }
    }

    private static let byTransaction = SQLBatchStatement.query(
        """
        SELECT \(reply) FROM payment_transaction
        WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND request_key IS NOT NULL
        """, .text, .text, .text)

    /// Looks for a transaction in the state that replies to its payment show.
    /// - Parameter id: A transaction that the service drives, never one that a client names.
    static func find(driven id: String) -> SQLLookup<StoredTransaction?> {
        SQLLookup(first: driven, id) { row in
            let key: String? = try row["request_key"]
            return try StoredTransaction(row).replaced(by: key == nil ? nil : reply(row))
        }
    }

    private static let driven = SQLBatchStatement.query(
        "SELECT *, \(reply) FROM payment_transaction WHERE id = ?", .text)

    private static func reply(_ row: SQLRow) throws -> AddPaymentReply? {
        let body: String? = try row["reply"]
        guard let body else { return nil }
        return AddPaymentReply(
            status: endedStatus, transaction: try StoredJSON.value(PaymentTransaction.self, body), isReplayed: true)
    }

    /// Copies the reply to a transaction's payment, before the transaction's next revision takes its place.
    ///
    /// The copy is the row's text, because `deliveries` of a transaction that was read may have grown since. A
    /// transaction without a payment, as a renewal's, has no reply to keep.
    static func keepReply(of transactionID: String, _ customer: CustomerReference) -> SQLChange {
        SQLChange(kept, transactionID, customer.bundleId, customer.customerIdentifier)
    }

    private static let kept = SQLBatchStatement.update(
        "payment_transaction", set: "answer_body = body",
        where: """
            id = ? AND bundle_id = ? AND customer_identifier = ? AND request_key IS NOT NULL AND answer_body IS NULL
            """, .text, .text, .text)
}
