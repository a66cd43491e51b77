import StoreModels

/// The body of an image's review, which may say why, or of no body at all: `{"reason":"The text cannot be read."}`.
struct ReviewReason: Decodable {
    var reason: String?
    /// Characters; more is 400.
    static let lengthMax = 500

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let reason { try Identifier.check(reason, at: "$.reason", lengthMax: Self.lengthMax) }
    }
}
