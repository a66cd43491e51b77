internal import StoreModels

/// A product, with the texts and the price of the customer's storefront.
///
/// A products request makes them: only a product that the store returned can be sold. Price and locale are those of the
/// storefront, never of the device.
open class SKProduct: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the model is set once, before the object is shared.
    public typealias PeriodUnit = SKProductPeriodUnit

    private var model: StoreModels.Product?

    /// Creates an empty product, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(_ model: StoreModels.Product) {
        self.init()
        self.model = model
    }

    /// The product's identifier in the catalogue.
    open var productIdentifier: String { model?.productIdentifier ?? "" }
    /// The title in the storefront's language.
    open var localizedTitle: String { model?.localizedTitle ?? "" }
    /// The description in the storefront's language.
    open var localizedDescription: String { model?.localizedDescription ?? "" }
    /// The price of one piece or period, in the currency of `priceLocale`.
    open var price: NSDecimalNumber { model.map { NSDecimalNumber($0.price) } ?? .zero }
    /// The locale with the price's currency: `fr_FR@currency=EUR`.
    open var priceLocale: Locale { model.map { Locale(identifier: $0.priceLocale) } ?? .current }
    /// The period of auto-renewable subscriptions, or nil otherwise.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        model?.subscriptionPeriod.map { SKProductSubscriptionPeriod($0) }
    }
    /// The group of auto-renewable subscriptions, or nil otherwise.
    open var subscriptionGroupIdentifier: String? { model?.subscriptionGroupIdentifier }
    /// The introductory offer, present also for customers who are not eligible. Nil without one.
    open var introductoryPrice: SKProductDiscount? { model?.introductoryPrice.map { SKProductDiscount($0) } }
    /// Whether this customer is eligible for the introductory offer. Nil if the store could not determine it, and for
    /// products without one. StoreKit 1 has no such property, so there the app asks its server. The store decides again
    /// at the purchase.
    open var isEligibleForIntroOffer: Bool? {
        guard let model, model.introductoryPrice != nil else { return nil }
        switch model.introductoryOfferEligibility {
        case .eligible: return true
        case .ineligible: return false
        case .unknown, nil: return nil
        }
    }
    /// The promotional offers of an auto-renewable subscription.
    open var discounts: [SKProductDiscount] { model?.discounts.map { SKProductDiscount($0) } ?? [] }
    /// Whether the product can be shared with family members.
    open var isFamilyShareable: Bool { model?.isFamilyShareable ?? false }
    /// Whether the product includes hosted content. Its transactions then have `downloads`.
    open var isDownloadable: Bool { model?.isDownloadable ?? false }
    /// The size of each package in bytes.
    open var downloadContentLengths: [NSNumber] { model?.downloadContentLengths.map { NSNumber(value: $0) } ?? [] }
    /// The version in dotted integers, such as `1.0`. Empty without content.
    open var downloadContentVersion: String { model?.downloadContentVersion ?? "" }

    /// The same as `isDownloadable`, under the name of earlier SDKs.
    open var downloadable: Bool { isDownloadable }
    /// The same as `downloadContentLengths`, under the name of earlier SDKs.
    open var contentLengths: [NSNumber] { downloadContentLengths }
    /// The same as `downloadContentVersion`, under the name of earlier SDKs.
    open var contentVersion: String { downloadContentVersion }

    /// Compares all values. An empty product equals only itself.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let model, let other = object as? SKProduct else { return super.isEqual(object) }
        return other.model == model
    }
    open override var hash: Int { model?.productIdentifier.hashValue ?? super.hash }
}

extension NSDecimalNumber {
    /// Converts an amount without rounding.
    convenience init(_ money: Money) {
        self.init(
            mantissa: money.minorUnits.magnitude, exponent: -Int16(money.currency.exponent),
            isNegative: money.minorUnits < 0)
    }
}
