import StoreModels

/// The body of `POST /admin/v1/prompts/{id}`: `{"answer":"decline","error":"paymentInvalid"}`.
///
/// `error` goes with `decline` only and is the name or the number of an `SKError`; without it the payment fails with
/// `unknown`.
struct PromptAnswer: Decodable {
    var answer: Prompt.Answer
    var error: NamedError?

    static let members = MemberNames(["answer", "error"])

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard error == nil || answer == .decline else { throw .invalid("$.error", "goes with decline only") }
    }

    /// An `SKError` by name or number, `"paymentInvalid"` or `3`.
    struct NamedError: Decodable {
        let code: SKErrorCode

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let found =
                if let number = try? container.decode(Int.self) {
                    SKErrorCode(rawValue: number)
                } else {
                    SKErrorCode(name: try container.decode(String.self))
                }
            guard let found else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "must be the name or the number of an SKError, such as paymentInvalid")
            }
            code = found
        }
    }
}
