/// Eligibility's request subjects, `sb.eligibility.v1.…`.
public enum EligibilityEndpoints {
    /// Answers for all requested subscriptions of one customer (M123).
    public static let check = Endpoint<EligibilityRequest, EligibilityReply>(
        .eligibility, "offers.check", isIdempotent: true)
    /// Answers for several customers.
    /// - Throws: `requestInvalid` beyond ``EligibilityBatch``'s bounds.
    public static let checkMany = Endpoint<EligibilityBatch, EligibilityBatchReply>(
        .eligibility, "offers.checkMany", isIdempotent: true)
}

/// Asks whether a customer may have introductory offers.
public struct EligibilityRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var customerIdentifier: String
    public var storefront: String
    /// Only these; nil: every subscription of the app.
    public var productIdentifiers: [String]?
    /// The history of a receipt that the gateway has verified. PaymentQueue is not asked about the customer then.
    public var receipt: ReceiptHistory?
    public init(
        bundleId: String, customerIdentifier: String, storefront: String, productIdentifiers: [String]? = nil,
        receipt: ReceiptHistory? = nil
    ) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.storefront = storefront
        self.productIdentifiers = productIdentifiers
        self.receipt = receipt
    }
}

/// One product's answer:
/// `{"productIdentifier":"…","subscriptionGroupIdentifier":"…","eligibility":"eligible","rule":"newSubscriber"}`
public struct ProductEligibility: Hashable, Sendable, Codable {
    public var productIdentifier: String
    public var subscriptionGroupIdentifier: String
    public var eligibility: OfferEligibility
    public var rule: IntroductoryOfferPolicy.Rule
    public var transactionIdentifier: String?
    /// The product whose offer was used or is held, where it is another one.
    public var usedProductIdentifier: String?
    public init(
        productIdentifier: String, subscriptionGroupIdentifier: String, eligibility: OfferEligibility,
        rule: IntroductoryOfferPolicy.Rule, transactionIdentifier: String? = nil, usedProductIdentifier: String? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.eligibility = eligibility
        self.rule = rule
        self.transactionIdentifier = transactionIdentifier
        self.usedProductIdentifier = usedProductIdentifier
    }
}

/// The answers, and in `degraded` the services that did not reply. `architecture.md`'s table spells their names.
public struct EligibilityReply: Hashable, Sendable, Codable {
    public var eligibility: [ProductEligibility]
    public var degraded: [String]
    public init(eligibility: [ProductEligibility], degraded: [String]) {
        self.eligibility = eligibility
        self.degraded = degraded
    }
}
