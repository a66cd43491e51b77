/// The error of a failed transaction, as StoreKit's observer receives it:
///
/// ```json
/// {"domain":"SKErrorDomain","code":2,"name":"paymentCancelled",
///  "localizedDescription":"The payment was cancelled."}
/// ```
public struct TransactionError: Hashable, Sendable, Codable {
    /// Always `SKErrorDomain`, as StoreKit's errors.
    public var domain: String
    /// The number of `name` in StoreKit, 0…20.
    public var code: Int
    /// The name of an `SKError`.
    public var name: String
    /// English, for people. Not a contract.
    public var localizedDescription: String
    /// Storebus's reason for a StoreKit code that leaves it open: `unfinishedTransactions` (too many of them, or 100
    /// purchases that wait for others), `invalidQuantity`, `interrupted`, `declinedByParent`, `subscriptionEnded`,
    /// `ownershipEnded`, `billingPlanUnavailable`, and `codeSpent`, `codeExpired`, `codeRedeemed`, `codeIneligible` of a
    /// code that was refused after a wait or an interruption.
    public var reason: String?
    /// The number of StoreKit's underlying error, if any: 3532, already subscribed.
    public var underlying: Int?
    /// The name of the tester's setting that caused it: `sheet`, `processor`, `simulatedErrors.purchase`.
    /// `unfinishedLimit` is the app's. Absent where a person or the store's own rules caused it.
    public var setting: String?

    /// Creates an error of StoreKit's domain, without a setting.
    public init(_ code: SKErrorCode, _ localizedDescription: String, reason: String? = nil, underlying: Int? = nil) {
        self.domain = "SKErrorDomain"
        self.code = code.rawValue
        self.name = code.name
        self.localizedDescription = localizedDescription
        self.reason = reason
        self.underlying = underlying
    }

    /// The ``reason`` of a purchase that the customer can continue.
    public static let interrupted = "interrupted"
    /// The ``reason`` of a payment under a billing plan by which the product is not sold in the storefront.
    public static let billingPlanUnavailable = "billingPlanUnavailable"
    /// The error of a purchase of a subscription that the customer has, StoreKit's 3532.
    public static let alreadySubscribed = TransactionError(
        .unknown, "You are already subscribed to this.", underlying: 3532)

    /// Whether it is ``alreadySubscribed``.
    public var isAlreadySubscribed: Bool { underlying == Self.alreadySubscribed.underlying }

    /// The same error, caused by a setting.
    public func dueTo(_ setting: String) -> TransactionError {
        var error = self
        error.setting = setting
        return error
    }
}
