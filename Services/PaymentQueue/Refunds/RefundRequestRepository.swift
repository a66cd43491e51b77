import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes customers' requests for refunds.
enum RefundRequestRepository {
    static func insert(_ value: CustomerRefundRequest, of customer: CustomerReference) -> SQLChange {
        SQLChange(
            inserted, value.refundRequestIdentifier, customer.bundleId, customer.customerIdentifier,
            value.transactionId, value.transactionIdentifier, value.account, value.state, value.reason,
            value.requestedAt.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "refund_request",
        [
            "id": .text, "bundle_id": .text, "customer_identifier": .text, "transaction_id": .text,
            "transaction_identifier": .text, "account": .text, "state": .text, "reason": .text,
            "requested_at": .integer,
        ])

    /// Reads the request that an operator names.
    /// - Returns: Nil also for a request of another scope.
    static func find(_ named: ScopedIdentifier) -> SQLLookup<CustomerRefundRequest?> {
        SQLLookup(first: byId, named.id) { try CustomerRefundRequest($0) }
            .map { found in found.flatMap { named.scope.covers($0.bundleId) ? $0 : nil } }
    }

    private static let byId = SQLBatchStatement.query("SELECT * FROM refund_request WHERE id = ?", .text)

    /// Finds the open request about a transaction.
    static func open(about transactionID: String) -> SQLLookup<CustomerRefundRequest?> {
        SQLLookup(first: openOne, transactionID) { try CustomerRefundRequest($0) }
    }

    private static let openOne = SQLBatchStatement.query(
        "SELECT * FROM refund_request WHERE transaction_id = ? AND state = 'open'", .text)

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
        _ state: CustomerRefundRequest.State, about transactionID: String, at now: Timestamp
    ) -> SQLChange {
        SQLChange(decided, state, now.milliseconds, transactionID)
    }

    private static let decided = SQLBatchStatement.update(
        "refund_request", set: "state = ?, decided_at = ?", where: "transaction_id = ? AND state = 'open'",
        .text, .integer, .text)

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
