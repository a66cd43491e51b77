/// Asks for a customer's standing: `{"bundleId":"com.example.app","customerIdentifier":"…"}`
public struct StorePageCustomerRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
}

/// The customer's information for a page of the store. Its cost does not depend on the size of the history:
///
/// ```json
/// {"storefront":"FRA","ownedProductIdentifiers":["com.example.hiddenBeaches","com.example.pro.monthly"],
///  "businessNow":"2026-11-21T10:00:00.000Z"}
/// ```
public struct StorePageCustomer: Hashable, Sendable, Codable {
    /// Alpha-3 country code.
    public var storefront: String
    /// Non-consumables, and subscriptions that give access by the app's clock. Products refunded, revoked or expired
    /// are not among them. Each once, in no order.
    public var ownedProductIdentifiers: [String]
    /// Whether the customer owns more than fits one message. The ownership of a product that is not listed is unknown
    /// then. Absent means no.
    public var isTruncated: Bool?
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
    /// Whether the customer owns a product.
    ///
    /// - Returns: Nil when it is not known.
    public func owns(_ productIdentifier: String) -> Bool? {
        if ownedProductIdentifiers.containsExactly(productIdentifier) { return true }
        return isTruncated == true ? nil : false
    }
}

/// Asks for the standing of several customers (``PaymentEndpoints/storePageCustomers``).
///
/// `{"customers":[{"bundleId":"com.example.app","customerIdentifier":"…"}]}`
public struct StorePageCustomersRequest: Hashable, Sendable, Codable {
    /// Customers in one request, at most.
    public static let customersMax = 32

    /// Of any apps, at most ``customersMax``.
    public var customers: [StorePageCustomerRequest]
    /// Checks the request's bound.
    ///
    /// - Throws: `requestInvalid` for more than fits.
    public func validate() throws(StoreError) {
        guard customers.count <= Self.customersMax else {
            throw StoreError(
                .requestInvalid,
                "customers: has \(customers.count) of them; \(Self.customersMax) are allowed")
        }
    }
}

/// The standings of a request's customers, read in one snapshot.
public struct StorePageCustomers: Hashable, Sendable, Codable {
    /// In the order of the request, null for an unknown customer. Only the first ones if more do not fit into one
    /// message of the bus.
    public var standings: [StorePageCustomer?]
}
