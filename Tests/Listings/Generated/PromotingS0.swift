// swift-format-ignore-file
// Made by scripts/cut-listings of Frames/Promoting.swift.frame and Blocks/S0. Change those.

import Foundation
import StoreKitClient

/// Listings L1 to L6 of edition S0, each where an app would have it.
enum S0 {
    final class L1: NSObject, JournalingObserver, @unchecked Sendable {
        let journal = Journal()

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            journal.record(transactions)
        }

//Continuing a transaction from the App Store.
// 继续一个来自 App Store 的交易

//MARK: - SKPaymentTransactionObserver

func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct) -> Bool {
    // Check to see if you can complete the transaction.
    // Return true if you can.
    // 检查看看你能否完成这个交易。若能则返回 true。
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
// 处理一个来自 App Store 的交易

//MARK: - SKPaymentTransactionObserver
func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct) -> Bool {
    // Add code here to check if your app needs to defer the transaction.
    // 在这里添加代码检查你的 App 是否要推迟交易。
    let shouldDeferPayment = isOnboarding
    // If you need to defer until onboarding is complete, save the payment and return false.
    // 如果需要推迟直到入门操作完成，保存 payment 并返回 false。
    if shouldDeferPayment {
        self.savedPayment = payment
        return false
    }

    // Add code here to check if your app needs to cancel the transaction.
    // 在这里添加代码检查你的 App 是否要取消交易。
    let shouldCancelPayment = unlocked.contains(product.productIdentifier)
    // If you need to cancel the transaction, then return false:
    // 如果需要取消交易，返回 false。
    if shouldCancelPayment {
        return false
    }
    return true
}



        func onboardingIsOver() {
// If you cancel the transaction, provide feedback to the user.
// 如果你取消了交易，请向用户提供反馈。

// Continuing a previously deferred payment.
// 继续之前被推迟的 payment。
SKPaymentQueue.default().add(savedPayment)
        }
    }

    struct Promotions: PromotionListings {
        let hiddenBeaches: SKProduct
        let proSubscription: SKProduct
        let fishingHotSpots: SKProduct

        func readVisibility() {
// Reading visibility override of a promoted in-app purchase.
// 读取推广的应用内购买的可见性覆盖。

// Fetch product info for "Hidden Beaches pack."
// 获取“隐藏海滩包”的产品信息。
let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.fetchStorePromotionVisibility(forProduct: hiddenBeaches,
    completionHandler: { (visibility: SKProductSTorePromotionVisiblity, error: Error?) in
        // visibility == .default
})
        }

        func hide() {
// Hide the promoted product Pro Subscription after the user purchases it.
// 在用户购买推广的产品 Pro Subscription 后将其隐藏。

let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.update(storePromotionVisibility: .hide, for: proSubscription,
    completionHandler: { (error: Error?) in
        // Completion.
    })
        }

        func overrideOrder() {
// Overriding the order of promoted in-app purchases.
// 覆盖推广的应用内购买的顺序。

// Fetch product information for three products: Pro Subscription, Fishing Hot Spots, and Hidden Beaches.
// 获取这三个产品的产品信息：Pro Subscription, Fishing Hot Spots, and Hidden Beaches。

let storePromotionController = SKProductStorePromotionController.default()

// Update the order.
// 更新顺序
let newProductsOrder = [hiddenBeaches, proSubscription, fishingHotSpots]
storePromotionController.updateStorePromotionOrder(newProductsOrder,
    completionHandler: { (error: Error?) in
        // Complete.
    })
        }

        func readOrder() {
// Getting the order override of promoted in-app purchases.
// 获取推广的应用内购买的顺序覆盖

let storePromotionController = SKProductStorePromotionController.default()
storePromotionController.fetchStorePromotionOrder(completionHandler: {
    (products: [SKProduct], error: Error?) in
        // products == [hiddenBeaches, proSubscription, fishingHotSpots]
    })
        }
    }
}
