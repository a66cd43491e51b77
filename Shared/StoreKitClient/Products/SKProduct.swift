internal import StoreModels

/// A product of the store, with the texts and the price of the customer's storefront.
///
/// A products request makes them: only what the store returned can be sold. Price and locale are the store's, never the
/// device's. `SKProduct()` is for subclasses in an app's tests; it is empty.
open class SKProduct: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: what the store said is set once, before anything else sees
    // it.
    public typealias PeriodUnit = SKProductPeriodUnit

    private var model: Product?

    public override init() { super.init() }

    convenience init(_ model: Product) {
        self.init()
        self.model = model
    }

    open var productIdentifier: String { model?.productIdentifier ?? "" }
    open var localizedTitle: String { model?.localizedTitle ?? "" }
    open var localizedDescription: String { model?.localizedDescription ?? "" }
    open var price: NSDecimalNumber { model.map { NSDecimalNumber($0.price) } ?? .zero }
    /// The locale with the price's currency: `fr_FR@currency=EUR`.
    open var priceLocale: Locale { model.map { Locale(identifier: $0.priceLocale) } ?? .current }
    /// The period of auto-renewable subscriptions; nil otherwise.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        model?.subscriptionPeriod.map { SKProductSubscriptionPeriod($0) }
    }
    /// The group of auto-renewable subscriptions; nil otherwise.
    open var subscriptionGroupIdentifier: String? { model?.subscriptionGroupIdentifier }
    /// The introductory offer, present for every customer while the product has one, eligible or not.
    open var introductoryPrice: SKProductDiscount? { model?.introductoryPrice.map { SKProductDiscount($0) } }
    /// Whether this customer is eligible for the introductory offer; nil when the store could not determine it, and for
    /// products without one. StoreKit 1 has no such property: there the app asks its server. The store decides again at
    /// the purchase.
    open var isEligibleForIntroOffer: Bool? {
        guard let model, model.introductoryPrice != nil else { return nil }
        switch model.introductoryOfferEligibility {
        case .eligible: return true
        case .ineligible: return false
        case .unknown, nil: return nil
        }
    }
    /// Promotional offers.
    open var discounts: [SKProductDiscount] { model?.discounts.map { SKProductDiscount($0) } ?? [] }
    open var isFamilyShareable: Bool { model?.isFamilyShareable ?? false }
    /// Whether it includes content: the transaction then has `downloads`.
    open var isDownloadable: Bool { model?.isDownloadable ?? false }
    /// The size of each package in bytes.
    open var downloadContentLengths: [NSNumber] { model?.downloadContentLengths.map { NSNumber(value: $0) } ?? [] }
    /// The version in dotted integers, `1.0`; empty without content.
    open var downloadContentVersion: String { model?.downloadContentVersion ?? "" }

    // The names of earlier SDKs.
    open var downloadable: Bool { isDownloadable }
    open var contentLengths: [NSNumber] { downloadContentLengths }
    open var contentVersion: String { downloadContentVersion }

    /// Two products of the store are equal when all their values are.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let model, let other = object as? SKProduct else { return super.isEqual(object) }
        return other.model == model
    }
    open override var hash: Int { model?.productIdentifier.hashValue ?? super.hash }
}

extension NSDecimalNumber {
    /// The amount, digit for digit.
    convenience init(_ money: Money) {
        self.init(
            mantissa: money.minorUnits.magnitude, exponent: -Int16(money.currency.exponent),
            isNegative: money.minorUnits < 0)
    }
}
