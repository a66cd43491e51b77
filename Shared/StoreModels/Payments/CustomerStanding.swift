/// Asks for a customer's standing: `{"bundleId":"com.example.app","customerIdentifier":"…"}`
public struct CustomerStandingRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    public init(bundleId: String, customerIdentifier: String) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
    }
}

/// The customer's information for a page of the store. Its cost does not depend on the size of the history:
///
/// ```json
/// {"storefront":"FRA","ownedProductIdentifiers":["com.example.hiddenBeaches","com.example.pro.monthly"],
///  "businessNow":"2026-11-21T10:00:00.000Z"}
/// ```
public struct CustomerStanding: Hashable, Sendable, Codable {
    /// Alpha-3 country code.
    public var storefront: String
    /// Non-consumables, and subscriptions that give access by the app's clock. Products refunded, revoked or expired
    /// are not among them. Each once, in no order.
    public var ownedProductIdentifiers: [String]
    /// Whether the customer owns more than fits one message; absent means no. The ownership of a product that is not
    /// listed is unknown then.
    public var isTruncated: Bool?
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
    public init(
        storefront: String, ownedProductIdentifiers: [String], isTruncated: Bool? = nil, businessNow: Timestamp
    ) {
        self.storefront = storefront
        self.ownedProductIdentifiers = ownedProductIdentifiers
        self.isTruncated = isTruncated
        self.businessNow = businessNow
    }

    /// Whether the customer owns a product.
    ///
    /// - Returns: Nil when it is not known.
    public func owns(_ productIdentifier: String) -> Bool? {
        if ownedProductIdentifiers.containsExactly(productIdentifier) { return true }
        return isTruncated == true ? nil : false
    }
}
