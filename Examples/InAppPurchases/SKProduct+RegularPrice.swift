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

    /// The regular price, after the introductory offer if the customer is eligible.
    var priceText: String {
        let regular = regularPrice ?? ""
        guard let introductoryPrice, isEligibleForIntroOffer == true else { return regular }
        return "\(introductoryPrice.offerText), then \(regular)"
    }
}
