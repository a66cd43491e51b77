/// Catalog's information on a product that a user wants to buy in the store.
public struct PromotedProductFacts: Hashable, Sendable, Codable {
    /// Whole, in the customer's storefront; also when it cannot be bought yet, for test URLs (M109).
    public var product: Product
    /// On the operator's list, with an approved image and for sale. Whether it is visible is the device's to say.
    public var isPromoted: Bool
    public var isAvailable: Bool
    /// What the app itself costs; nil when it is free.
    public var appPrice: Money?
    public var currentVersion: String
    public var promotionsSupportedSince: String?
    /// The operator hides it where no device shows it; nil means no.
    public var isHidden: Bool?
    public init(
        product: Product, isPromoted: Bool, isAvailable: Bool, appPrice: Money?, currentVersion: String,
        promotionsSupportedSince: String?, isHidden: Bool? = nil
    ) {
        self.product = product
        self.isPromoted = isPromoted
        self.isAvailable = isAvailable
        self.appPrice = appPrice
        self.currentVersion = currentVersion
        self.promotionsSupportedSince = promotionsSupportedSince
        self.isHidden = isHidden
    }
}

/// A user tapped Buy in the store, or opened a test URL. `facts` are Catalog's, requested by the gateway.
public struct StartPurchaseRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var customerIdentifier: String
    public var account: String
    public var source: PurchaseIntent.Source
    public var facts: PromotedProductFacts
    /// The client's `Idempotency-Key`, or one the gateway has made for the request: the same start again, also when it
    /// comes late or twice, is the same intent, regardless of its state.
    public var requestIdentifier: String
    public init(
        bundleId: String, deviceId: String, customerIdentifier: String, account: String,
        source: PurchaseIntent.Source, facts: PromotedProductFacts, requestIdentifier: String
    ) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.customerIdentifier = customerIdentifier
        self.account = account
        self.source = source
        self.facts = facts
        self.requestIdentifier = requestIdentifier
    }
}

/// `{"outcome":"openApp","intentIdentifier":"i_01j…"}` (M72, M74, M75). The intent is kept for every outcome.
public struct StartPurchaseReply: Hashable, Sendable, Codable {
    public enum Outcome: String, CaseIterable, Sendable, Codable {
        /// The app has to be running; its stream has the intent, or will have it.
        case openApp
        /// A free app is on its way to the device.
        case downloading
        /// The app costs something: a prompt asks.
        case promptBuyApp
        /// The installed version does not handle promoted purchases.
        case promptUpgrade
    }

    public var outcome: Outcome
    public var intentIdentifier: String?
    public init(outcome: Outcome, intentIdentifier: String? = nil) {
        self.outcome = outcome
        self.intentIdentifier = intentIdentifier
    }
}

/// A stream that handles promoted purchases asks for what is pending; from then on `answerBy` runs.
public struct DeliverIntentsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var customerIdentifier: String
    public init(bundleId: String, deviceId: String, customerIdentifier: String) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.customerIdentifier = customerIdentifier
    }
}

/// All pending intents of the installation and customer, oldest first; at most 50, the most there can be.
public struct DeliverIntentsReply: Hashable, Sendable, Codable {
    public var intents: [PurchaseIntent]
    /// Counts the purchases that began on the installation; the value ``PromotionEndpoints/intentHeads`` returns, or
    /// less when there are more to request.
    public var seq: Int64
    public init(intents: [PurchaseIntent], seq: Int64) {
        self.intents = intents
        self.seq = seq
    }
}

/// At most 500 installations.
public struct IntentHeadsRequest: Hashable, Sendable, Codable {
    public static let installationsMax = 500
    public var installations: [InstallationReference]
    public init(installations: [InstallationReference]) { self.installations = installations }
}

/// The `seq` of each installation asked for, in the same order; 0 for one without intents.
public struct IntentHeadsReply: Hashable, Sendable, Codable {
    public var heads: [Int64]
    public init(heads: [Int64]) { self.heads = heads }
}

/// The hint that an installation's intents have changed. `seq` says how far.
public struct IntentsChanged: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var seq: Int64
    public init(bundleId: String, deviceId: String, seq: Int64) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.seq = seq
    }
}

/// One device's intents, oldest first.
public struct IntentsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var customerIdentifier: String
    /// Empty: all.
    public var states: [PurchaseIntent.State]
    public var after: String?
    /// 1…100.
    public var limit: Int
    public init(
        bundleId: String, deviceId: String, customerIdentifier: String, states: [PurchaseIntent.State] = [],
        after: String? = nil, limit: Int = 100
    ) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.customerIdentifier = customerIdentifier
        self.states = states
        self.after = after
        self.limit = limit
    }
}

/// The operator's: across devices.
public struct IntentListRequest: Hashable, Sendable, Codable {
    public var bundleId: String?
    public var account: String?
    public var deviceId: String?
    public var state: PurchaseIntent.State?
    public var after: String?
    /// 1…100.
    public var limit: Int
    public init(
        bundleId: String? = nil, account: String? = nil, deviceId: String? = nil, state: PurchaseIntent.State? = nil,
        after: String? = nil, limit: Int = 100
    ) {
        self.bundleId = bundleId
        self.account = account
        self.deviceId = deviceId
        self.state = state
        self.after = after
        self.limit = limit
    }
}

public struct IntentsPage: Hashable, Sendable, Codable {
    public var intents: [PurchaseIntent]
    public var after: String?
    public init(intents: [PurchaseIntent], after: String? = nil) {
        self.intents = intents
        self.after = after
    }
}

/// Another device's or customer's intent is `notFound`.
public struct IntentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var customerIdentifier: String
    public var intentIdentifier: String
    public init(bundleId: String, deviceId: String, customerIdentifier: String, intentIdentifier: String) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.customerIdentifier = customerIdentifier
        self.intentIdentifier = intentIdentifier
    }
}

public struct DecideIntentRequest: Hashable, Sendable, Codable {
    public enum Decision: String, CaseIterable, Sendable, Codable {
        /// The delegate's `true`: StoreKit adds the payment.
        case `continue`
        /// The delegate's `false`: the app keeps the payment.
        case `defer`
        case cancel
    }

    public var bundleId: String
    public var deviceId: String
    public var customerIdentifier: String
    public var intentIdentifier: String
    public var decision: Decision
    /// The message the user was shown, with `cancel` (M85). At most 500 characters.
    public var feedback: String?
    public init(
        bundleId: String, deviceId: String, customerIdentifier: String, intentIdentifier: String,
        decision: Decision, feedback: String? = nil
    ) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.customerIdentifier = customerIdentifier
        self.intentIdentifier = intentIdentifier
        self.decision = decision
        self.feedback = feedback
    }
}

/// The saved payment, added by the app itself (M80–M82). Its `requestIdentifier` is the app's own key.
public struct AddIntentPaymentRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var customerIdentifier: String
    public var payment: Payment
    public var discountCheck: DiscountCheck?
    public init(
        bundleId: String, deviceId: String, customerIdentifier: String, payment: Payment,
        discountCheck: DiscountCheck? = nil
    ) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.customerIdentifier = customerIdentifier
        self.payment = payment
        self.discountCheck = discountCheck
    }
}

/// The intent as it is now, and the queue's answer when it was continued. Without that answer the decision is kept as
/// well, and the transaction comes on the stream.
public struct DecideIntentReply: Hashable, Sendable, Codable {
    public var intent: PurchaseIntent
    public var added: AddPaymentReply?
    /// The decision was made before.
    public var isRepeated: Bool
    public init(intent: PurchaseIntent, added: AddPaymentReply? = nil, isRepeated: Bool = false) {
        self.intent = intent
        self.added = added
        self.isRepeated = isRepeated
    }
}

/// Cancels what is open of an app, of one account or of all.
public struct ClearIntentsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// nil: all of the app's.
    public var account: String?
    public init(bundleId: String, account: String? = nil) {
        self.bundleId = bundleId
        self.account = account
    }
}

public struct ClearIntentsReply: Hashable, Sendable, Codable {
    /// How many `continued` names at most; with more under way the request is refused.
    public static let continuedMax = 500
    /// Intents that were open and are cancelled.
    public var cancelled: Int
    /// Those that were continued before and whose payments PaymentQueue has not confirmed: they may be on their way to
    /// it. Named to PaymentQueue with the clearing, they buy nothing afterwards.
    public var continued: [String]
    public init(cancelled: Int, continued: [String] = []) {
        self.cancelled = cancelled
        self.continued = continued
    }
}

/// Something that happened to an intent, for tests that wait for it (`GET /admin/v1/events/wait?type=`).
public struct IntentEvent: Hashable, Sendable, Codable {
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// The store opens the app: a tap or a link was answered with ``StartPurchaseReply/Outcome/openApp``.
        case intentOpenApp
        case intentStarted, intentDelivered, intentDeferred, intentContinued, intentCancelled, intentExpired
    }

    /// Opaque; grows.
    public var id: String
    public var type: Kind
    public var bundleId: String
    public var account: String
    /// As it was after the event.
    public var intent: PurchaseIntent
    public init(id: String, type: Kind, bundleId: String, account: String, intent: PurchaseIntent) {
        self.id = id
        self.type = type
        self.bundleId = bundleId
        self.account = account
        self.intent = intent
    }
}

/// As ``EventsRequest``, of PromotionController's own log.
public struct IntentEventsRequest: Hashable, Sendable, Codable {
    public var after: String?
    public var type: IntentEvent.Kind?
    public var account: String?
    public var bundleId: String?
    /// 1…100.
    public var limit: Int
    public init(
        after: String? = nil, type: IntentEvent.Kind? = nil, account: String? = nil, bundleId: String? = nil,
        limit: Int = 1
    ) {
        self.after = after
        self.type = type
        self.account = account
        self.bundleId = bundleId
        self.limit = limit
    }
}

public struct IntentEventsReply: Hashable, Sendable, Codable {
    public var events: [IntentEvent]
    public var after: String
    public init(events: [IntentEvent], after: String) {
        self.events = events
        self.after = after
    }
}
