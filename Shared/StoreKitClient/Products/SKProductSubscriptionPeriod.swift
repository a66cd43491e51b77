internal import StoreModels

/// The length of one period of a subscription or of an offer.
open class SKProductSubscriptionPeriod: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: what the store said is set once, before anything else sees
    // it.
    public typealias Unit = SKProductPeriodUnit

    private var model: SubscriptionPeriod?

    public override init() { super.init() }

    convenience init(_ model: SubscriptionPeriod) {
        self.init()
        self.model = model
    }

    /// The number of units, 1 or more.
    open var numberOfUnits: Int { model?.numberOfUnits ?? 0 }
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
