import StoreKitClient
import Synchronization

/// Records the calls a listing's class receives, for the test on another thread.
///
/// It uses `Mutex`, because listings are compiled like an app, which imports no module of the store but StoreKitClient.
final class Journal: Sendable {
    private struct State {
        var transactions: [SKPaymentTransaction] = []
        var removed: [SKPaymentTransaction] = []
        var words: [String] = []
    }

    private let state = Mutex(State())

    /// Every state of every transaction, in the order the observer got them.
    var transactions: [SKPaymentTransaction] { state.withLock { $0.transactions } }
    var removed: [SKPaymentTransaction] { state.withLock { $0.removed } }
    var words: [String] { state.withLock { $0.words } }

    func record(_ transactions: [SKPaymentTransaction]) { state.withLock { $0.transactions += transactions } }
    func remove(_ transactions: [SKPaymentTransaction]) { state.withLock { $0.removed += transactions } }
    func record(_ word: String) { state.withLock { $0.words.append(word) } }

    func states(of product: String) -> [SKPaymentTransactionState] {
        transactions.filter { $0.payment.productIdentifier == product }.map(\.transactionState)
    }
}

/// An observer that has a listing's method.
protocol JournalingObserver: SKPaymentTransactionObserver {
    var journal: Journal { get }
}

/// Listing L2, in any edition.
protocol DeferringObserver: JournalingObserver {
    var isOnboarding: Bool { get set }
    var unlocked: Set<String> { get set }
    func onboardingIsOver()
}

/// Listings L3 to L6, in any edition.
protocol PromotionListings {
    func readVisibility()
    func hide()
    func overrideOrder()
    func readOrder()
}
