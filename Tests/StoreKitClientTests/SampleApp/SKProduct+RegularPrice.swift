import Foundation
import StoreKitClient

/// Listing L10: a price as the store's locale writes it (M10).
extension SKProduct {
    var regularPrice: String? {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = self.priceLocale
        return formatter.string(from: self.price)
    }
}
