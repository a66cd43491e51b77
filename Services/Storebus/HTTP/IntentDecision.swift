import StoreModels

/// What `POST /v1/intents/{id}/decision` answers: `{"intent":{…},"transaction":{…}}`
package struct IntentDecision: Hashable, Sendable, Codable {
    package var intent: PurchaseIntent
    /// Of `continue`; absent while there is none yet.
    package var transaction: PaymentTransaction?

    package init(intent: PurchaseIntent, transaction: PaymentTransaction? = nil) {
        self.intent = intent
        self.transaction = transaction
    }
}
