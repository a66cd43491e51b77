import Foundation
internal import StoreModels

/// An introductory or a promotional offer of a subscription.
///
/// The text an app shows depends on `paymentMode`: so much each period for `numberOfPeriods` periods, so much once for all
/// of them, or nothing at all. Apple has deprecated this type; the name stays for the code that uses it.
public final class SKProductDiscount: NSObject, Sendable {
    /// StoreKit's raw values.
    public enum PaymentMode: Int, Sendable {
        case payAsYouGo = 0
        case payUpFront = 1
        case freeTrial = 2
    }

    /// StoreKit's raw values.
    public enum `Type`: Int, Sendable {
        case introductory = 0
        case subscription = 1
    }

    private let model: ProductDiscount
    /// What one charge costs.
    public let price: NSDecimalNumber
    public let priceLocale: Locale

    init(_ model: ProductDiscount) {
        self.model = model
        price = NSDecimalNumber(model.price)
        priceLocale = Locale(identifier: model.priceLocale)
    }

    /// Nil for the introductory offer.
    public var identifier: String? { model.identifier }
    public var subscriptionPeriod: SKProductSubscriptionPeriod { SKProductSubscriptionPeriod(model.subscriptionPeriod) }
    /// The offer lasts `subscriptionPeriod` × `numberOfPeriods`.
    public var numberOfPeriods: Int { model.numberOfPeriods }

    public var paymentMode: PaymentMode {
        switch model.paymentMode {
        case .payAsYouGo: .payAsYouGo
        case .payUpFront: .payUpFront
        case .freeTrial: .freeTrial
        }
    }

    public var type: Type {
        switch model.type {
        case .introductory: .introductory
        case .subscription: .subscription
        }
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? SKProductDiscount)?.model == model }
    public override var hash: Int { model.hashValue }
}
