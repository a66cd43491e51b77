import StoreHTTP
import StoreModels

extension NewRestore {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
    }
}
