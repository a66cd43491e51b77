import Foundation
import StoreKitClient

/// The listings write `Error?`.
private typealias Error = any Swift.Error

/// Listings L3 to L6: what this device shows of the promoted products.
struct StorePromotions {
    let hiddenBeaches: SKProduct
    let proSubscription: SKProduct
    let fishingHotSpots: SKProduct
    /// Told of what each completion handler was called with.
    let completed: @Sendable (String, (any Swift.Error)?) -> Void

    func readVisibility() {
        // Reading visibility override of a promoted in-app purchase.

        // Fetch product info for "Hidden Beaches pack."

        let storePromotionController = SKProductStorePromotionController.default()
        storePromotionController.fetchStorePromotionVisibility(
            forProduct: hiddenBeaches,
            completionHandler: { (visibility: SKProductSTorePromotionVisiblity, error: Error?) in
                // visibility == .default
                completed("visibility \(visibility == .default ? "default" : "set")", error)
            })
    }

    func hide() {
        // Hide the promoted product Pro Subscription after the user purchases it.

        let storePromotionController = SKProductStorePromotionController.default()
        storePromotionController.update(
            storePromotionVisibility: .hide, for: proSubscription,
            completionHandler: { (error: Error?) in
                // Completion.
                completed("hidden", error)
            })
    }

    func hideInOlderWords() {
        // Updating Visibility Override of a Promoted In-App Purchase
        let storePromotionController = SKProductStorePromotionController.default()
        storePromotionController.update(
            storePromotionVisibility: .hide, forProduct: proSubscription,
            completionHandler: { (error: Error?) in
                // Complete
                completed("hidden", error)
            })
    }

    func overrideOrder() {
        // Overriding the order of promoted in-app purchases.

        // Fetch product information for three products: Pro Subscription, Fishing Hot Spots, and Hidden Beaches.
        let storePromotionController = SKProductStorePromotionController.default()

        // Update the order.
        let newProductsOrder = [hiddenBeaches, proSubscription, fishingHotSpots]
        storePromotionController.updateStorePromotionOrder(
            newProductsOrder,
            completionHandler: { (error: Error?) in
                // Complete.
                completed("ordered", error)
            })
    }

    func readOrder() {
        // Getting the order override of promoted in-app purchases.

        let storePromotionController = SKProductStorePromotionController.default()
        storePromotionController.fetchStorePromotionOrder(completionHandler: { (products: [SKProduct], error: Error?) in
            // products == [hiddenBeaches, proSubscription, fishingHotSpots]
            completed("order \(products == [hiddenBeaches, proSubscription, fishingHotSpots])", error)
        })
    }

    func readOrderInOlderWords() {
        let storePromotionController = SKProductStorePromotionController.default()
        storePromotionController.fetchStorePromotionOrder(completionHander: { (products: [SKProduct], error: Error?) in
            completed("order \(products == [hiddenBeaches, proSubscription, fishingHotSpots])", error)
        })
    }
}
