import StoreHTTP
import StoreModels

extension ReceiptQuestion {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers ?? [], at: "$.productIdentifiers")
    }
}
