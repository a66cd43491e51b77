import Foundation
import StoreKitClient

/// What the sample app shows of a subscription: the offer to whoever may have it, else the regular price (M133).
extension SKProduct {
    var priceText: String {
        guard let introductoryPrice, isEligibleForIntroOffer == true else { return regularPrice ?? "" }
        // M132: the text depends on the mode.
        switch introductoryPrice.paymentMode {
        case .payAsYouGo, .payUpFront: return "\(introductoryPrice.offerText), then \(regularPrice ?? "")"
        case .freeTrial: return "Try it \(introductoryPrice.offerText), then \(regularPrice ?? "")"
        @unknown default: return regularPrice ?? ""
        }
    }
}
