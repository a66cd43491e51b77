internal import StoreModels

/// What an app says of a purchase that began in the store.
struct IntentDecision: Sendable {
    let intentIdentifier: String
    let decision: DecideIntentRequest.Decision
    /// The message the user was shown, with `cancel`.
    var feedback: String?
    /// What continuing adds to the queue, with `continue`.
    var payment: Payment?
    /// Whether this one has put the payment into the table; the same again has not.
    var hasAddedPayment = false
    /// Called once, with the reason for a refusal, or with nil.
    var completion: (@Sendable ((any Error)?) -> Void)?
}

extension IntentDecision {
    /// The payment that a purchase adds to the queue. It identifies the purchase it continues.
    static func payment(of intent: StoreModels.PurchaseIntent) -> Payment {
        var payment = intent.payment
        payment.intentIdentifier = intent.intentIdentifier
        return payment
    }
}
