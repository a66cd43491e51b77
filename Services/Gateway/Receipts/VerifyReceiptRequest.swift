import StoreModels

/// The body of `POST /verifyReceipt`. Members nobody knows are passed over, as Apple passes over them.
///
/// ```json
/// {"receipt-data":"MIIT…","password":"7d1f…","exclude-old-transactions":true}
/// ```
struct VerifyReceiptRequest {
    let receiptData: String
    let password: String?
    /// Of each subscription only the latest transaction.
    let excludesOldTransactions: Bool

    /// - Throws: `malformed` for what has no `receipt-data`.
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
