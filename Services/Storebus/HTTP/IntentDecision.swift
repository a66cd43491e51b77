import StoreModels

/// What `POST /v1/intents/{id}/decision` answers: `{"intent":{…},"transaction":{…}}`
struct IntentDecision: Hashable, Sendable, Codable {
    var intent: PurchaseIntent
    /// Of `continue`; absent while there is none yet.
    var transaction: PaymentTransaction?
}
