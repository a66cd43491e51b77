// swift-format-ignore-file
// Made by scripts/cut-listings of Frames/Promoting.swift.frame and Blocks/S1. Change those.

import Foundation
import StoreKitClient

/// Listings L1 to L6 of edition S1, each where an app would have it.
enum S1 {
    final class L1: NSObject, JournalingObserver, @unchecked Sendable {
        let journal = Journal()

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            journal.record(transactions)
        }

//Continuing a Transaction from the App Store
//MARK: - SKPaymentTransactionObserver
func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
forProduct product: SKProduct) -> Bool {
// Check to see if you can complete the transaction.
// Return true if you can.
return true
}
    }

    final class L2: NSObject, DeferringObserver, @unchecked Sendable {
        let journal = Journal()
        var isOnboarding = false
        var unlocked: Set<String> = []
        var savedPayment: SKPayment!

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            journal.record(transactions)
        }

//Handling a Transaction from the App Store
//MARK: - SKPaymentTransactionObserver
func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
forProduct product: SKProduct) -> Bool {
// ... Add code here to check if your app must defer the transaction.
let shouldDeferPayment = isOnboarding
// If you must defer until onboarding is completed, then save the payment and return false.
if shouldDeferPayment {
self.savedPayment = payment
return false
}
// ... Add code here to check if your app must cancel the transaction.
let shouldCancelPayment = unlocked.contains(product.productIdentifier)
// If you must cancel the transaction, then return false:
if shouldCancelPayment {
return false
}
return true
}

        func onboardingIsOver() {
// (If you canceled the transaction, provide feedback to the user.)
// Continuing a previously deferred payment
SKPaymentQueue.default().add(savedPayment)
        }
    }

    struct Promotions: PromotionListings {
        let hiddenBeaches: SKProduct
        let proSubscription: SKProduct
        let fishingHotSpots: SKProduct

        func readVisibility() {
// Reading Visibility Override of a Promoted In-App Purchase
// Fetch Product Info for "Hidden Beaches pack"
let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.fetchStorePromotionVisibility(forProduct: hiddenBeaches,
completionHandler: { (visibility: SKProductSTorePromotionVisiblity, error: Error?) in
// visibility == .default;
})
        }

        func hide() {
// Updating Visibility Override of a Promoted In-App Purchase
// Fetch Product Info for "Pro Subscription"
let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.update(storePromotionVisibility: .hide, forProduct: proSubscription,
completionHandler: { (error: Error?) in
// Complete
})
        }

        func overrideOrder() {
// Updating Order Override of Promoted In-App Purchases
// Fetch Product Info for three products: Pro Subscription, Fishing Hot Spots, and Hidden Beaches
let storePromotionController = SKProductStorePromotionController.default()
let newProductsOrder = [hiddenBeaches, proSubscription, fishingHotSpots]
storePromotionController.updateStorePromotionOrder(newProductsOrder,
completionHandler: { (error: Error?) in
// Complete
})
        }

        func readOrder() {
// Reading Order Override of Promoted In-App Purchases
let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.fetchStorePromotionOrder(completionHander: {
(products: [SKProduct], error: Error?) in
// products == [hiddenBeaches, proSubscription, fishingHotSpots
})
        }
    }
}
