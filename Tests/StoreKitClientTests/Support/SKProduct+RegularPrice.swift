import Foundation

@testable import StoreKitClient

extension SKProduct {
    /// A price as the store's locale writes it (M10).
    var regularPrice: String? {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = priceLocale
        return formatter.string(from: price)
    }
}
