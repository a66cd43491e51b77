import Foundation
import StoreKitClient
import StorebusTesting
import Testing

/// The listings of the sample app, and its names.
extension ListingTests {
    private var observer: StoreObserver { .shared }

    private final class Screen: StoreObserverDelegate {
        let messages = Journal()
        func storeObserverDidReceiveMessage(_ message: String) { messages.record(message) }
    }

    /// Buys through the sample app and waits for the end.
    private func buy(_ payment: SKPayment, until end: SKPaymentTransactionState) async throws -> SKPaymentTransaction {
        let before = observer.journal.transactions.count
        observer.buy(payment)
        var found: SKPaymentTransaction?
        try await eventually("the transaction is \(end)") {
            found = observer.journal.transactions.dropFirst(before).last { $0.transactionState == end }
            return found != nil
        }
        return try #require(found)
    }

    private func finish(_ transaction: SKPaymentTransaction) async throws {
        observer.finish(transaction)
        try await eventually("it is removed") { observer.journal.removed.contains(transaction) }
    }

    /// Runs `body` while the sample app observes.
    private func running(_ body: () async throws -> Void) async throws {
        queue.add(observer)
        defer { queue.remove(observer) }
        try await body()
        #expect(queue.transactions.isEmpty)
    }

    /// Has the payment sheet be answered so while `body` runs.
    private func sheet(_ answer: String, during body: () async throws -> Void) async throws {
        try await store.storebus(["account", "set", LiveStore.account, "--sheet", answer])
        try await body()
        try await store.storebus(["account", "set", LiveStore.account, "--unset", "sheet"])
    }

    @Test func `L7, M14, M15: who may not pay is shown nothing for sale, and the store is not asked`() async throws {
        let manager = StoreManager.shared
        // Another way of handling promoted purchases is another launch, which brings the permission as it is then.
        try await launched(observer, "none") {
            #expect(manager.isAuthorizedForPayments)
            try await store.storebus(["account", "set", LiveStore.account, "--can-make-payments", "false"])
        }
        try await launched(S0.L1(), "delegate") {
            try await eventually("the permission is gone") { !manager.isAuthorizedForPayments }
            let before = try await store.requestCount("POST", "/v1/products/query")
            manager.startProductRequest(with: [Self.fishing])
            try await fetchNothing()
            #expect(try await store.requestCount("POST", "/v1/products/query") == before)
            try await store.storebus(["account", "set", LiveStore.account, "--unset", "canMakePayments"])
        }
        try await eventually("a later launch has the permission back") {
            try await launched(observer, "none") {}
            if manager.isAuthorizedForPayments { return true }
            try await launched(S0.L1(), "delegate") {}
            return manager.isAuthorizedForPayments
        }
    }

    /// Runs `body` once the store knows how the app handles promoted purchases with this observer.
    private func launched(
        _ observer: any SKPaymentTransactionObserver, _ handler: String, _ body: () async throws -> Void
    ) async throws {
        queue.add(observer)
        defer { queue.remove(observer) }
        try await eventually("the app is launched") {
            // The first launch of a store's first test makes the device.
            let device = try? await store.storebus(["device", "show", LiveStore.device])
            return device?.contains("promoted purchases: \(handler)") == true
        }
        try await body()
    }

    /// Waits for an unrelated response, so that earlier requests have been answered too.
    private func fetchNothing() async throws {
        _ = try await SKProductStorePromotionController.default().fetchStorePromotionOrder()
    }

    @Test func `L8, M7, M9: one request asks the store for all identifiers`() async throws {
        let before = try await store.requestCount("POST", "/v1/products/query")
        try await fetchProducts()
        try await eventually("the store was asked once") {
            try await store.requestCount("POST", "/v1/products/query") == before + 1
        }
    }

    @Test func `L9, M2 to M4: products for sale and identifiers the store does not know are kept apart`() async throws {
        try await fetchProducts()
        #expect(
            Set(StoreManager.shared.availableProducts.map(\.productIdentifier))
                == [Self.beaches, Self.fishing, Self.pro, "product_name"])
        #expect(StoreManager.shared.invalidProductIdentifiers == ["no.such.product"])
    }

    @Test func `L10, M10, M13: a price is in the store's currency, not the device's`() async throws {
        let price = try await product(Self.fishing).regularPrice
        let plain = price?.replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
        #expect(plain == "1,99 €")
    }

    @Test func `L11, M27 to M31: purchased, deferred and failed transactions each take their branch`() async throws {
        let product = try await product(Self.fishing)
        try await running {
            let purchased = try await buy(SKPayment(product: product), until: .purchased)
            try await finish(purchased)
            #expect(
                observer.journal.transactions.filter { $0 == purchased }.map(\.transactionState) == [.purchased],
                "purchasing takes the branch that does nothing")

            let payment = SKMutablePayment(product: product)
            payment.simulatesAskToBuyInSandbox = true
            let shown = Messages.shown.words.count
            observer.buy(payment)
            try await eventually("the deferral is printed") { Messages.shown.words.count == shown + 1 }
            let waiting = try #require(queue.transactions.first { $0.transactionState == .deferred })
            let listed = try await store.json("tx", "list", "--as", LiveStore.account, "state=deferred")
            let id = try #require(listed.arrayValue?.first?["id"]?.stringValue)
            try await store.storebus(["approve", id])
            try await eventually("it is purchased") { observer.journal.transactions.last == waiting }
            try await finish(try #require(observer.journal.transactions.last))

            try await sheet("decline:paymentInvalid") {
                let failed = try await buy(SKPayment(product: product), until: .failed)
                #expect((failed.error as? SKError)?.code == .paymentInvalid)
                try await finish(failed)
            }
        }
    }

    @Test func `L12, M32: a customer who cancels sees no message; any other failure is shown`() async throws {
        let product = try await product(Self.fishing)
        let screen = Screen()
        observer.delegate = screen
        try await running {
            try await sheet("cancel") {
                let cancelled = try await buy(SKPayment(product: product), until: .failed)
                #expect((cancelled.error as? SKError)?.code == .paymentCancelled)
                try await finish(cancelled)
            }
            try await sheet("decline:unknown") {
                try await finish(try await buy(SKPayment(product: product), until: .failed))
            }
            try await eventually("the failure is shown") { !screen.messages.words.isEmpty }
            #expect(screen.messages.words == [Messages.failed + Self.fishing])
        }
    }

    @Test func `L13, M41, M44: the restore button brings back what was bought, with its original`() async throws {
        let product = try await product(Self.beaches)
        try await running {
            let bought = try await buy(SKPayment(product: product), until: .purchased)
            try await finish(bought)
            let ended = observer.restores.words.count
            await MainActor.run { ProductsViewController().restore(UIBarButtonItem()) }
            try await eventually("the restore has ended") { observer.restores.words.count == ended + 1 }
            let restored = observer.journal.transactions.filter { $0.transactionState == .restored }
            let beaches = try #require(restored.last { $0.payment.productIdentifier == Self.beaches })
            #expect(beaches.original?.transactionIdentifier == bought.transactionIdentifier)
            for transaction in Set(restored) { try await finish(transaction) }
        }
    }

    @Test func `L14, M53: a finished transaction leaves the queue for good`() async throws {
        let product = try await product(Self.fishing)
        try await running {
            let purchased = try await buy(SKPayment(product: product), until: .purchased)
            #expect(queue.transactions.contains(purchased))
            try await finish(purchased)
            #expect(!queue.transactions.contains(purchased))
        }
    }

    @Test func `L16, M47, M48: the names of Objective-C have a Swift name each, and hosted content comes by them`()
        async throws
    {
        let rows = try Self.nameTable()
        let names = try Self.block("L16").filter { !$0.isEmpty }
        #expect(names.count == 14)
        for name in names { #expect(rows.contains { $0.contains("`\(name)`") }, "docs/storekit-names.md: \(name)") }

        // The names themselves: what the table says is on the right.
        let states: [SKPaymentTransactionState] = [.purchasing, .purchased, .failed, .restored, .deferred]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
        let modes: [SKProductDiscount.PaymentMode] = [.payAsYouGo, .payUpFront, .freeTrial]
        #expect(modes.map(\.rawValue) == [0, 1, 2])

        let product = try await product("product_name")
        try await running {
            let purchased = try await buy(SKPayment(product: product), until: .purchased)
            let download = try #require(purchased.downloads.first)
            queue.start([download])
            try await eventually("it is fetched") { download.state == .finished }
            try await eventually("the observer hears of it") { observer.downloads.words.contains("finished") }
            #expect(try Data(contentsOf: try #require(download.contentURL)) == LiveStore.content)
            try await finish(purchased)
        }
    }

    @Test func `L17: every type the documents speak of is there`() throws {
        let types: [String: Any.Type] = [
            "PurchaseIntent": PurchaseIntent.self, "SKError": SKError.self, "SKPayment": SKPayment.self,
            "SKPaymentQueue": SKPaymentQueue.self, "SKPaymentQueueDelegate": (any SKPaymentQueueDelegate).self,
            "SKPaymentTransaction": SKPaymentTransaction.self,
            "SKPaymentTransactionObserver": (any SKPaymentTransactionObserver).self,
            "SKPaymentTransactionState": SKPaymentTransactionState.self, "SKProduct": SKProduct.self,
            "SKProductDiscount": SKProductDiscount.self,
            "SKProductDiscountPaymentMode": SKProductDiscountPaymentMode.self,
            "SKProductSTorePromotionVisiblity": SKProductSTorePromotionVisiblity.self,
            "SKProductStorePromotionController": SKProductStorePromotionController.self,
            "SKProductsRequest": SKProductsRequest.self, "SKProductsResponse": SKProductsResponse.self,
            "SKRequest": SKRequest.self,
        ]
        #expect(Set(try Self.block("L17").filter { !$0.isEmpty }) == Set(types.keys))
    }

    private static func block(_ name: String) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Blocks/\(name).txt"), encoding: .utf8)
        return text.components(separatedBy: "\n")
    }

    /// The rows of the page's tables.
    private static func nameTable() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let page = try String(contentsOf: root.appendingPathComponent("docs/storekit-names.md"), encoding: .utf8)
        return page.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    }
}
