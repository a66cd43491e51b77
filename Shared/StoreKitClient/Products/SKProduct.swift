internal import StoreModels

/// A product of the store, in the words and at the price of the customer's storefront.
///
/// A products request makes them: only what the store returned can be sold. Price and locale are the store's, never the
/// device's. `SKProduct()` is for subclasses in an app's tests; it says nothing.
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
    /// Carries the price's currency: `fr_FR@currency=EUR`.
    open var priceLocale: Locale { model.map { Locale(identifier: $0.priceLocale) } ?? .current }
    /// Of auto-renewable subscriptions; nil otherwise.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        model?.subscriptionPeriod.map { SKProductSubscriptionPeriod($0) }
    }
    /// Of auto-renewable subscriptions; nil otherwise.
    open var subscriptionGroupIdentifier: String? { model?.subscriptionGroupIdentifier }
    /// There for everybody while the product has one, whether or not this customer may have it.
    open var introductoryPrice: SKProductDiscount? { model?.introductoryPrice.map { SKProductDiscount($0) } }
    /// Whether this customer may have the introductory offer; nil when the store could not find out, and for products
    /// without one. StoreKit 1 has no such property: there the app asks its server. The store decides again at the
    /// purchase.
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
    /// Whether content comes with it: the transaction then has `downloads`.
    open var isDownloadable: Bool { model?.isDownloadable ?? false }
    /// Bytes of each package.
    open var downloadContentLengths: [NSNumber] { model?.downloadContentLengths.map { NSNumber(value: $0) } ?? [] }
    /// Dotted integers, `1.0`; empty without content.
    open var downloadContentVersion: String { model?.downloadContentVersion ?? "" }

    // The names of earlier SDKs.
    open var downloadable: Bool { isDownloadable }
    open var contentLengths: [NSNumber] { downloadContentLengths }
    open var contentVersion: String { downloadContentVersion }

    /// Two products of the store are equal when it says the same of them.
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
