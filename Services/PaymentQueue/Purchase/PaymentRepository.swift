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
        return try row.map(payment)
    }

    private static func payment(_ row: SQLRow) throws -> StoredPayment {
        StoredPayment(
            fingerprint: try row["fingerprint"], transactionID: try row["transaction_id"], reply: try reply(row))
    }

    /// The search for the payments of many keys, each with its customer and key, for ``found(_:)``.
    static let search = SQLBatchStatement.query(
        """
        SELECT p.bundle_id, p.customer_identifier, p.request_key, p.fingerprint, p.transaction_id, \(reply)
        FROM payment p JOIN payment_transaction t ON t.id = p.transaction_id
        WHERE p.bundle_id = ? AND p.customer_identifier = ? AND p.request_key = ?
        """, .text, .text, .text)

    /// Waits for the payments that were searched for.
    static func found(
        _ started: StartedBatch
    ) async throws -> [(customer: CustomerReference, key: String, payment: StoredPayment)] {
        let rows = try await started.rows()
        if PlantedBug.isActive(.checkThenInsert) { return [] }
        return try rows.map { (try CustomerReference($0), try $0["request_key"], try payment($0)) }
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

    /// Writes the row of a purchase's payment, if the purchase has an idempotency key.
    // Swift 6.3.1 crashes when it optimizes this as a part of its caller.
    @inline(never)
    static func insert(
        _ purchase: NewPurchase, of customer: CustomerReference, wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        var rows = SQLBatch(inserted)
        append(purchase, of: customer, wall: wall, to: &rows)
        try await transaction.send(rows)
    }

    /// The rows of new payments, for ``append(_:of:wall:to:)``.
    static let inserted = SQLBatchStatement.insert(
        into: "payment",
        [
            "bundle_id": .text, "customer_identifier": .text, "request_key": .text, "fingerprint": .text,
            "intent_identifier": .text, "transaction_id": .text, "created_at": .integer,
        ])

    /// Adds the row of a purchase's payment, if the purchase has an idempotency key.
    static func append(
        _ purchase: NewPurchase, of customer: CustomerReference, wall: Timestamp, to rows: inout SQLBatch
    ) {
        guard let fingerprint = purchase.fingerprint else { return }
        let payment = purchase.payment
        let key = PlantedBug.isActive(.noDeduplication) ? purchase.id : payment.requestIdentifier
        rows.append(
            customer.bundleId, customer.customerIdentifier, key, fingerprint, payment.intentIdentifier, purchase.id,
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
