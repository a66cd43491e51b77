/// An operator's decision on one transaction of any customer.
public struct OperateTransactionRequest: Hashable, Sendable, Codable {
    public var transaction: ScopedIdentifier
    /// The error a declined payment fails with. Nil means `unknown`.
    public var error: SKErrorCode?
}

/// A transaction with its customer, as the operator reads it: the transaction's members, and `record`.
public struct RecordedTransaction: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey { case record }

    public var transaction: PaymentTransaction
    /// As in the operator's list.
    public var record: TransactionsPage.Record

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
