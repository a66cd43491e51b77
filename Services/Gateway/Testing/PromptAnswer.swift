import StoreModels

/// The body of `POST /admin/v1/prompts/{id}`: `{"answer":"decline","error":"paymentInvalid"}`.
///
/// `error` is allowed with `decline` only and is the name or the number of an `SKError`; without it the payment fails
/// with `unknown`.
struct PromptAnswer: Decodable {
    var answer: Prompt.Answer
    var error: NamedError?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard error == nil || answer == .decline else { throw .invalid("$.error", "goes with decline only") }
    }
}
