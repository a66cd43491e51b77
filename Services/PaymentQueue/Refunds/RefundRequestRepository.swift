import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes customers' requests for refunds.
enum RefundRequestRepository {
    static func insert(
        _ value: CustomerRefundRequest, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO refund_request (id, bundle_id, customer_identifier, transaction_id, transaction_identifier,
                account, state, reason, requested_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, value.refundRequestIdentifier, customer.bundleId, customer.customerIdentifier, value.transactionId,
            value.transactionIdentifier, value.account, value.state, value.reason, value.requestedAt.milliseconds)
    }

    /// Reads the request that an operator names.
    /// - Returns: Nil also for a request of another scope.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> CustomerRefundRequest? {
        try await reader.queryOne("SELECT * FROM refund_request WHERE id = ?", named.id)
            .map(CustomerRefundRequest.init).flatMap { named.scope.covers($0.bundleId) ? $0 : nil }
    }

    /// Finds the open request about a transaction.
    static func open(about transactionID: String, in reader: SQLReader) async throws -> CustomerRefundRequest? {
        try await reader.queryOne(
            "SELECT * FROM refund_request WHERE transaction_id = ? AND state = 'open'", transactionID
        ).map(CustomerRefundRequest.init)
    }

    /// Reads an app's open requests after `after`, oldest first.
    static func open(
        of bundleId: String, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [CustomerRefundRequest] {
        try await reader.query(openSQL, bundleId, after, limit).map(CustomerRefundRequest.init)
    }

    /// Reads open requests from the index `refund_request_waiting`.
    static let openSQL = """
        SELECT * FROM refund_request WHERE bundle_id = ? AND state = 'open' AND id > ? ORDER BY id LIMIT ?
        """

    /// Ends the open request about a transaction, if there is one.
    static func decide(
        _ state: CustomerRefundRequest.State, about transactionID: String, at now: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE refund_request SET state = ?, decided_at = ? WHERE transaction_id = ? AND state = 'open'", state,
            now.milliseconds, transactionID)
    }

    /// Keeps the app server's consumption information, at the open request about a transaction.
    static func setConsumption(
        _ value: JSONValue, about transactionID: String, in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            "UPDATE refund_request SET consumption = ? WHERE transaction_id = ? AND state = 'open'",
            try StoredJSON.text(value), transactionID)
    }
}

extension CustomerRefundRequest.State: SQLValueConvertible {}
extension ConsumptionRequestReason: SQLValueConvertible {}

extension CustomerRefundRequest {
    fileprivate init(_ row: SQLRow) throws {
        let consumption: String? = try row["consumption"]
        self.init(
            refundRequestIdentifier: try row["id"], transactionId: try row["transaction_id"],
            transactionIdentifier: try row["transaction_identifier"], bundleId: try row["bundle_id"],
            account: try row["account"], state: try row["state"], reason: try row["reason"],
            requestedAt: try row["requested_at"], decidedAt: try row["decided_at"],
            consumption: try consumption.map { try StoredJSON.value(JSONValue.self, $0) })
    }
}
