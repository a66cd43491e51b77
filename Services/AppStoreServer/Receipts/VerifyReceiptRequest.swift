import StoreModels

/// The body of `POST /verifyReceipt`. Unknown members are ignored, as Apple does.
///
/// ```json
/// {"receipt-data":"MIIT…","password":"7d1f…","exclude-old-transactions":true}
/// ```
struct VerifyReceiptRequest {
    let receiptData: String
    let password: String?
    /// Limits the response to the latest transaction of each subscription.
    let excludesOldTransactions: Bool

    /// - Throws: `malformed` for a body without `receipt-data`.
    init(_ bytes: [UInt8]) throws(VerifyReceiptStatus) {
        guard let document = try? StrictJSON.parse(bytes), let receiptData = document["receipt-data"]?.stringValue
        else {
            throw .malformed
        }
        self.receiptData = receiptData
        password = document["password"]?.stringValue
        excludesOldTransactions =
            document["exclude-old-transactions"]?.boolValue
            ?? (document["exclude-old-transactions"]?.stringValue?.lowercased() == "true")
    }
}
