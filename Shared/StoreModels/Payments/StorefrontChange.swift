/// Asks the app whether a purchase continues in another storefront than it began in.
///
/// ```json
/// {"storefront":{"countryCode":"FRA","identifier":"143442"},"answerBy":"2026-11-22T10:00:10.000Z"}
/// ```
public struct StorefrontChange: Hashable, Sendable, Codable {
    /// The shopper's present storefront.
    public var storefront: Storefront
    /// The wall time at which it continues without an answer.
    public var answerBy: Timestamp
}

/// The app's answer to a ``StorefrontChange``, for a purchase of its device.
public struct ContinueTransactionRequest: Hashable, Sendable, Codable {
    /// The transaction, and the device that added its payment.
    public var transaction: TransactionRequest
    /// False fails the purchase without a charge.
    public var shouldContinue: Bool
}
