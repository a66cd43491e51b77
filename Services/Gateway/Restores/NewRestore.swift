import StoreModels

/// The optional body of `POST /v1/restore`: `{"applicationUsername":"u-17"}`.
struct NewRestore: Decodable {
    /// Recorded and returned; it does not filter.
    var applicationUsername: String?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
    }
}
