import Foundation
internal import StoreModels

/// How long one period of a subscription or of an offer lasts.
public final class SKProductSubscriptionPeriod: NSObject, Sendable {
    /// StoreKit's raw values.
    public enum Unit: Int, Sendable {
        case day = 0
        case week = 1
        case month = 2
        case year = 3
    }

    /// 1 or more.
    public let numberOfUnits: Int
    public let unit: Unit

    init(_ model: SubscriptionPeriod) {
        numberOfUnits = model.numberOfUnits
        unit =
            switch model.unit {
            case .day: .day
            case .week: .week
            case .month: .month
            case .year: .year
            }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKProductSubscriptionPeriod else { return false }
        return other.numberOfUnits == numberOfUnits && other.unit == unit
    }
    public override var hash: Int { numberOfUnits &* 4 &+ unit.rawValue }
}
