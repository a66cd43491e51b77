/// Eligibility's request subjects, `sb.eligibility.v1.…`.
public enum EligibilityEndpoints {
    /// Answers for all requested subscriptions of one customer (M123).
    public static let check = Endpoint<EligibilityRequest, EligibilityReply>(
        .eligibility, "offers.check", isIdempotent: true, errors: [.notFound])
    /// Answers for several customers.
    /// - Throws: `requestInvalid` beyond ``EligibilityBatch``'s bounds.
    public static let checkMany = Endpoint<EligibilityBatch, EligibilityBatchReply>(
        .eligibility, "offers.checkMany", isIdempotent: true, errors: [.notFound])
}

/// Asks whether a customer may have introductory offers.
public struct EligibilityRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// Alpha-3 country code. It selects the subscriptions if `productIdentifiers` is nil.
    public var storefront: String
    /// The products to decide for. Nil for every subscription of the app.
    public var productIdentifiers: [String]?
    /// The history of a receipt that the gateway has verified. PaymentQueue is not asked about the customer then.
    public var receipt: ReceiptHistory?
}

/// One product's answer:
/// `{"productIdentifier":"…","subscriptionGroupIdentifier":"…","eligibility":"eligible","rule":"newSubscriber"}`
public struct ProductEligibility: Hashable, Sendable, Codable {
    /// A subscription of the app's catalogue.
    public var productIdentifier: String
    /// The product's group in the catalogue in force.
    public var subscriptionGroupIdentifier: String
    /// `unknown` if the history is missing or a receipt decides nothing.
    public var eligibility: OfferEligibility
    /// The rule that decided, as the reason to show an operator.
    public var rule: IntroductoryOfferPolicy.Rule
    /// The transaction that decided. Absent if no transaction did.
    public var transactionIdentifier: String?
    /// The product whose offer was used or is held, where it is another one.
    public var usedProductIdentifier: String?
}

/// The answers, and in `degraded` the services that did not reply.
public struct EligibilityReply: Hashable, Sendable, Codable {
    /// In the requested order, else the catalogue's. Unknown products have no entry.
    public var eligibility: [ProductEligibility]
    /// Services the response had to do without.
    public var degraded: [String]
}
