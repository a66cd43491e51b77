/// Asks about several customers of one app in one storefront (``EligibilityEndpoints/checkMany``).
///
/// ```json
/// {"bundleId":"com.example.app","storefront":"USA",
///  "customers":[{"customerIdentifier":"c_1","productIdentifiers":["com.example.pro.monthly"]}]}
/// ```
public struct EligibilityBatch: Hashable, Sendable, Codable {
    /// A customer and the products to answer for.
    public struct Customer: Hashable, Sendable, Codable {
        /// As ``OpenAccountReply/customerIdentifier``.
        public var customerIdentifier: String
        /// The products to answer for.
        public var productIdentifiers: [String]
    }

    /// Customers in one batch, at most.
    public static let customersMax = 32
    /// Products of one customer, at most. All answers together then fit one message of the bus.
    public static let productsMax = 20

    public var bundleId: String
    /// Alpha-3 country code. All customers of the batch share one storefront.
    public var storefront: String
    /// At most ``customersMax``.
    public var customers: [Customer]
    /// Checks the batch's bounds.
    ///
    /// - Throws: `requestInvalid` for more than fits.
    public func validate() throws(StoreError) {
        guard customers.count <= Self.customersMax else {
            throw StoreError(
                .requestInvalid,
                "customers: has \(customers.count) of them; \(Self.customersMax) are allowed")
        }
        guard customers.allSatisfy({ $0.productIdentifiers.count <= Self.productsMax }) else {
            throw StoreError(
                .requestInvalid, "productIdentifiers: has more than \(Self.productsMax) of them for one customer")
        }
    }
}

/// One reply per customer, in their order, each as of ``EligibilityEndpoints/check``.
public struct EligibilityBatchReply: Hashable, Sendable, Codable {
    /// In the order of the request's customers.
    public var replies: [EligibilityReply]
}
