internal import StoreModels

/// The length of one period of a subscription or of an offer.
open class SKProductSubscriptionPeriod: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the model is set once, before the object is shared.
    public typealias Unit = SKProductPeriodUnit

    private var model: StoreModels.SubscriptionPeriod?

    /// Creates an empty period, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(_ model: StoreModels.SubscriptionPeriod) {
        self.init()
        self.model = model
    }

    /// The number of units, 1 or more, or 0 for an empty period.
    open var numberOfUnits: Int { model?.numberOfUnits ?? 0 }
    /// The unit: day, week, month or year.
    open var unit: SKProduct.PeriodUnit {
        switch model?.unit {
        case .day, nil: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let model, let other = object as? SKProductSubscriptionPeriod else { return super.isEqual(object) }
        return other.model == model
    }
    open override var hash: Int { model?.hashValue ?? super.hash }
}
