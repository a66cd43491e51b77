/// Asks an app for consent when a subscription costs more from its next renewal on:
///
/// ```json
/// {"originalTransactionIdentifier":"2000000000000001","productIdentifier":"pro.monthly",
///  "price":{"amount":"12.99","currency":"USD"},"formerPrice":{"amount":"9.99","currency":"USD"}}
/// ```
public struct PriceConsentQuestion: Hashable, Sendable, Codable {
    public var originalTransactionIdentifier: String
    public var productIdentifier: String
    public var price: Money
    public var formerPrice: Money

    public init(originalTransactionIdentifier: String, productIdentifier: String, price: Money, formerPrice: Money) {
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.productIdentifier = productIdentifier
        self.price = price
        self.formerPrice = formerPrice
    }

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
    public var customerIdentifier: String
    public var originalTransactionIdentifier: String
    public var show: Bool
    public init(bundleId: String, customerIdentifier: String, originalTransactionIdentifier: String, show: Bool) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.show = show
    }
}
