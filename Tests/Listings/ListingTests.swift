import Foundation
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

/// Goal: each listing of the documents this store is made after, cut from their own text, compiles and does what the
/// text around it says. Method: `scripts/cut-listings` puts the listings into an app's classes; the app runs through
/// `SKPaymentQueue.default()` against a store of real processes. A process has one such queue, so one test follows
/// another.
@Suite(.serialized, .process, .liveStore) struct ListingTests {
    static let beaches = "com.example.hiddenBeaches"
    static let fishing = "com.example.fishingHotSpots"
    static let pro = "com.example.pro.monthly"

    /// The documents that have listings L1 to L6.
    enum Edition: CaseIterable {
        case s0, s1, s2

        var continuing: any JournalingObserver {
            switch self {
            case .s0: S0.L1()
            case .s1: S1.L1()
            case .s2: S2.L1()
            }
        }

        var deferring: any DeferringObserver {
            switch self {
            case .s0: S0.L2()
            case .s1: S1.L2()
            case .s2: S2.L2()
            }
        }

        func promotions(_ beaches: SKProduct, _ pro: SKProduct, _ fishing: SKProduct) -> any PromotionListings {
            switch self {
            case .s0: S0.Promotions(hiddenBeaches: beaches, proSubscription: pro, fishingHotSpots: fishing)
            case .s1: S1.Promotions(hiddenBeaches: beaches, proSubscription: pro, fishingHotSpots: fishing)
            case .s2: S2.Promotions(hiddenBeaches: beaches, proSubscription: pro, fishingHotSpots: fishing)
            }
        }
    }

    /// The suite's store.
    var store: StoreProcess {
        get throws { try #require(LiveStore.process) }
    }

    var queue: SKPaymentQueue { .default() }

    /// Runs `body` while an observer is registered; then the queue is empty.
    func observed(by observer: any JournalingObserver, _ body: () async throws -> Void) async throws {
        queue.add(observer)
        defer { queue.remove(observer) }
        try await body()
        let unfinished = queue.transactions
        #expect(unfinished.isEmpty, "left unfinished: \(unfinished)")
    }

    /// Waits until a product's purchase has arrived, and finishes it.
    func finish(_ product: String, in journal: Journal) async throws {
        try await eventually("\(product) is purchased") { journal.states(of: product).last == .purchased }
        let transaction = try #require(journal.transactions.last { $0.payment.productIdentifier == product })
        queue.finishTransaction(transaction)
        try await eventually("it has left the queue") { !queue.transactions.contains(transaction) }
    }

    @Test(arguments: Edition.allCases)
    func `L1, M78: a purchase that begins in the store is continued`(_ edition: Edition) async throws {
        let observer = edition.continuing
        try await observed(by: observer) {
            let intent = try await store.tap(Self.fishing)
            try await finish(Self.fishing, in: observer.journal)
            #expect(observer.journal.states(of: Self.fishing) == [.purchasing, .purchased])
            try await eventually("the store knows") { try await store.state(ofIntent: intent) == "continued" }
        }
    }

    @Test(arguments: Edition.allCases)
    func `L2, M79 to M84: a purchase is deferred and continued later, once; another is cancelled`(
        _ edition: Edition
    ) async throws {
        let observer = edition.deferring
        try await observed(by: observer) {
            observer.isOnboarding = true
            let deferred = try await store.tap(Self.fishing)
            try await eventually("it is deferred") { try await store.state(ofIntent: deferred) == "deferred" }
            #expect(observer.journal.transactions.isEmpty)
            observer.isOnboarding = false
            observer.onboardingIsOver()
            try await finish(Self.fishing, in: observer.journal)
            #expect(observer.journal.states(of: Self.fishing) == [.purchasing, .purchased])
            #expect(try await store.state(ofIntent: deferred) == "continued")

            observer.unlocked = [Self.fishing]
            let cancelled = try await store.tap(Self.fishing)
            // The delegate's false says no more: until the app says that it cancels, the store keeps the purchase.
            try await eventually("it is not bought") { try await store.state(ofIntent: cancelled) == "deferred" }
            #expect(observer.journal.states(of: Self.fishing) == [.purchasing, .purchased])
            try await store.storebus(["intent", "cancel", cancelled, "--feedback", "You have this already."])
        }
    }

    @Test(arguments: Edition.allCases)
    func `L3, M87, M88: the visibility of a promoted product is read`(_ edition: Edition) async throws {
        let promotions = try await promotions(edition)
        let route = "/v1/promotions/visibility/{productIdentifier}"
        let before = try await store.requestCount("GET", route)
        promotions.readVisibility()
        try await eventually("the store was asked") { try await store.requestCount("GET", route) == before + 1 }
        // What the listing's handler was given is what the same question is answered with now.
        let visibility = try await SKProductStorePromotionController.default().fetchStorePromotionVisibility(
            for: product(Self.beaches))
        #expect(visibility == .default)
    }

    @Test(arguments: Edition.allCases)
    func `L4, M90: a promoted product is hidden on this device`(_ edition: Edition) async throws {
        let promotions = try await promotions(edition)
        promotions.hide()
        try await eventually("the device has it") {
            try await store.promotionsOfDevice().contains("visibility", "hide", of: Self.pro)
        }
        try await store.storebus(["promo", "default", "--device", LiveStore.device])
    }

    @Test(arguments: Edition.allCases)
    func `L5, L6, M97, M101: the order of promoted products is overridden, and read`(_ edition: Edition) async throws {
        let promotions = try await promotions(edition)
        promotions.overrideOrder()
        let order = [Self.beaches, Self.pro, Self.fishing]
        let controller = SKProductStorePromotionController.default()
        try await eventually("the device has it") {
            let products = try await controller.fetchStorePromotionOrder()
            return products.map(\.productIdentifier) == order
        }
        let route = "/v1/promotions/order"
        let before = try await store.requestCount("GET", route)
        promotions.readOrder()
        try await eventually("the store was asked") { try await store.requestCount("GET", route) == before + 1 }
        try await store.storebus(["promo", "default", "--device", LiveStore.device])
        #expect(try await controller.fetchStorePromotionOrder().isEmpty)
    }

    @Test func `L15, M106: the test link opens the app, which continues the purchase`() async throws {
        let observer = S1.L1()
        try await observed(by: observer) {
            _ = try await store.tap(testURL)
            try await finish("product_name", in: observer.journal)
        }
    }

    private func promotions(_ edition: Edition) async throws -> any PromotionListings {
        try await edition.promotions(product(Self.beaches), product(Self.pro), product(Self.fishing))
    }

    /// What the sample app has fetched of a product.
    func product(_ identifier: String) async throws -> SKProduct {
        try await fetchProducts()
        return try #require(StoreManager.shared.availableProducts.first { $0.productIdentifier == identifier })
    }

    /// Has the sample app ask for what it sells, and for an unknown identifier.
    func fetchProducts() async throws {
        let manager = StoreManager.shared
        let before = manager.finishedRequests.words.count
        manager.startProductRequest(with: [Self.beaches, Self.fishing, Self.pro, "product_name", "no.such.product"])
        try await eventually("the products are there") { manager.finishedRequests.words.count > before }
        #expect(manager.finishedRequests.words.last == "finished")
    }
}

extension JSONValue {
    /// Whether somewhere in it is an object of `product` whose `member` is `value`.
    fileprivate func contains(_ member: String, _ value: String, of product: String) -> Bool {
        switch self {
        case .array(let values): values.contains { $0.contains(member, value, of: product) }
        case .object(let members):
            members.values.contains(.string(product)) && members[member] == .string(value)
                || members.values.contains { $0.contains(member, value, of: product) }
        default: false
        }
    }
}
