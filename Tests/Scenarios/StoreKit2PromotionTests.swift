import EventLoop
import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

private typealias Product = StoreKitClient.Product

/// Goal: the promotion rules M58 to M109 hold for an app of StoreKit 2, which has `PurchaseIntent.intents` and
/// `Product.PromotionInfo`. docs/storekit-2.md says which rules it cannot see, and why.
/// Method: apps on devices of one customer, each test in an isolated store of one `storebus up`. The processor's own
/// books say what was charged.
@Suite(.process, .sharedStore) struct StoreKit2PromotionTests {
    typealias Products = StoreStack.Products

    // MARK: From the store to the app

    @Test func `M65, M74, M76, M77: the app is opened, has product and price, and its purchase ends the intent`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            let openings = Locked(0)
            let phone = try await Self.launch(store, "phone") { connection in
                connection.bringToFront = { openings.withLock { $0 += 1 } }
            }
            let tablet = try await Self.launch(store, "tablet")
            let shown = try await Handset(store, "phone").openStore()
            // The stream is open when the first purchase has come. The second one opens the app.
            _ = try await shown.tap(Products.fishing, expecting: .openApp)
            _ = try await phone.intents(Products.fishing)
            let before = openings.withLock { $0 }
            let identifier = try await shown.tap(Products.beaches, in: "search", expecting: .openApp)
            // A finger that slipped: the same purchase.
            #expect(try await shown.tap(Products.beaches, expecting: .openApp) == identifier)
            let intent = try #require(try await phone.intents(Products.fishing, Products.beaches).last)
            let after = openings.withLock { $0 }
            #expect(after == before + 1)
            #expect(intent.product.displayName == "Hidden Beaches")
            #expect(intent.product.price == Decimal(string: "0.99"))
            #expect(intent.product.priceFormatStyle.currencyCode == "USD")
            #expect(intent.product.type == .nonConsumable)
            #expect(intent.offer == nil)
            #expect(try await Ledger.charges(of: store).isEmpty)

            let bought = try await Self.buy(intent.product, on: phone)
            #expect(bought.productID == Products.beaches)
            try await Self.expectContinued(identifier, as: bought, in: store)
            try await Self.expectCharges(1, in: store)
            // Both devices get the purchase. Only the phone gets the intent that began on the phone.
            try await eventually("the tablet has it") {
                tablet.seen.updates.map(\.unsafePayloadValue.id) == [bought.id]
            }
            #expect(tablet.seen.intents.isEmpty)
            #expect(phone.seen.updates.isEmpty)
            // Decided, they do not come again with the next launch.
            _ = try await Self.buy(try #require(phone.seen.intents.first).product, on: phone)
            await phone.kill()
            let relaunched = try await Self.launch(store, "phone")
            _ = try await shown.tap(Products.pro, expecting: .openApp)
            _ = try await relaunched.intents(Products.pro)
        }
    }

    @Test func `M78: nothing is charged before the customer agrees to the sheet, or after the customer cancels it`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            try await store.setTester("alice", ["sheet": "interactive"])
            let phone = try await Self.launch(store, "phone")
            let shown = try await Handset(store, "phone").openStore()
            let cancelled = try await shown.tap(Products.fishing, expecting: .openApp)
            let fishing = try #require(try await phone.intents(Products.fishing).last)
            let refused = Task { try await phone.run { try await fishing.product.purchase() } }
            let sheet = try await Self.sheet(in: store)
            #expect(try await Ledger.charges(of: store).isEmpty)
            try await store.answer(sheet, "cancel")
            guard case .userCancelled = try await refused.value else { throw StackError("it was not cancelled") }
            #expect(try await Ledger.charges(of: store).isEmpty)
            #expect(try await Self.intent(cancelled, in: store).state == .continued)

            let agreed = try await shown.tap(Products.beaches, expecting: .openApp)
            let beaches = try #require(try await phone.intents(Products.fishing, Products.beaches).last)
            let purchase = Task { try await Self.buy(beaches.product, on: phone) }
            try await store.answer(try await Self.sheet(in: store), "approve")
            try await Self.expectContinued(agreed, as: try await purchase.value, in: store)
            try await Self.expectCharges(1, in: store)

            // The intent has had its payment (I3): to buy its product again is a purchase of its own.
            let another = Task { try await Self.buy(fishing.product, on: phone) }
            try await store.answer(try await Self.sheet(in: store), "approve")
            let record = try await Self.record(of: try await another.value, in: store)
            #expect(record.payment.intentIdentifier == nil)
            try await Self.expectCharges(2, in: store)
        }
    }

    @Test func `M79, M80, M82, M83, M86: not bought it is deferred, and the kept product is bought later, once`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            var phone = try await Self.launch(store, "phone")
            let shown = try await Handset(store, "phone").openStore()
            let kept = try await shown.tap(Products.fishing, expecting: .openApp)
            _ = try await phone.intents(Products.fishing)
            let lost = try await shown.tap(Products.beaches, expecting: .openApp)
            _ = try await phone.intents(Products.fishing, Products.beaches)
            // Each launch is told of both until they are deferred (I1).
            for _ in 0..<2 {
                await phone.kill()
                phone = try await Self.launch(store, "phone")
                _ = try await phone.intents(Products.fishing, Products.beaches)
            }
            let fishing = try #require(phone.seen.intents.first)
            for identifier in [kept, lost] {
                try await eventually("the time to answer is over", within: .seconds(30)) {
                    try await Self.intent(identifier, in: store).state == .deferred
                }
                #expect(try await Self.intent(identifier, in: store).deferredBy == .timeout)
            }
            #expect(try await Self.records(in: store).isEmpty)

            // The onboarding is over. An iterator that begins now has both, too.
            phone.iterateIntents()
            _ = try await phone.intents(Products.fishing, Products.beaches, Products.fishing, Products.beaches)
            try await Self.expectContinued(kept, as: try await Self.buy(fishing.product, on: phone), in: store)
            let again = try await Self.record(of: try await Self.buy(fishing.product, on: phone), in: store)
            #expect(again.payment.intentIdentifier == nil)
            try await Self.expectCharges(2, in: store)

            // A deferred one is not told to another launch, which reads it as StoreKit 1's payment.
            await phone.kill()
            phone = try await Self.launch(store, "phone")
            _ = try await shown.tap(Products.pro, expecting: .openApp)
            _ = try await phone.intents(Products.pro)
            let saved = try await phone.queue.deferredStorePayments()
            #expect(saved.map(\.payment.productIdentifier) == [Products.beaches])
            phone.queue.add(try #require(saved.first).payment)
            try await eventually("the saved payment continues it", within: .seconds(30)) {
                try await Self.intent(lost, in: store).transactionId != nil
            }
            try await Self.expectCharges(3, in: store)
        }
    }

    @Test func `M81, M85: a new purchase leaves it open, and after a day it has expired and charges nothing`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            let phone = try await Self.launch(store, "phone")
            let shown = try await Handset(store, "phone").openStore()
            let identifier = try await shown.tap(Products.fishing, expecting: .openApp)
            let intent = try #require(try await phone.intents(Products.fishing).last)
            let new = try await Self.record(
                of: try await Self.buy(try await phone.product(Products.fishing), on: phone), in: store)
            #expect(new.payment.intentIdentifier == nil)
            #expect(try await !Self.intent(identifier, in: store).state.isFinal)
            try await eventually("a day has passed", within: .seconds(40)) {
                try await store.must(
                    .POST, "\(StoreStack.appPath)/clock/advance", key: "advance", .object(["by": "PT25H"])
                ).status == 200
            }
            #expect(try await Self.intent(identifier, in: store).state == .expired)
            let late = await Self.refusal { _ = try await Self.buy(intent.product, on: phone) }
            #expect(late == "intentExpired")
            try await Self.expectCharges(1, in: store)

            // From then on the product is one as any other, and no iterator of this run has the intent.
            let later = try await Self.record(of: try await Self.buy(intent.product, on: phone), in: store)
            #expect(later.payment.intentIdentifier == nil)
            try await Self.expectCharges(2, in: store)
            phone.iterateIntents()
            _ = try await shown.tap(Products.beaches, expecting: .openApp)
            _ = try await phone.intents(Products.fishing, Products.beaches, Products.beaches)
        }
    }

    @Test func `M84, M85: what the customer has is cancelled, with feedback and without, or costs nothing`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            let phone = try await Self.launch(store, "phone")
            let owned = try await Self.buy(try await phone.product(Products.beaches), on: phone)
            await phone.run { await owned.finish() }
            let shown = try await Handset(store, "phone").openStore()
            var told: [String] = []
            for feedback in ["You have the beaches already.", nil] {
                let identifier = try await shown.tap(Products.beaches, expecting: .openApp)
                told.append(Products.beaches)
                let intent = try #require(try await phone.intents(told).last)
                let entitlement = await intent.product.currentEntitlement
                #expect(entitlement?.unsafePayloadValue.id == owned.id)
                try await intent.cancel(feedback: feedback)
                let listed = try await Self.intent(identifier, in: store)
                #expect(listed.state == .cancelled)
                #expect(listed.feedback == feedback)
                #expect((listed.warning == nil) == (feedback != nil), "without a word it looks like a fault")
                let late = await Self.refusal { _ = try await Self.buy(intent.product, on: phone) }
                #expect(late == "intentDecided")
            }
            // An app that does not look finds out that the customer has it.
            let identifier = try await shown.tap(Products.beaches, expecting: .openApp)
            told.append(Products.beaches)
            let intent = try #require(try await phone.intents(told).last)
            #expect(try await Self.buy(intent.product, on: phone).id == owned.id)
            #expect(try await Self.intent(identifier, in: store).state == .continued)
            try await Self.expectCharges(1, in: store)
        }
    }

    @Test func `M78: what is not for sale any more is not bought, nor later by the intent`() async throws {
        try await StoreStack.runIsolated { store in
            let phone = try await Self.launch(store, "phone")
            let shown = try await Handset(store, "phone").openStore()
            let identifier = try await shown.tap(Products.fishing, expecting: .openApp)
            let intent = try #require(try await phone.intents(Products.fishing).last)
            try await store.putApp(["agreementsActive": false])
            let refusal = await Self.refusal { _ = try await Self.buy(intent.product, on: phone) }
            #expect(refusal == "productUnavailable")
            #expect(try await Ledger.charges(of: store).isEmpty)
            // That was the intent's payment (I3).
            #expect(try await Self.intent(identifier, in: store).state == .continued)
            try await store.putApp(["agreementsActive": true])
            let bought = try await Self.buy(intent.product, on: phone)
            #expect(try await Self.record(of: bought, in: store).payment.intentIdentifier == nil)
            try await Self.expectCharges(1, in: store)
        }
    }

    // MARK: The app on the device

    @Test(arguments: [false, true])
    func `M72, M73, I6: an app that is missing, or to be bought, is told at its first launch`(
        costs: Bool
    ) async throws {
        try await StoreStack.runIsolated { store in
            if costs {
                try await store.putApp(["appPrice": .object(["amount": "4.99", "currency": "USD"])])
            }
            let shown = try await Handset(store, "phone").openStore()
            let identifier = try await shown.tap(Products.beaches, expecting: costs ? .promptBuyApp : .downloading)
            if costs {
                let prompt = try #require(try await store.prompts(of: "alice").first { $0.kind == .appPurchase })
                try await store.answer(prompt, "approve")
            }
            let phone = try await Self.launch(store, "phone")
            let intent = try #require(try await phone.intents(Products.beaches).last)
            try await Self.expectContinued(identifier, as: try await Self.buy(intent.product, on: phone), in: store)
        }
    }

    @Test func `M77: an app that does not run is told at its next launch`() async throws {
        try await StoreStack.runIsolated { store in
            try await Self.launch(store, "phone").kill()
            let shown = try await Handset(store, "phone").openStore()
            _ = try await shown.tap(Products.beaches, expecting: .openApp)
            _ = try await shown.tap(Products.fishing, expecting: .openApp)
            let phone = try await Self.launch(store, "phone")
            _ = try await phone.intents(Products.beaches, Products.fishing)
        }
    }

    @Test func `M69, M75: an old version is upgraded first, and an app has to iterate the intents`() async throws {
        try await StoreStack.runIsolated { store in
            try await store.putApp(["currentVersion": "2.0", "promotionsSupportedSince": "1.10"])
            let old = try await Self.launch(store, "phone") { $0.appVersion = "1.9" }
            let shown = try await Handset(store, "phone").openStore()
            _ = try await shown.tap(Products.beaches, expecting: .promptUpgrade)
            try await store.must(
                .POST, "\(StoreStack.appPath)/purchases", key: "outside",
                .object(["account": "alice", "productIdentifier": .string(Products.fishing)]))
            try await eventually("its stream is alive") { old.seen.updates.count == 1 }
            #expect(old.seen.intents.isEmpty)
            await old.kill()
            let new = try await Self.launch(store, "phone") { $0.appVersion = "2.0" }
            _ = try await new.intents(Products.beaches)

            let tablet = try await Self.launch(store, "tablet", iteratesIntents: false) { $0.appVersion = "2.0" }
            let onTablet = try await Handset(store, "tablet").openStore()
            _ = try await onTablet.tap(Products.beaches, expecting: .promptUpgrade)
            #expect(tablet.seen.intents.isEmpty)
            tablet.iterateIntents()
            _ = try await tablet.intents(Products.beaches)
        }
    }

    @Test(arguments: [(StoreConnection.Platform.iOS, "10.3.4"), (.iOSAppOnVisionOS, "26.0")])
    func `M58, M71: a device without promotions sets none, shows none and begins no purchase`(
        platform: StoreConnection.Platform, version: String
    ) async throws {
        try await StoreStack.runIsolated { store in
            let app = try StoreKit2Witness(store, account: "alice", device: "phone", iteratesIntents: false) {
                ($0.platform, $0.osVersion) = (platform, version)
            }
            let calls: [() async throws -> Void] = [
                { _ = try await Product.PromotionInfo.currentOrder },
                { try await Product.PromotionInfo.updateProductOrder(byID: [Products.beaches]) },
                { try await Product.PromotionInfo.updateProductVisibility(.hidden, for: Products.beaches) },
                { try await Product.PromotionInfo.updateAll([]) },
            ]
            for call in calls {
                let refusal = await Self.refusal { try await app.run(call) }
                #expect(refusal == "unsupported")
            }
            let handset = Handset(store, "phone", platform: platform.rawValue, osVersion: version)
            let shown = try await handset.openStore()
            #expect(try await shown.page().products.isEmpty)
            #expect(try await shown.tap(Products.beaches).code == "promotionUnsupported")
            #expect(try await store.intents(of: "alice").isEmpty)
        }
    }

    @Test func `M59, M61: a system without PurchaseIntent has promotions, and the app asks the connection`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            var isAvailable: [Bool] = []
            for (device, version) in [("old", "16.3.1"), ("new", "16.4")] {
                let app = try StoreKit2Witness(store, account: "alice", device: device, iteratesIntents: false) {
                    $0.osVersion = version
                    isAvailable.append($0.isPurchaseIntentAvailable)
                }
                try await app.run { try await Product.PromotionInfo.updateProductOrder(byID: [Products.pro]) }
                let shown = try await Handset(store, device, osVersion: version).openStore()
                #expect(try await shown.page().products.first == Products.pro)
            }
            #expect(isAvailable == [false, true])
        }
    }

    @Test func `M60: a purchase goes to the way of the latest launch, and an observer without the method has none`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            let shown = try await Handset(store, "phone").openStore()
            // The version before has StoreKit 1's method, and the next one iterates beside an observer without it.
            let before = try await Self.launch(store, "phone", iteratesIntents: false)
            let delegate = DelegateWitness()
            before.queue.add(delegate)
            try await Self.waitUntilLaunched("phone", .delegate, in: store)
            let deferred = try await shown.tap(Products.fishing, expecting: .openApp)
            try await eventually("the delegate has deferred it", within: .seconds(30)) {
                try await Self.intent(deferred, in: store).deferredBy == .answer
            }
            #expect(delegate.asked == [Products.fishing])
            before.queue.remove(delegate)
            await before.kill()

            let phone = try await Self.launch(store, "phone", iteratesIntents: false)
            let observer = ObserverWitness()
            phone.queue.add(observer)
            phone.iterateIntents()
            try await Self.waitUntilLaunched("phone", .purchaseIntent, in: store)
            let identifier = try await shown.tap(Products.beaches, expecting: .openApp)
            let intent = try #require(try await phone.intents(Products.beaches).last)
            let bought = try await Self.buy(intent.product, on: phone)
            try await Self.expectContinued(identifier, as: bought, in: store)
            try await eventually("the observer has the transaction") {
                observer.transactions.last?.transactionState == .purchased
            }
            #expect(Set(observer.transactions.map(\.payment.productIdentifier)) == [Products.beaches])
            #expect(delegate.asked == [Products.fishing])
            #expect(phone.seen.updates.isEmpty)
            try await Self.expectCharges(1, in: store)
        }
    }

    // MARK: Test links

    @Test func `M106–M109: a test link opens the app, which buys what is not available yet`() async throws {
        try await StoreStack.runIsolated { store in
            let coming = "com.example.coming"
            try await store.importProducts([
                .object([
                    "productID": .string(coming), "type": "NonConsumable", "referenceName": "Coming",
                    "displayPrice": "1.99", "state": "waitingForReview",
                ])
            ])
            try await store.putApp(["released": false])
            let openings = Locked(0)
            let phone = try await Self.launch(store, "phone") { connection in
                connection.bringToFront = { openings.withLock { $0 += 1 } }
            }
            let shown = try await Handset(store, "phone").openStore()
            #expect(try await shown.page().products.isEmpty)
            #expect(try await shown.tap(coming).code == "productNotPromotable")
            let products = try await phone.run { try await Product.products(for: [coming]) }
            #expect(products.isEmpty)

            let link = try await store.must(.GET, "\(StoreStack.appPath)/products/\(coming)/test-url").text
            #expect(link == ScenarioTestURLTests.url(of: coming))
            let first = try AppStoreApp.intent(try await shown.open(link), expecting: .openApp)
            let intent = try #require(try await phone.intents(coming).last)
            try await Self.expectContinued(first, as: try await Self.buy(intent.product, on: phone), in: store)
            try await Self.expectCharges(1, in: store)
            // The stream is open now, so the link opens the app.
            let before = openings.withLock { $0 }
            _ = try AppStoreApp.intent(try await shown.open(link), expecting: .openApp)
            _ = try await phone.intents(coming, coming)
            let after = openings.withLock { $0 }
            #expect(after == before + 1)
        }
    }
}

/// An app's delegate method of StoreKit 1, which defers.
private final class DelegateWitness: NSObject, SKPaymentTransactionObserver, Sendable {
    private let products = Locked<[String]>([])

    var asked: [String] { products.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
        products.withLock { $0.append(product.productIdentifier) }
        return false
    }
}

/// An observer without the delegate method.
private final class ObserverWitness: NSObject, SKPaymentTransactionObserver, Sendable {
    private let seen = Locked<[SKPaymentTransaction]>([])

    var transactions: [SKPaymentTransaction] { seen.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        seen.withLock { $0 += transactions }
    }
}
