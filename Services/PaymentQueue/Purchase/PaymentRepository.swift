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
/// end, so the transaction's own row has the reply. A later change keeps a copy first (``keepReply(of:_:)``).
enum PaymentRepository {
    /// The HTTP status of a payment that has ended.
    static let endedStatus = 201
    /// The reply of a payment `p` whose transaction is `t`. NULL before its end.
    private static let reply = """
        p.answer_status, COALESCE(p.answer_body, CASE WHEN t.state IN ('purchased', 'failed') THEN t.body END) AS reply
        """

    /// Looks for a key's payment. Decisions ask ``CustomerState/payment(key:)``.
    static func find(key: String, of customer: CustomerReference) -> SQLLookup<StoredPayment?> {
        SQLLookup(first: byKey, customer.bundleId, customer.customerIdentifier, key) { row in
            StoredPayment(
                fingerprint: try row["fingerprint"], transactionID: try row["transaction_id"], reply: try reply(row))
        }
    }

    private static let byKey = SQLBatchStatement.query(
        """
        SELECT p.fingerprint, p.transaction_id, \(reply)
        FROM payment p JOIN payment_transaction t ON t.id = p.transaction_id
        WHERE p.bundle_id = ? AND p.customer_identifier = ? AND p.request_key = ?
        """, .text, .text, .text)

    /// Tells whether a promoted purchase has a payment.
    ///
    /// Without a payment its intent may still be used (``UsedIntentRepository``).
    static func exists(intent: String, bundleId: String) -> SQLLookup<Bool> {
        SQLLookup(byIntent, bundleId, intent) { rows in !rows.isEmpty }
    }

    private static let byIntent = SQLBatchStatement.query(
        "SELECT request_key FROM payment WHERE bundle_id = ? AND intent_identifier = ?", .text, .text)

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
        SELECT \(reply) FROM payment p JOIN payment_transaction t ON t.id = p.transaction_id
        WHERE p.transaction_id = ? AND p.bundle_id = ? AND p.customer_identifier = ?
        """, .text, .text, .text)

    private static func reply(_ row: SQLRow) throws -> AddPaymentReply? {
        let body: String? = try row["reply"]
        guard let body else { return nil }
        let transaction = try StoredJSON.value(PaymentTransaction.self, body)
        return AddPaymentReply(
            status: try row["answer_status"] ?? endedStatus, transaction: transaction, isReplayed: true)
    }

    /// Inserts a purchase's payment.
    /// - Returns: Nil for a purchase without an idempotency key.
    static func insert(_ purchase: NewPurchase, of customer: CustomerReference, wall: Timestamp) -> SQLChange? {
        guard let fingerprint = purchase.fingerprint else { return nil }
        let payment = purchase.payment
        let key = PlantedBug.isActive(.noDeduplication) ? purchase.id : payment.requestIdentifier
        return SQLChange(
            inserted, customer.bundleId, customer.customerIdentifier, key, fingerprint, payment.intentIdentifier,
            purchase.id, wall.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "payment",
        [
            "bundle_id": .text, "customer_identifier": .text, "request_key": .text, "fingerprint": .text,
            "intent_identifier": .text, "transaction_id": .text, "created_at": .integer,
        ])

    /// Copies the reply to a transaction's payment, before the transaction's next revision takes its place.
    ///
    /// The copy is the row's text, because `deliveries` of a transaction that was read may have grown since. A
    /// transaction without a payment, as a renewal's, has no reply to keep.
    static func keepReply(of transactionID: String, _ customer: CustomerReference) -> SQLChange {
        SQLChange(kept, endedStatus, transactionID, customer.bundleId, customer.customerIdentifier)
    }

    // The sub-select has a JOIN instead of a WHERE, which may not be among an UPDATE's assignments.
    private static let kept = SQLBatchStatement.update(
        "payment",
        set: """
            answer_status = ?, answer_body = (
                SELECT t.body FROM (SELECT 1 AS one) AS this
                JOIN payment_transaction t ON t.id = payment.transaction_id)
            """,
        where: "transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND answer_body IS NULL",
        .integer, .text, .text, .text)
}
