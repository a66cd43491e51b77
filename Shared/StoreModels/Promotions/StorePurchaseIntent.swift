/// A purchase that began in the store and waits for the app:
///
/// ```json
/// {"intentIdentifier":"i_01m7ye06a9fztjwq7kqekddpc9","state":"pending",
///  "payment":{"requestIdentifier":"intent:i_01m7ye06a9fztjwq7kqekddpc9","productIdentifier":"com.example.pro.monthly",
///  "quantity":1,"simulatesAskToBuyInSandbox":false,"intentIdentifier":"i_01m7ye06a9fztjwq7kqekddpc9"},
///  "product":{"productIdentifier":"com.example.pro.monthly","type":"autoRenewable","localizedTitle":"Pro Subscription",
///  "localizedDescription":"Everything.","price":{"amount":"9.99","currency":"USD"},
///  "priceLocale":"en_US@currency=USD","subscriptionPeriod":{"numberOfUnits":1,"unit":"month"},
///  "subscriptionGroupIdentifier":"21378123","discounts":[],"isFamilyShareable":false,"isDownloadable":false,
///  "downloadContentLengths":[],"downloadContentVersion":"","introductoryOfferEligibility":"unknown"},
///  "source":"storePage","answerBy":"2026-11-21T10:00:10.000Z","expiresAt":"2026-11-22T10:00:00.000Z"}
/// ```
public struct StorePurchaseIntent: Hashable, Sendable, Codable {
    /// The state of an intent. Pending and deferred ones may change, the others are final.
    public enum State: String, CaseIterable, Sendable, Codable {
        case pending, deferred, continued, cancelled, expired

        /// Whether the intent stays in this state.
        public var isFinal: Bool {
            switch self {
            case .pending, .deferred: false
            case .continued, .cancelled, .expired: true
            }
        }
    }

    /// The place where it began.
    public enum Source: String, CaseIterable, Sendable, Codable { case storePage, search, featured, testURL }

    /// The cause of a deferral.
    public enum Deferral: String, CaseIterable, Sendable, Codable {
        /// The app, whose delegate said `false`.
        case answer
        /// A timeout: `answerBy` passed without a decision (M86).
        case timeout
    }

    /// Made by the service, beginning with `i_`. Used in `/v1/intents/{id}`.
    public var intentIdentifier: String
    /// `pending` waits for the app, `deferred` for its payment. The others are final.
    public var state: State
    /// The payment that continuing adds to the queue. It is kept through a deferral, so that it makes one payment only
    /// (I3).
    public var payment: Payment
    /// The product as it was when the purchase began (M76).
    public var product: Product
    /// A win-back offer of the product, by identifier. The payment gets it, also if the app does not name it.
    public var offer: String?
    /// Where the user tapped Buy, for the operator's lists.
    public var source: Source
    /// The time a pending intent becomes deferred, by the wall clock. Absent until a stream gets it.
    public var answerBy: Timestamp?
    /// The time it expires, by the business clock.
    public var expiresAt: Timestamp
    /// Set once the intent was deferred, and kept afterwards.
    public var deferredBy: Deferral?
    /// The app's message to the user on a cancellation, or the store's reason for one.
    public var feedback: String?
    /// The `id` of the transaction it has become.
    public var transactionId: String?
    /// The app, in the operator's lists only.
    public var bundleId: String?
    /// The account, in the operator's lists only.
    public var account: String?
    /// The device, in the operator's lists only.
    public var deviceId: String?
    /// A warning, in the operator's lists only (M81, M85).
    public var warning: String?
}
