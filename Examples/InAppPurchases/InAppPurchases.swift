import Foundation
import StoreKitClient

/// The app: handles the user's lines and shows products and purchases.
///
/// Unchecked: it is used on the main queue only, which is the connection's callback target.
final class InAppPurchases: @unchecked Sendable {
    private let options: Options
    private let manager = StoreManager.shared
    private let observer = StoreObserver.shared

    init(_ options: Options) { self.options = options }

    /// Registers the observer, then requests the products.
    func launch() {
        Screen.show("InAppPurchases  \(options.account) on \(options.deviceId), \(options.bundleId)")
        manager.delegate = self
        observer.delegate = self
        observer.contentDirectory = options.contentDirectory
        SKPaymentQueue.default().add(observer)
        fetchProducts()
    }

    private func fetchProducts() {
        do {
            manager.startProductRequest(with: try options.productIdentifiers)
        } catch {
            Screen.show("The list of product identifiers cannot be read: \(error.localizedDescription)")
            exit(66)
        }
    }

    /// Handles one line that the user has typed.
    func handle(_ line: String) {
        let word = line.trimmingCharacters(in: .whitespaces)
        switch word {
        case "": break
        case "list": showLists()
        case "restore": observer.restore()
        case "defer":
            observer.isOnboarding = true
            Screen.show(Messages.onboarding)
        case "continue": observer.continueSavedPayments()
        case "cancel": observer.cancelSavedPayments()
        case "help", "?": Screen.show(Messages.usage)
        case "quit", "exit": quit()
        default: select(word)
        }
    }

    /// Removes the observer and ends the app.
    func quit() {
        SKPaymentQueue.default().remove(observer)
        exit(0)
    }

    /// Buys a product, or shows a purchase.
    private func select(_ word: String) {
        if let product = Self.item(word, of: manager.availableProducts) {
            observer.buy(product)
        } else if let purchase = Self.item(word, "p", of: observer.purchases.purchased)
            ?? Self.item(word, "r", of: observer.purchases.restored)
        {
            Screen.show(Screen.information(purchase))
        } else {
            Screen.show(Messages.noProduct(word))
        }
    }

    /// Finds an item by its number.
    /// - Parameter word: `prefix`, then a number from 1.
    private static func item<Item>(_ word: String, _ prefix: String = "", of list: [Item]) -> Item? {
        guard word.hasPrefix(prefix), let number = Int(word.dropFirst(prefix.count)), list.indices.contains(number - 1)
        else { return nil }
        return list[number - 1]
    }

    private func showLists() {
        Screen.show(Screen.lists(manager, observer.purchases))
        Screen.show(Messages.usage)
    }
}

extension InAppPurchases: StoreManagerDelegate {
    func storeManagerDidReceiveResponse() { showLists() }
    func storeManagerDidReceiveMessage(_ message: String) { Screen.show(message) }
}

extension InAppPurchases: StoreObserverDelegate {
    func storeObserverDidReceiveMessage(_ message: String) { Screen.show(message) }

    func storeObserver(didPurchase transaction: SKPaymentTransaction) {
        Screen.show("PURCHASED\n" + Screen.purchase("p\(observer.purchases.purchased.count)", transaction))
    }

    func storeObserver(didRestore transaction: SKPaymentTransaction) {
        Screen.show("RESTORED\n" + Screen.purchase("r\(observer.purchases.restored.count)", transaction))
    }

    func storeObserver(didRevoke productIdentifiers: [String]) {
        for identifier in productIdentifiers {
            Screen.show("Taken back: \(manager.title(matchingIdentifier: identifier))")
        }
    }

    /// Requests the products again, with the prices of the new storefront.
    func storeObserverStorefrontDidChange() { fetchProducts() }
}
