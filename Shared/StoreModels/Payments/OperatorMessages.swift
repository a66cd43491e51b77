/// An operator's decision on one transaction of any customer, by `id`.
public struct OperateTransactionRequest: Hashable, Sendable, Codable {
    /// As ``PaymentTransaction/id``, of any customer.
    public var id: String
    /// The error a declined payment fails with; nil is `unknown`.
    public var error: SKErrorCode?
    public init(id: String, error: SKErrorCode? = nil) {
        self.id = id
        self.error = error
    }
}

/// Names a transaction of any customer for the operator, by `id` or by `transactionIdentifier`.
public struct OperatorTransactionRequest: Hashable, Sendable, Codable {
    /// As ``PaymentTransaction/id``, or its `transactionIdentifier`.
    public var id: String
    /// The app of the isolated store that asks; nil for the installation, which knows no store's transaction.
    public var bundleId: String?
    public init(id: String, bundleId: String? = nil) {
        self.id = id
        self.bundleId = bundleId
    }
}

/// A transaction with its customer, as the operator reads it: the transaction's members, and `record`.
public struct RecordedTransaction: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey { case record }

    public var transaction: PaymentTransaction
    /// As in the operator's list.
    public var record: TransactionsPage.Record

    public init(transaction: PaymentTransaction, record: TransactionsPage.Record) {
        self.transaction = transaction
        self.record = record
    }

    public init(from decoder: any Decoder) throws {
        transaction = try PaymentTransaction(from: decoder)
        record = try decoder.container(keyedBy: CodingKeys.self).decode(
            TransactionsPage.Record.self, forKey: .record)
    }

    public func encode(to encoder: any Encoder) throws {
        try transaction.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record, forKey: .record)
    }
}
