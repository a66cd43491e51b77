import StoreHTTP
import StoreModels

extension DecisionRequest {
    /// Maximum length, as in PromotionController.
    static let feedbackLengthMax = 500

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard let feedback else { return }
        guard decision == .cancel else { throw .invalid("$.feedback", "goes with cancel only") }
        try Identifier.check(feedback, at: "$.feedback", lengthMax: Self.feedbackLengthMax)
    }
}
