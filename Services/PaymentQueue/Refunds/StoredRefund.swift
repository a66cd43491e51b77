import Persistence
import StoreModels

/// Money that is to go back: decided, committed, and told to the processor until it has answered.
struct StoredRefund: Hashable, Sendable {
    /// What the processor knows it by.
    var key: String
    var customer: CustomerReference
    var chargeKey: String
    var transactionID: String
    var amount: Money

    /// Of all the money of a purchase.
    static func key(of transactionID: String) -> String { "refund:" + transactionID }

    /// Of the unused part of a period.
    /// - Parameters:
    ///   - transactionID: The purchase that has taken its place.
    ///   - period: The period's number, when it was not the latest one.
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
            throw StoreError(.internal, "a stored currency '\(code)' is none")
        }
        self.init(
            key: try row["refund_key"],
            customer: try CustomerReference(row),
            chargeKey: try row["charge_key"], transactionID: try row["transaction_id"],
            amount: Money(minorUnits: try row["amount_minor"], currency: currency))
    }
}
