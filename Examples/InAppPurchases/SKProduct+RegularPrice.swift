import Foundation
import StoreKitClient

extension SKProduct {
    /// - returns: The cost of the product formatted in the local currency.
    var regularPrice: String? {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = self.priceLocale
        return formatter.string(from: self.price)
    }

    /// The regular price, and in front of it the introductory offer where the customer may have it.
    var priceText: String {
        let regular = regularPrice ?? ""
        guard let introductoryPrice, isEligibleForIntroOffer == true else { return regular }
        return "\(introductoryPrice.offerText), then \(regular)"
    }
}
