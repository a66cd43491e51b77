import StoreHTTP
import StoreModels

extension ReviewReason {
    /// Maximum length in characters; more is 400.
    static let lengthMax = 500

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let reason { try Identifier.check(reason, at: "$.reason", lengthMax: Self.lengthMax) }
    }
}
