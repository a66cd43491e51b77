import StoreModels

/// Whose a row is: the pair every statement on customers' data carries, so that nobody reads another's (P11).
package struct CustomerID: Hashable, Sendable {
    @ExactText package var bundleId: String
    @ExactText package var customerIdentifier: String

    package init(bundleId: String, customerIdentifier: String) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
    }
}

/// An account in one app.
package struct Customer: Hashable, Sendable {
    package var id: CustomerID
    package var account: String
    /// Alpha-3 country code: from when the account was created, or what the operator has made of it since.
    package var storefront: String
    /// The last journal row; 0 before the first.
    package var headSeq: Int64
    /// The journal begins behind this row.
    package var prunedSeq: Int64
}
