import StoreModels

/// Whose a row is: the pair every statement on customers' data carries, so that nobody reads another's (P11).
struct CustomerID: Hashable, Sendable {
    @ExactText var bundleId: String
    @ExactText var customerIdentifier: String
}

/// An account in one app.
struct Customer: Hashable, Sendable {
    var id: CustomerID
    var account: String
    /// Alpha-3 country code: from when the account was created, or what the operator has made of it since.
    var storefront: String
    /// The last journal row; 0 before the first.
    var headSeq: Int64
    /// The journal begins behind this row.
    var prunedSeq: Int64
}
