import StoreModels

/// A purchase about to be written for the first time.
struct NewPurchase: Sendable {
    /// Of the transaction.
    var id: String
    var payment: Payment
    var deviceId: String
    var quote: Quote
    /// What comes with the payment about an offer.
    var request: OfferRequest?
    /// Of the request whose idempotency key it answers; nil for one without a key.
    var fingerprint: String?
    /// The interrupted transaction whose place it takes.
    var supersedes: String?

    /// At its first revision.
    /// - Parameter terms: Nil before anything is agreed.
    func machine(_ terms: PurchaseTerms?) -> TransactionStateMachine {
        .purchasing(
            id: id, payment: payment, deviceId: deviceId, supersedes: supersedes, price: terms?.amount,
            offer: terms?.offer)
    }
}
