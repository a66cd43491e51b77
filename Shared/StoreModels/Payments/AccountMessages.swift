/// Asks for a customer by its own identifier or the account's name. The request has exactly one of the two.
public struct GetAccountRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``, in a client's session. Nil if `account` is given.
    public var customerIdentifier: String?
    /// The shopper's name, 1…128 characters, from an operator. Nil if `customerIdentifier` is given.
    public var account: String?
}

/// A customer's account at the moment of reading. The gateway keeps it for at most a second.
public struct AccountReply: Hashable, Sendable, Codable {
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The shopper's name, 1…128 characters.
    public var account: String
    /// Alpha-3 country code.
    public var storefront: String
    /// False when the tester's settings forbid payments.
    public var canMakePayments: Bool
    /// The error that loading products fails with, if the tester has one set.
    public var simulatedProductsError: TransactionError?
    /// The error that asking for the receipt fails with, if the tester has one set.
    public var simulatedReceiptError: TransactionError?
}
