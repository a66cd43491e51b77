/// The transactions that `GET /v1/signed/transactions` lists.
public enum SignedView: String, CaseIterable, Hashable, Sendable, Codable {
    /// Every purchase, without consumables that the app has finished and the store has not taken back.
    case all
    /// What the customer has access to now.
    case entitlements
    /// Purchases that the app has not finished.
    case unfinished
    /// The newest transaction of each product.
    case latest
}

/// The status of a subscription: its state, the transaction of its present or last period, and its renewal.
public struct SignedSubscriptionStatus: Hashable, Sendable, Codable {
    /// StoreKit's number: 1 subscribed, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    public var state: Int
    /// A JWS of ``TransactionClaims``.
    public var signedTransaction: String
    /// A JWS of ``RenewalClaims``.
    public var signedRenewalInfo: String
}

/// Asks PaymentQueue for a page of a customer's purchases in a view, newest first.
public struct ViewedTransactionsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    public var view: SignedView = .all
    /// Only purchases of this product. Nil for all.
    public var productIdentifier: String?
    /// Whether ``SignedView/all`` has the consumables that the app has finished. Nil means no.
    public var hasFinishedConsumables: Bool?
    /// The ``ViewedTransactions/revision`` that the caller knows. If it is the present one, no purchase is read.
    public var revision: String?
    /// The ``ViewedTransactions/after`` of the page before, or nil for the first page.
    public var after: Int64?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of a customer's purchases.
public struct ViewedTransactions: Hashable, Sendable, Codable {
    /// The customer. It has no transaction.
    public var customer: TransactionLookupReply
    /// The customer's last change.
    public var seq: Int64
    /// Changes with every change that a view or a signed transaction shows.
    public var revision: String
    /// Whether ``revision`` is the request's.
    public var isUnchanged: Bool
    /// At most the request's `limit`, newest first.
    public var transactions: [ServerTransaction]
    /// Where the next page begins. Nil on the last page.
    public var after: Int64?
}

/// Asks PaymentQueue for the outcomes of payments.
public struct PaymentOutcomesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// Each transaction's `id`. 0…100.
    public var ids: [String]
}

/// The outcomes of payments.
public struct PaymentOutcomes: Hashable, Sendable, Codable {
    /// The customer. It has no transaction.
    public var customer: TransactionLookupReply
    /// Those of the payments that have bought something, or found it held.
    public var outcomes: [PaymentOutcome]
}

/// The transaction that a payment has bought, or that the customer holds already.
public struct PaymentOutcome: Hashable, Sendable, Codable {
    /// The `id` of the payment's own transaction.
    public var id: String
    public var transaction: ServerTransaction
    /// Whether the customer held it before, and the payment has bought nothing.
    public var isHeld: Bool
    /// Whether a parent has approved it.
    public var wasDeferred: Bool
}

/// Asks AppStoreServer to sign what has changed of a customer, for one device.
public struct SignChangesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device that the data is bound to.
    public var deviceVerificationId: String
    /// Transactions by their `id`. At most 100.
    public var ids: [String] = []
    /// Groups whose subscription is signed with its status.
    public var subscriptionGroups: [String] = []
}

/// What has changed of a customer, signed.
public struct SignedChanges: Hashable, Sendable, Codable {
    /// A payment's outcome, signed.
    public struct Outcome: Hashable, Sendable, Codable {
        /// As ``PaymentOutcome/id``.
        public var id: String
        public var isHeld: Bool
        public var wasDeferred: Bool
        /// Whether the store has renewed a subscription with it.
        public var isRenewal: Bool
        /// A JWS of ``TransactionClaims``.
        public var signedTransaction: String
    }

    /// The status of a group's subscription.
    public struct Status: Hashable, Sendable, Codable {
        public var groupID: String
        /// The `id` of the transaction of its present or last period.
        public var transactionId: String
        public var status: SignedSubscriptionStatus
    }

    public var outcomes: [Outcome]
    public var statuses: [Status]
}
