import Foundation
internal import StoreModels

/// A product of the store, in the words and at the price of the customer's storefront.
///
/// Made by a products request and by nothing else: only what the store returned can be sold. Price and locale are the
/// store's, never the device's.
public final class SKProduct: NSObject, Sendable {
    public typealias PeriodUnit = SKProductSubscriptionPeriod.Unit

    let model: Product
    public let price: NSDecimalNumber
    /// Carries the price's currency: `fr_FR@currency=EUR`.
    public let priceLocale: Locale

    init(_ model: Product) {
        self.model = model
        price = NSDecimalNumber(model.price)
        priceLocale = Locale(identifier: model.priceLocale)
    }

    public var productIdentifier: String { model.productIdentifier }
    public var localizedTitle: String { model.localizedTitle }
    public var localizedDescription: String { model.localizedDescription }
    /// Of auto-renewable subscriptions; nil otherwise.
    public var subscriptionPeriod: SKProductSubscriptionPeriod? {
        model.subscriptionPeriod.map(SKProductSubscriptionPeriod.init)
    }
    /// Of auto-renewable subscriptions; nil otherwise.
    public var subscriptionGroupIdentifier: String? { model.subscriptionGroupIdentifier }
    /// There for everybody while the product has one, whether or not this customer may have it.
    public var introductoryPrice: SKProductDiscount? { model.introductoryPrice.map(SKProductDiscount.init) }
    /// Whether this customer may have the introductory offer; nil when the store could not find out, and for products
    /// without one. StoreKit 1 has no such property: there the app asks its server. The store decides again at the
    /// purchase.
    public var isEligibleForIntroOffer: Bool? {
        guard model.introductoryPrice != nil else { return nil }
        switch model.introductoryOfferEligibility {
        case .eligible: return true
        case .ineligible: return false
        case .unknown, nil: return nil
        }
    }
    /// Promotional offers.
    public var discounts: [SKProductDiscount] { model.discounts.map(SKProductDiscount.init) }
    public var isFamilyShareable: Bool { model.isFamilyShareable }
    /// Whether content comes with it: the transaction then has `downloads`.
    public var isDownloadable: Bool { model.isDownloadable }
    /// Bytes of each package.
    public var downloadContentLengths: [NSNumber] { model.downloadContentLengths.map { NSNumber(value: $0) } }
    /// Dotted integers, `1.0`; empty without content.
    public var downloadContentVersion: String { model.downloadContentVersion }

    /// Two products are equal when the store says the same of them.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SKProduct)?.model == model }
    public override var hash: Int { model.productIdentifier.hashValue }
}

extension NSDecimalNumber {
    /// The amount, digit for digit.
    convenience init(_ money: Money) {
        self.init(
            mantissa: money.minorUnits.magnitude, exponent: -Int16(money.currency.exponent),
            isNegative: money.minorUnits < 0)
    }
}
