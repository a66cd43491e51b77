internal import StoreModels

extension SKProductStorePromotionVisibility {
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
        // A number without a name sets nothing.
        @unknown default: .default
        }
    }
}

/// The name as a listing of Apple's article spells it.
public typealias SKProductSTorePromotionVisiblity = SKProductStorePromotionVisibility
