import StoreModels

/// The body of an image's review, which may contain a reason or be empty: `{"reason":"The text cannot be read."}`.
struct ReviewReason: Decodable {
    var reason: String?
    /// Maximum length in characters; more is 400.
    static let lengthMax = 500

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let reason { try Identifier.check(reason, at: "$.reason", lengthMax: Self.lengthMax) }
    }
}
