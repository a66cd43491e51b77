/// Asks an app for consent when a subscription costs more from its next renewal on:
///
/// ```json
/// {"originalTransactionIdentifier":"2000000000000001","productIdentifier":"pro.monthly",
///  "price":{"amount":"12.99","currency":"USD"},"formerPrice":{"amount":"9.99","currency":"USD"}}
/// ```
public struct PriceConsentQuestion: Hashable, Sendable, Codable {
    /// The subscription's first transaction, decimal digits.
    public var originalTransactionIdentifier: String
    /// The product of the next renewal.
    public var productIdentifier: String
    /// The next renewal's price, higher than `formerPrice`.
    public var price: Money
    /// The last price the subscriber has agreed to.
    public var formerPrice: Money
}

extension PriceConsentQuestion {
    /// Reads the question from a transaction.
    ///
    /// - Returns: Nil for a transaction without a price that waits for consent.
    public init?(_ transaction: PaymentTransaction) {
        guard let increase = transaction.priceIncrease, increase.status == .pending,
            let original = transaction.originalTransactionIdentifier ?? transaction.transactionIdentifier
        else { return nil }
        self.init(
            originalTransactionIdentifier: original, productIdentifier: transaction.payment.productIdentifier,
            price: increase.price, formerPrice: increase.formerPrice)
    }
}

/// The app's decision to show the question about a higher price, or to postpone it.
public struct ShowPriceConsentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The subscription's first transaction, decimal digits.
    public var originalTransactionIdentifier: String
    /// False postpones the question to the next launch.
    public var show: Bool
}
