import StoreModels

/// The body of `POST /v1/restore`, which may be left out: `{"applicationUsername":"u-17"}`.
struct NewRestore: Decodable {
    /// Recorded and echoed; it filters nothing.
    var applicationUsername: String?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
    }
}
