/// Opens an account: `{"bundleId":"…","account":"alice","deviceId":"alice-1","storefront":"FRA"}`
public struct OpenAccountRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The shopper's name, 1…128 characters.
    public var account: String
    /// The client's name for its device, 1…255 characters.
    public var deviceId: String
    /// The storefront of a new account. For an existing one it must be the account's own, else `storefrontMismatch`.
    public var storefront: String?
    /// The app's defaults for an account without settings.
    public var defaults: TesterSettings?
    /// Whether the app is launched, which gives the launch a number. Nil means no.
    public var launches: Bool?
}

/// The customer of an account in an app.
public struct OpenAccountReply: Hashable, Sendable, Codable {
    /// Made by the service, one per app and account.
    public var customerIdentifier: String
    /// Alpha-3 country code.
    public var storefront: String
    /// False when the tester's settings forbid payments.
    public var canMakePayments: Bool
    /// The launch's number, larger than those of all launches before it. Nil without a launch.
    public var launch: Int64?
}

/// Adds a payment to the queue.
public struct AddPaymentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device that adds the payment, as ``PaymentTransaction/originDeviceId``.
    public var deviceId: String
    /// `payment.requestIdentifier` is the idempotency key.
    public var payment: Payment
    /// The gateway's verdict on the signature of `payment.paymentDiscount`, because the gateway has the keys. Nil
    /// without a discount.
    public var discountCheck: DiscountCheck?
    /// An offer that is redeemed without a signature: a win-back offer, a code's, or one of the operator's purchases.
    public var redeemedOffer: RedeemedOffer?
    /// The code that is redeemed with `redeemedOffer`. Nil for a payment without a code.
    public var redeemedCode: RedeemedCode?
    /// The app's decision about the introductory offer. Nil for the store's own rule.
    public var introductoryDecision: IntroductoryDecision?
    /// Whether a test URL has begun it. The product then need not be available (M109). Only PromotionController sets
    /// it. Nil means no.
    public var isTest: Bool?
    /// Whether the payment was added before, so that it is answered again. If it is gone, PaymentQueue buys nothing and
    /// answers `intentDecided`. Only PromotionController sets it. Nil means no.
    public var isRepeat: Bool?
    /// Dates the purchase back. Only an operator's trigger sets it. Nil means now.
    public var past: PastPurchase?
}

/// The decision of an app's server about an introductory offer, whose signature the gateway has checked.
public struct IntroductoryDecision: Hashable, Sendable, Codable {
    /// Whether the customer gets the offer.
    public var isAllowed: Bool
    /// The nonce of the decision, which counts once in an app. Nil for one that is not valid.
    public var nonce: String?
    /// SHA-256 of the decision's text, 64 hexadecimal digits. It tells a repeated payment from another one, because
    /// the members above change when the text becomes too old.
    public var digest: String
}

/// The first purchase of a subscription, dated back so that an event falls at an instant.
///
/// It was paid at that time, at the regular price and without a question. The tester's settings apply to everything
/// that has happened since. The reply comes when all that fell due since has happened.
public struct PastPurchase: Hashable, Sendable, Codable {
    /// The event of a subscription that falls due.
    public enum Due: String, CaseIterable, Sendable, Codable {
        /// The purchase itself.
        case purchase
        /// The end of the first period.
        case periodEnd
        /// The end of the grace period, when the first renewal was declined.
        case gracePeriodEnd
        /// The last retry, when the first renewal was declined.
        case billingRetryEnd
    }

    public var due: Due
    /// When that event is due, by the app's clock. No purchase is dated ahead, so it may be later.
    public var at: Timestamp
    /// The regular price at that time, or nil for today's.
    public var price: Money?
    /// False if the customer turned renewal off at once.
    public var willAutoRenew: Bool?
}

/// The transaction of a payment. `Item` is the part of it that the caller decodes. The wire carries the whole
/// ``PaymentTransaction``.
public struct AddPaymentReplyOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// 201 once terminal, 202 while purchasing or deferred. Stored with the terminal commit and replayed with it.
    public var status: Int
    /// The transaction at the moment of the reply. Later events change it.
    public var transaction: Item
    /// Whether an earlier request with this key had its final answer.
    public var isReplayed: Bool
}

public typealias AddPaymentReply = AddPaymentReplyOf<PaymentTransaction>

/// Asks for a page of the device's unfinished transactions.
public struct SnapshotRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device the list is for. Other devices' failed and restored transactions are left out.
    public var deviceId: String
    /// Whether it is a launch or resume. `deliveries` of the snapshot's transactions then grow by one (M51).
    public var countsDelivery: Bool
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
    /// Present for a stream that opens, or nil for a list.
    public var opening: StreamOpening?
}

/// Asks for the pages in the order of a stream that opens.
///
/// The device's own purchases under way come first, so that their outcome never reaches the stream before them.
/// Purchases that begin after the first page was read arrive as changes behind its `seq`.
public struct StreamOpening: Hashable, Sendable, Codable {
    /// The first page's `seq`, or nil for the first page itself.
    public var through: Int64?
}

/// The device's unfinished transactions, oldest first, and the journal position they were read at. Pages after the
/// first may be newer than the first page's `seq`. The changes behind that `seq` make up for it.
///
/// `Item` is as in ``AddPaymentReplyOf``.
public struct SnapshotOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// Oldest first, at most the request's `limit`.
    public var transactions: [Item]
    /// The customer's last `seq` when the page was read. 0 without changes.
    public var seq: Int64
    /// The next page's `after`, or nil on the last page. For a list it is the last transaction's `id`.
    public var after: String?
    /// Ended restores of this device whose end no stream has sent yet. They are on a list's last page and a stream's
    /// first.
    public var restores: [Restore] = []
    /// Revocations that no stream of this device has sent yet, on the same page.
    public var revocations: [Revocation] = []
    /// Higher prices that wait for the customer's consent, on a launch's first page only.
    public var priceConsents: [PriceConsentQuestion]?
}

public typealias Snapshot = SnapshotOf<PaymentTransaction>

/// Asks for a customer's changes after a position.
public struct ChangesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The position after which changes are returned: those with a larger `seq`.
    public var after: Int64
    /// 1…100.
    public var limit: Int = 100
}

/// A customer's changes, in the order of `seq`.
public struct ChangesReply: Hashable, Sendable, Codable {
    /// In the order of `seq`, at most the request's `limit`.
    public var changes: [CustomerChange]
    /// The customer's last `seq`. More changes follow while it is larger than the last one here.
    public var head: Int64
    /// Whether the journal no longer reaches back to `after`. The caller then takes a snapshot.
    public var snapshotRequired: Bool
}

/// A customer of an app.
public struct CustomerReference: Hashable, Sendable, Codable {
    @ExactText public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    @ExactText public var customerIdentifier: String
}

/// Asks for the last `seq` of at most 500 customers.
public struct HeadsRequest: Hashable, Sendable, Codable {
    /// The most customers of one request.
    public static let customersMax = 500
    /// Of any apps, at most ``customersMax``.
    public var customers: [CustomerReference]
}

/// The last `seq` of each customer, in the request's order. 0 without changes.
public struct HeadsReply: Hashable, Sendable, Codable {
    /// In the order of the request's customers.
    public var heads: [Int64]
    /// Each customer's present storefront, in the same order. Empty for an unknown customer. A stream reports a change
    /// of it within a second.
    public var storefronts: [String] = []
}

/// Names a transaction of one customer, by `id`. Another customer's is `notFound`.
public struct TransactionRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device whose downloads the transaction shows.
    public var deviceId: String
    /// As ``PaymentTransaction/id``.
    public var id: String
}

/// Asks for a customer's purchased and restored transactions, finished or not, oldest first (M23).
public struct HistoryRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// Asks for transactions across customers, for the operator.
public struct TransactionListRequest: Hashable, Sendable, Codable {
    /// The app to list. Nil lists transactions of all apps.
    public var bundleId: String?
    /// The account to list. Nil lists all accounts.
    public var account: String?
    /// The state to list. Nil lists all states.
    public var state: TransactionState?
    /// False lists transactions in the queue, true those out of it. Nil lists both.
    public var isFinished: Bool?
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of transactions. In the operator's list `records` names their customers.
public struct TransactionsPage: Hashable, Sendable, Codable {
    /// The customer of a transaction.
    public struct Record: Hashable, Sendable, Codable {
        @ShownApp public var bundleId: String
        /// The shopper's name, which may have accounts in other apps, too.
        public var account: String
        public var customerIdentifier: String
        /// Whether it has left the queue.
        public var isFinished: Bool
        /// The order on the customer's invoice, absent for a transaction that is not purchased.
        public var orderId: String?
    }

    /// Oldest first, at most the request's `limit`.
    public var transactions: [PaymentTransaction]
    /// The transactions' customers, as many as `transactions` and in their order. In the operator's list only.
    public var records: [Record]?
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// A customer's subscriptions and offers, read in one snapshot.
public struct OfferSummary: Hashable, Sendable, Codable {
    /// The data for ``IntroductoryOfferPolicy``.
    public var history: SubscriptionHistory
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
}
