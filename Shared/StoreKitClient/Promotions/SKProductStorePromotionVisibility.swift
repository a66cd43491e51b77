internal import StoreModels

/// Whether this device shows a promoted product in the store, with StoreKit's raw values.
public enum SKProductStorePromotionVisibility: Int, CaseIterable, Sendable {
    /// No override: the operator's setting decides.
    case `default` = 0
    /// Shown here, also where the operator hides it.
    case show = 1
    case hide = 2

    init(_ model: StorePromotionVisibility) {
        self =
            switch model {
            case .default: .default
            case .show: .show
            case .hide: .hide
            }
    }

    var model: StorePromotionVisibility {
        switch self {
        case .default: .default
        case .show: .show
        case .hide: .hide
        }
    }
}

/// As a listing of Apple's article spells it.
public typealias SKProductSTorePromotionVisiblity = SKProductStorePromotionVisibility
