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
        // A value of a newer SDK sets nothing.
        @unknown default: .default
        }
    }
}

/// The type under the misspelled name of a listing in Apple's article.
public typealias SKProductSTorePromotionVisiblity = SKProductStorePromotionVisibility
