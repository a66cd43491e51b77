import Guides
import StoreKitTesting
import Testing

@Suite(.store("App.storekit"), .timeLimit(.minutes(3))) @MainActor struct GuideMembershipTests {
    private let session: SKTestSession

    init() throws { session = try .current }

    @Test func `the first week is free, then Pro renews until the customer cancels`() async throws {
        let store = try await launch()
        let product = try store.product(monthly)
        #expect(store.priceText(of: product) == "free for 1 week, then $9.99 a month")
        try await store.buy(product)
        #expect(store.membership?.transaction.offer?.type == .introductory)
        #expect(store.priceText(of: product) == "$9.99 a month")

        try session.clock.advance(by: .days(8))
        await store.waits { $0.membership?.transaction.reason == .renewal }
        #expect(store.membership?.isActive == true && store.membership?.transaction.offer == nil)
        let paid = try #require(store.membership?.transaction)
        try session.disableAutoRenewForTransaction(identifier: UInt(paid.id))
        await store.waits { $0.membership?.renewal.willAutoRenew == false }
        #expect(store.owned == [monthly])

        try session.clock.advance(by: .days(31))
        await store.waits { $0.membership?.state == .expired && $0.owned.isEmpty }
        #expect(store.membership?.renewal.expirationReason == .autoRenewDisabled)
    }

    @Test func `a customer who cannot pay has Pro in the grace period, and again after paying`() async throws {
        let store = try await launch()
        try await store.buy(store.product(monthly))
        session.shouldEnterBillingRetryOnRenewal = true
        try session.clock.advance(by: .days(8))
        await store.waits { $0.membership?.state == .inGracePeriod && !$0.messages.isEmpty }
        #expect(store.membership?.isActive == true && store.owned == [monthly])
        #expect(store.messages.map(\.reason) == [.billingIssue])

        try session.clock.advance(by: .days(20))
        await store.waits { $0.membership?.state == .inBillingRetryPeriod && $0.owned.isEmpty }
        #expect(store.membership?.isActive == false)

        session.shouldEnterBillingRetryOnRenewal = false
        try session.clock.advance(by: .days(20))
        await store.waits { $0.membership?.state == .subscribed && $0.owned == [monthly] }
    }

    @Test func `a former subscriber comes back with an offer of the App Store`() async throws {
        let store = try await launch()
        try await store.buy(store.product(monthly))
        try session.clock.advance(by: .days(60))
        await store.waits { $0.membership?.transaction.reason == .renewal }
        #expect(store.winBack == nil)
        try session.expireSubscription(productIdentifier: monthly)
        await store.waits { $0.winBack?.offer.id == "back.free.month" }
        let (product, offer) = try #require(store.winBack)
        try await store.buy(product, options: [.winBackOffer(offer)])
        #expect(store.membership?.isActive == true && store.membership?.transaction.offer?.type == .winBack)
    }

    @Test func `a former subscriber comes back with an offer that the app's server signs`() async throws {
        let store = try await launch { [session] in try session.signPromotionalOffer($0, productIdentifier: $1) }
        let product = try store.product(monthly)
        let offer = try #require(product.subscription?.promotionalOffers.first)
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
            try await store.buy(product, promotional: offer)
        }
        try await store.buy(product)
        try session.expireSubscription(productIdentifier: monthly)
        await store.waits { $0.membership?.isActive == false }
        try await store.buy(product, promotional: offer)
        #expect(store.membership?.isActive == true && store.membership?.transaction.offer?.id == "loyal")
    }

    @Test func `a higher price is put to the customer when the app is ready`() async throws {
        let store = try await launch()
        try await store.buy(store.product(monthly))
        let transaction = try #require(session.allTransactions().first)
        try session.requestPriceIncreaseConsentForTransaction(identifier: transaction.identifier)
        await store.waits { $0.membership?.renewal.priceIncreaseStatus == .pending && !$0.messages.isEmpty }
        #expect(store.messages.map(\.reason) == [.priceIncreaseConsent])
        store.showMessages(in: NSObject())
        try session.consentToPriceIncreaseForTransaction(identifier: transaction.identifier)
        await store.waits { $0.membership?.renewal.priceIncreaseStatus == .agreed }
        #expect(store.messages.isEmpty)
    }
}
