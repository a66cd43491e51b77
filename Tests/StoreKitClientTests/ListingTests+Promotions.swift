import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

extension ListingTests {
    @Test func `L1, L2, M78 to M85: a promoted purchase is continued, deferred, continued later, cancelled`()
        async throws
    {
        let store = try FakePromotions(on: Self.store.get())
        let continuing = ContinuingObserver.shared
        SKPaymentQueue.default().add(continuing)
        store.tap(try .sample("i1"))
        try await eventually("it is purchased and finished") {
            store.gateway.requests("POST /v1/transactions/t-i1/finish").count == 1
        }
        #expect(store.decisions("i1") == ["continue"])
        SKPaymentQueue.default().remove(continuing)

        let onboarding = OnboardingObserver.shared
        let calls = Locked(0)
        onboarding.didPutOff = { calls.withLock { $0 += 1 } }
        onboarding.isOnboarding = true
        let stream = FakeStream.beginning()
        store.gateway.on("GET /v1/transactions/stream") { _ in .stream(stream) }
        store.gateway.on("POST /v1/payments") { .purchase("t-i2", key: $0.key ?? "", stream) }
        SKPaymentQueue.default().add(onboarding)
        store.tell(try .sample("i2"), on: stream)
        try await eventually("it is deferred") { store.decisions("i2") == ["defer"] && calls.withLock { $0 } == 1 }
        onboarding.onboardingIsOver()
        try await eventually("it is purchased and finished") {
            store.gateway.requests("POST /v1/transactions/t-i2/finish").count == 1
        }
        #expect(store.gateway.requests("POST /v1/payments").last?.json["intentIdentifier"] == "i2")

        onboarding.unlocked = ["com.example.hiddenBeaches"]
        store.tell(try .sample("i3"), on: stream)
        try await eventually("it is cancelled") { store.decisions("i3") == ["cancel"] }
        SKPaymentQueue.default().remove(onboarding)
    }

    @Test func `L3 to L6, M87, M97, M101: visibility and order of the promoted products`() async throws {
        let store = try FakePromotions(on: Self.store.get())
        let products = store.products.map { SKProduct($0) }
        let told = Locked<[String]>([])
        let promotions = StorePromotions(
            hiddenBeaches: products[0], proSubscription: products[1], fishingHotSpots: products[2]
        ) { what, error in
            told.withLock { $0.append(error.map { "\($0)" } ?? what) }
        }
        promotions.readVisibility()
        promotions.hide()
        promotions.overrideOrder()
        promotions.readOrder()
        promotions.readOrderInOlderWords()
        promotions.hideInOlderWords()
        try await eventually("all are told") { told.withLock { $0.count } == 6 }
        #expect(
            told.withLock { $0 }
                == ["visibility default", "hidden", "ordered", "order true", "order true", "hidden"])
        #expect(store.device.visibility == ["com.example.pro": .hide])
        #expect(store.device.order == ["com.example.hiddenBeaches", "com.example.pro", "com.example.fishingHotSpots"])
    }
}
