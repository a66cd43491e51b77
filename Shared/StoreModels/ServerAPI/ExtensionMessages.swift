/// Asks PaymentQueue to extend a subscription's present period, for the app's server.
public struct ExtendSubscriptionRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The first transaction's identifier.
    public var originalTransactionIdentifier: String
    /// 1…90.
    public var days: Int
    /// The server's name of the request, 1…128 bytes. Repeated for a subscription it gets the first reply.
    public var requestIdentifier: String
}

/// The result of an extension.
public struct ExtendSubscriptionReply: Hashable, Sendable, Codable {
    /// Whether the period was extended.
    public enum Outcome: String, Sendable, Codable {
        case extended
        /// Only a paid, running period can be extended: no free trial, failed renewal or ended subscription.
        case ineligible
        /// The server has extended it twice within 365 days.
        case exhausted
        /// The customer has it by Family Sharing. Only the buyer's can be extended.
        case familyShared
    }

    public var outcome: Outcome
    /// The new end of the period, business time. Nil unless it was extended.
    public var effectiveDate: Timestamp?
    /// The line item of the extended period. Nil unless it was extended.
    public var webOrderLineItemIdentifier: String?
}

/// Asks PaymentQueue to extend the present periods of all subscriptions of a product.
public struct ExtendSubscriptionsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// Customers' storefronts, alpha-3. Nil for all.
    public var storefronts: [String]?
    /// 1…90.
    public var days: Int
    /// The server's name of the request, 1…128 bytes, one for each product.
    public var requestIdentifier: String
    /// The first transaction of the only subscription it is about. Only an operator's trigger sets it. Nil for all.
    public var only: String?
}

/// Asks PaymentQueue for the progress of an extension of a product's subscriptions.
public struct SubscriptionExtensionsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// As ``ExtendSubscriptionsRequest/requestIdentifier``.
    public var requestIdentifier: String
}

/// The progress of an extension of a product's subscriptions.
public struct SubscriptionExtensions: Hashable, Sendable, Codable {
    public var requestIdentifier: String
    public var productIdentifier: String
    /// Customers' storefronts, alpha-3. Nil for all.
    public var storefronts: [String]?
    /// Subscriptions that were extended.
    public var succeededCount: Int64
    /// Subscriptions that could not be extended.
    public var failedCount: Int64
    /// Business time. Nil until every subscription was decided about.
    public var completedAt: Timestamp?
}

/// Asks PaymentQueue to give a purchase and all renewals of it another `appAccountToken`.
public struct SetAppAccountTokenRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The first transaction's identifier.
    public var originalTransactionIdentifier: String
    /// A UUID in lower case.
    public var appAccountToken: String
}
