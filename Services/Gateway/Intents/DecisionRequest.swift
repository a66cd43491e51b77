import StoreModels

/// The body of `POST /v1/intents/{id}/decision`: `{"decision":"cancel","feedback":"You own it already."}`.
struct DecisionRequest: Decodable {
    var decision: DecideIntentRequest.Decision
    /// Only with `cancel`: the app's message to the user (M85).
    var feedback: String?
    /// Maximum length, as in PromotionController.
    static let feedbackLengthMax = 500

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard let feedback else { return }
        guard decision == .cancel else { throw .invalid("$.feedback", "goes with cancel only") }
        try Identifier.check(feedback, at: "$.feedback", lengthMax: Self.feedbackLengthMax)
    }
}

/// `{"intent":{…},"transaction":{…}}`; the transaction is present with `continue` only, once PaymentQueue has it.
struct DecisionAnswer: Encodable {
    var intent: PurchaseIntent
    var transaction: PaymentTransaction?
}
