import Foundation
import StoreKitClient

/// Listing L2: a purchase is deferred while the customer is shown around, and cancelled when there is nothing to buy.
///
/// Unchecked, as an app moving to Swift 6 begins: what changes is set by one thread, which then waits for the other.
final class OnboardingObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    static let shared = OnboardingObserver()

    var isOnboarding = false
    var unlocked: Set<String> = []
    // As the listing has it: there is a payment once one was saved.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var savedPayment: SKPayment!
    /// Called when a purchase was not continued.
    var didPutOff: (@Sendable () -> Void)?

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            queue.finishTransaction(transaction)
        }
    }

    // Handling a transaction from the App Store.

    // MARK: - SKPaymentTransactionObserver

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        defer { didPutOff?() }

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
            // If you cancel the transaction, provide feedback to the user.
            queue.cancelStorePayment(payment, feedback: "You have this already.")
            return false
        }
        return true
    }

    func onboardingIsOver() {
        isOnboarding = false
        // Continuing a previously deferred payment.
        SKPaymentQueue.default().add(savedPayment)
    }
}
