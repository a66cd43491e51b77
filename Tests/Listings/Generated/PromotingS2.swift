// swift-format-ignore-file
// Made by scripts/cut-listings of Frames/Promoting.swift.frame and Blocks/S2. Change those.

import Foundation
import StoreKitClient

/// Listings L1 to L6 of edition S2, each where an app would have it.
enum S2 {
    final class L1: NSObject, JournalingObserver, @unchecked Sendable {
        let journal = Journal()

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            journal.record(transactions)
        }

//Continuing a transaction from the App Store.

//MARK: - SKPaymentTransactionObserver

func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct) -> Bool {
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

//Handling a transaction from the App Store.

//MARK: - SKPaymentTransactionObserver

func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct) -> Bool {

    // Add code here to check if your app needs to defer the transaction.
    let shouldDeferPayment = isOnboarding
    // If you need to defer until onboarding is complete, save the payment and return false.
    if shouldDeferPayment {
        self.savedPayment = payment
        return false
    }

    // Add code here to check if your app needs to cancel the transaction.
    let shouldCancelPayment = unlocked.contains(product.productIdentifier)
    // If you need to cancel the transaction, then return false:
    if shouldCancelPayment {
        return false
    }
    return true
}


        func onboardingIsOver() {
// If you cancel the transaction, provide feedback to the user.

// Continuing a previously deferred payment.
SKPaymentQueue.default().add(savedPayment)
        }
    }

    struct Promotions: PromotionListings {
        let hiddenBeaches: SKProduct
        let proSubscription: SKProduct
        let fishingHotSpots: SKProduct

        func readVisibility() {
// Reading visibility override of a promoted in-app purchase.

// Fetch product info for "Hidden Beaches pack."

let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.fetchStorePromotionVisibility(forProduct: hiddenBeaches,
    completionHandler: { (visibility: SKProductSTorePromotionVisiblity, error: Error?) in
        // visibility == .default
})
        }

        func hide() {
// Hide the promoted product Pro Subscription after the user purchases it.

let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.update(storePromotionVisibility: .hide, for: proSubscription,
    completionHandler: { (error: Error?) in
        // Completion.
    })
        }

        func overrideOrder() {
// Overriding the order of promoted in-app purchases.

// Fetch product information for three products: Pro Subscription, Fishing Hot Spots, and Hidden Beaches.
let storePromotionController = SKProductStorePromotionController.default()

// Update the order.
let newProductsOrder = [hiddenBeaches, proSubscription, fishingHotSpots]
storePromotionController.updateStorePromotionOrder(newProductsOrder,
    completionHandler: { (error: Error?) in
        // Complete.
    })
        }

        func readOrder() {
// Getting the order override of promoted in-app purchases.

let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.fetchStorePromotionOrder(completionHandler: {
    (products: [SKProduct], error: Error?) in
        // products == [hiddenBeaches, proSubscription, fishingHotSpots]
    })
        }
    }
}
