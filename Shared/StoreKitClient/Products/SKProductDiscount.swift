internal import StoreModels

/// An introductory or promotional offer of a subscription.
///
/// The text an app shows depends on `paymentMode`: a price for each of `numberOfPeriods` periods, one price for all of
/// them, or a free trial. Apple has deprecated this type. The name stays for the code that uses it.
open class SKProductDiscount: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the model is set once, before the object is shared.
    public typealias PaymentMode = SKProductDiscountPaymentMode
    public typealias `Type` = SKProductDiscountType

    private var model: ProductDiscount?

    /// Creates an empty offer, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(_ model: ProductDiscount) {
        self.init()
        self.model = model
    }

    /// The price of one charge, in the currency of `priceLocale`. Zero for a free trial.
    open var price: NSDecimalNumber { model.map { NSDecimalNumber($0.price) } ?? .zero }
    /// The locale with the price's currency: `fr_FR@currency=EUR`.
    open var priceLocale: Locale { model.map { Locale(identifier: $0.priceLocale) } ?? .current }
    /// The identifier, or nil for the introductory offer.
    open var identifier: String? { model?.identifier }
    /// The length of one of the offer's periods.
    open var subscriptionPeriod: SKProductSubscriptionPeriod {
        model.map { SKProductSubscriptionPeriod($0.subscriptionPeriod) } ?? SKProductSubscriptionPeriod()
    }
    /// The number of periods. The offer lasts `subscriptionPeriod` × `numberOfPeriods`.
    open var numberOfPeriods: Int { model?.numberOfPeriods ?? 0 }

    /// How the customer is charged: for each period, once for all periods, or not at all.
    open var paymentMode: PaymentMode {
        switch model?.paymentMode {
        case .payAsYouGo, nil: .payAsYouGo
        case .payUpFront: .payUpFront
        case .freeTrial: .freeTrial
        }
    }

    /// The kind of offer: introductory, or promotional as `.subscription`.
    open var type: SKProductDiscountType {
        switch model?.type {
        case .introductory, nil: .introductory
        case .subscription: .subscription
        }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let model, let other = object as? SKProductDiscount else { return super.isEqual(object) }
        return other.model == model
    }
    open override var hash: Int { model?.hashValue ?? super.hash }
}

extension SKProductDiscount {
    /// The offer in English: "$1.99 a month for 3 months", "$1.99 for 2 months", "free for 1 week".
    ///
    /// The price has the format of `priceLocale`. StoreKit has no such text, so an app writes its own, in its user's
    /// language, for the same three payment modes.
    public var offerText: String {
        switch paymentMode {
        case .payAsYouGo:
            "\(priceText) \(subscriptionPeriod.each) for \(subscriptionPeriod.text(times: numberOfPeriods))"
        case .payUpFront: "\(priceText) for \(subscriptionPeriod.text(times: numberOfPeriods))"
        case .freeTrial: "free for \(subscriptionPeriod.text(times: numberOfPeriods))"
        @unknown default: priceText
        }
    }

    private var priceText: String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = priceLocale
        return formatter.string(from: price) ?? price.stringValue
    }
}

extension SKProductSubscriptionPeriod {
    private var name: String {
        switch unit {
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        @unknown default: "period"
        }
    }

    /// "a month", "every 2 months"
    fileprivate var each: String { numberOfUnits == 1 ? "a \(name)" : "every \(numberOfUnits) \(name)s" }

    /// "1 week", "6 months"
    fileprivate func text(times count: Int) -> String {
        let units = numberOfUnits * count
        return "\(units) \(name)\(units == 1 ? "" : "s")"
    }
}
