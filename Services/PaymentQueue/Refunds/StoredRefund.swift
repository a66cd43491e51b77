import Persistence
import StoreModels

/// A committed refund, which is sent to the processor until it has replied.
struct StoredRefund: Hashable, Sendable {
    /// The key of the refund at the processor.
    var key: String
    var customer: CustomerReference
    /// The key of the refunded charge at the processor.
    var chargeKey: String
    /// The `id` of the refunded transaction.
    var transactionID: String
    var amount: Money
    /// Whether the processor has replied to the refund.
    var isDone = false
    /// Whether the refund must be taken back at the processor.
    var isReversal = false

    /// Returns the key of the refund of a whole purchase.
    static func key(of transactionID: String) -> String { "refund:" + transactionID }

    /// Returns the key of the refund of a period's unused part.
    /// - Parameters:
    ///   - transactionID: The purchase that has replaced the period.
    ///   - period: The period's number, or nil for the latest one.
    static func proratedKey(of transactionID: String, period: Int? = nil) -> String {
        "prorated:" + transactionID + (period.map { ":\($0)" } ?? "")
    }

    var request: CreateRefundRequest {
        CreateRefundRequest(refundKey: key, chargeKey: chargeKey, amount: amount)
    }
}

extension StoredRefund {
    init(_ row: SQLRow) throws {
        let code: String = try row["currency"]
        guard let currency = Currency(code: code) else {
            throw StoreError(.internal, "the stored currency '\(code)' is not a currency")
        }
        self.init(
            key: try row["refund_key"],
            customer: try CustomerReference(row),
            chargeKey: try row["charge_key"], transactionID: try row["transaction_id"],
            amount: Money(minorUnits: try row["amount_minor"], currency: currency), isDone: try row["is_done"],
            isReversal: try row["reversal"] == 1)
    }
}
