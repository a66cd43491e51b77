import StoreModels

/// The body of `POST /v1/eligibility`:
///
/// ```json
/// {"receiptData":"MII…","productIdentifiers":["com.example.pro.monthly"]}
/// ```
struct ReceiptQuestion: Decodable {
    /// Base64, as `GET /v1/receipt` gives it.
    var receiptData: String
    /// Limits the reply to these; without it every subscription of the app.
    var productIdentifiers: [String]?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers ?? [], at: "$.productIdentifiers")
    }
}
