internal import StoreModels

/// A transaction of a ``SKTestSession``, as it was when the session listed it.
open class SKTestTransaction: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: every property is fixed.

    /// The transaction's number. One that the store has not numbered, such as one that waits for a parent, has a number
    /// of this process.
    public let identifier: UInt
    /// The number of the first purchase.
    public let originalTransactionIdentifier: UInt
    /// The product.
    public let productIdentifier: String
    /// The state.
    public let state: SKPaymentTransactionState
    /// The time of the purchase, by the store's clock. Now for one that is not paid.
    public let purchaseDate: Date
    /// The time of its refund.
    public let cancelDate: Date?
    /// The end of the paid period.
    public let expirationDate: Date?
    /// Whether its subscription renews.
    public let autoRenewingEnabled: Bool
    /// Whether the purchase is interrupted.
    public let hasPurchaseIssue: Bool
    /// Whether its subscription waits for the consent to a higher price.
    public let isPendingPriceIncreaseConsent: Bool
    /// Whether a parent has to approve it.
    public let pendingAskToBuyConfirmation: Bool

    init(_ value: PaymentTransaction, _ subscription: Subscription?, isResolved: Bool, in store: SessionStore) {
        identifier = store.number(of: value.transactionIdentifier, id: value.id)
        originalTransactionIdentifier =
            value.originalTransactionIdentifier.flatMap { UInt($0) } ?? identifier
        productIdentifier = value.payment.productIdentifier
        state =
            switch value.transactionState {
            case .purchasing: .purchasing
            case .purchased: .purchased
            case .failed: .failed
            case .restored: .restored
            case .deferred: .deferred
            }
        purchaseDate = value.transactionDate.map(\.date) ?? Date()
        cancelDate = value.revocationDate.map(\.date)
        expirationDate = value.expiresDate.map(\.date)
        autoRenewingEnabled = subscription?.willAutoRenew ?? false
        hasPurchaseIssue =
            value.transactionState == .failed && value.error?.reason == Self.interrupted && !isResolved
        isPendingPriceIncreaseConsent = subscription?.priceIncrease?.status == .pending
        pendingAskToBuyConfirmation = value.transactionState == .deferred
    }

    /// The reason of an interrupted purchase's error.
    private static let interrupted = "interrupted"
}
