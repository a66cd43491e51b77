/// Catalog's information on a product that a user wants to buy in the store.
public struct PromotedProductFacts: Hashable, Sendable, Codable {
    /// The product in the customer's storefront. It is present even if it cannot be bought yet, for test URLs (M109).
    public var product: Product
    /// Whether it is on the operator's list, with an approved image and for sale. The device decides whether it is
    /// visible.
    public var isPromoted: Bool
    /// Whether a customer of the storefront can buy it now.
    public var isAvailable: Bool
    /// The price of the app itself, or nil for a free app.
    public var appPrice: Money?
    /// The app's version on sale, which a free download installs.
    public var currentVersion: String
    /// The first version that handles promoted purchases. Nil if every version does.
    public var promotionsSupportedSince: String?
    /// Whether the operator hides it unless a device shows it. Nil means no.
    public var isHidden: Bool?
}

/// Starts a purchase after a tap on Buy in the store, or a test URL. `facts` are Catalog's, requested by the gateway.
public struct StartPurchaseRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device on which the user taps Buy. The intent belongs to it.
    public var deviceId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The shopper's name, for the operator's lists and prompts.
    public var account: String
    /// `testURL` also starts products that are not available or promoted.
    public var source: StorePurchaseIntent.Source
    /// Read in the customer's storefront, in the same request.
    public var facts: PromotedProductFacts
    /// A win-back offer of the product that the user has chosen, by identifier.
    public var offer: String?
    /// The client's `Idempotency-Key`, or one that the gateway makes for the request. A repeated start, even a late
    /// one, returns the same intent in any state.
    public var requestIdentifier: String
}

/// The outcome of a purchase that begins in the store (M72, M74, M75):
/// `{"outcome":"openApp","intentIdentifier":"i_01j…"}`. The intent is kept for every outcome.
public struct StartPurchaseReply: Hashable, Sendable, Codable {
    /// The store's next step.
    public enum Outcome: String, CaseIterable, Sendable, Codable {
        /// The app is opened and its stream gets the intent.
        case openApp
        /// A free app is on its way to the device.
        case downloading
        /// The app is not free, so a prompt asks the user.
        case promptBuyApp
        /// The installed version does not handle promoted purchases.
        case promptUpgrade
    }

    /// Decided from the app's installation on the device.
    public var outcome: Outcome
    /// The new intent, or a pending one of the same purchase.
    public var intentIdentifier: String?
}

/// Asks for the pending intents, for a stream that handles promoted purchases. `answerBy` runs from then on.
public struct DeliverIntentsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device whose stream asks.
    public var deviceId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
}

/// All pending intents of the installation and customer, oldest first. There are at most 50.
public struct DeliverIntentsReply: Hashable, Sendable, Codable {
    /// Each with `answerBy` set, also those that a former stream has sent.
    public var intents: [StorePurchaseIntent]
    /// Counts the purchases that began on the installation. It is the value ``PromotionEndpoints/intentHeads`` returns,
    /// or less when there are more to request.
    public var seq: Int64
}

/// Asks for the `seq` of at most 500 installations.
public struct IntentHeadsRequest: Hashable, Sendable, Codable {
    /// The most installations of one request.
    public static let installationsMax = 500
    /// Of any apps and devices, at most ``installationsMax``.
    public var installations: [InstallationReference]
}

/// The `seq` of each installation, in the request's order. 0 without intents.
public struct IntentHeadsReply: Hashable, Sendable, Codable {
    /// In the order of the request's installations.
    public var heads: [Int64]
}

/// The event that an installation's intents have changed. `seq` is the new count.
public struct IntentsChanged: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device whose intents have changed.
    public var deviceId: String
    /// As ``DeliverIntentsReply/seq``.
    public var seq: Int64
}

/// Asks for one device's intents, oldest first.
public struct IntentsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device of the client's session.
    public var deviceId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The states to list. Empty lists all states.
    public var states: [StorePurchaseIntent.State] = []
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// Asks for intents across devices, for the operator.
public struct IntentListRequest: Hashable, Sendable, Codable {
    /// The app to list. Nil lists the installation's apps, without isolated stores.
    public var bundleId: String?
    /// The account to list. Nil lists all accounts.
    public var account: String?
    /// The device to list. Nil lists all devices.
    public var deviceId: String?
    /// The state to list. Nil lists all states.
    public var state: StorePurchaseIntent.State?
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of intents, oldest first.
public struct IntentsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var intents: [StorePurchaseIntent]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Names an intent. Another device's or customer's is `notFound`.
public struct IntentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device of the client's session.
    public var deviceId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// As ``StorePurchaseIntent/intentIdentifier``.
    public var intentIdentifier: String
}

/// The app's decision on an intent.
public struct DecideIntentRequest: Hashable, Sendable, Codable {
    /// The app's answer to a promoted purchase. `defer` keeps the intent open.
    public enum Decision: String, CaseIterable, Sendable, Codable {
        /// The delegate's `true`: StoreKit adds the payment.
        case `continue`
        /// The delegate's `false`: the app keeps the payment.
        case `defer`
        case cancel
    }

    public var bundleId: String
    /// The device of the client's session.
    public var deviceId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// As ``StorePurchaseIntent/intentIdentifier``.
    public var intentIdentifier: String
    /// The first decision is final. Repeating it has no effect.
    public var decision: Decision
    /// The message the user was shown, with `cancel` (M85). At most 500 characters.
    public var feedback: String?
}

/// Adds an intent's saved payment for the app (M80–M82). Its `requestIdentifier` is the app's own key.
public struct AddIntentPaymentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device of the client's session.
    public var deviceId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// Must equal the intent's own payment except for its key.
    public var payment: Payment
    /// As ``AddPaymentRequest/discountCheck``.
    public var discountCheck: DiscountCheck?
    /// The win-back offer that the app names. Nil leaves it to the intent.
    public var offer: String?
}

/// The intent as it is now, and the queue's answer to a continued one. Without that answer the decision is kept, and
/// the transaction comes on the stream.
public struct DecideIntentReply: Hashable, Sendable, Codable {
    /// In the state after the decision, or after the first one.
    public var intent: StorePurchaseIntent
    /// Nil unless the intent continues and PaymentQueue has answered.
    public var added: AddPaymentReply?
    /// Whether the decision was made before.
    public var isRepeated: Bool = false
}

/// Cancels the open intents of an app, of one account or of all.
public struct ClearIntentsRequest: Hashable, Sendable, Codable {
    /// The app whose open intents are cancelled.
    public var bundleId: String
    /// Nil: all accounts of the app.
    public var account: String?
}

/// The intents affected by clearing.
public struct ClearIntentsReply: Hashable, Sendable, Codable {
    /// The most identifiers in `continued`. With more under way the request is refused.
    public static let continuedMax = 500
    /// Intents that were open and are cancelled.
    public var cancelled: Int
    /// Intents continued before, whose payments PaymentQueue has not confirmed. The payments may be on their way to it.
    /// If the caller names them to PaymentQueue with the clearing, they buy nothing afterwards.
    public var continued: [String] = []
}

/// An event of an intent, for tests that wait for it (`GET /admin/v1/events/wait?type=`).
public struct IntentEvent: Hashable, Sendable, Codable {
    /// The kind of event.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// The store opens the app: a tap or a link was answered with ``StartPurchaseReply/Outcome/openApp``.
        case intentOpenApp
        case intentStarted, intentDelivered, intentDeferred, intentContinued, intentCancelled, intentExpired
    }

    /// Opaque and increasing.
    public var id: String
    /// The kind of event.
    public var type: Kind
    /// When it happened, by the app's clock.
    public var at: Timestamp
    @ShownApp public var bundleId: String
    /// The shopper's name.
    public var account: String
    /// The intent after the event.
    public var intent: StorePurchaseIntent
}

/// Asks for PromotionController's events, as ``EventsRequest`` for PaymentQueue's.
public struct IntentEventsRequest: Hashable, Sendable, Codable {
    /// The `id` or `after` to continue behind. Nil asks for the present position.
    public var after: String?
    /// The type of events to return. Nil for all types.
    public var type: IntentEvent.Kind?
    /// The account whose events to return. Nil for all accounts.
    public var account: String?
    /// The app whose events to return. Nil for all apps.
    public var bundleId: String?
    /// 1…100.
    public var limit: Int = 1
}

/// Events, oldest first, and the position to ask from next.
public struct IntentEventsReply: Hashable, Sendable, Codable {
    /// At most the request's `limit`. Empty without an event since.
    public var events: [IntentEvent]
    /// The position to continue at, as of the events of transactions.
    public var after: String
}
