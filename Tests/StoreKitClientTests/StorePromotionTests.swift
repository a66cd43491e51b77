import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: what an app says about its promoted products is what the store has of this device, and comes back exactly.
@Suite struct StorePromotionTests {
    private let orderLine = "PUT /v1/promotions/order"

    private struct Shop {
        let store: FakePromotions
        let controller: SKProductStorePromotionController
        let beaches, pro, fishing: SKProduct

        init(_ change: (inout ClientTiming) -> Void = { _ in }) throws {
            store = try FakePromotions()
            controller = SKProductStorePromotionController(queue: store.gateway.queue { _, timing in change(&timing) })
            let products = store.products.map { SKProduct($0) }
            (beaches, pro, fishing) = (products[0], products[1], products[2])
        }
    }

    @Test func `M87, M88, M93: visibility is default, what was set, and default again`() async throws {
        let shop = try Shop()
        #expect(try await shop.controller.fetchStorePromotionVisibility(for: shop.pro) == .default)
        for visibility in [SKProductStorePromotionVisibility.hide, .show, .default] {
            try await shop.controller.update(storePromotionVisibility: visibility, for: shop.pro)
            #expect(try await shop.controller.fetchStorePromotionVisibility(for: shop.pro) == visibility)
            #expect(try await shop.controller.fetchStorePromotionVisibility(for: shop.beaches) == .default)
        }
        #expect(shop.store.device == PromotionOverrides())
    }

    @Test func `M97, M100, M101, M102: the order is empty, exactly what was set, and empty again`() async throws {
        let shop = try Shop()
        #expect(try await shop.controller.fetchStorePromotionOrder().isEmpty)
        let order = [shop.fishing, shop.beaches]
        try await shop.controller.update(storePromotionOrder: order)
        #expect(try await shop.controller.fetchStorePromotionOrder() == order)
        #expect(shop.store.device.order == order.map(\.productIdentifier))
        try await shop.controller.update(storePromotionOrder: [])
        #expect(try await shop.controller.fetchStorePromotionOrder().isEmpty)
    }

    @Test func `calls are carried out in the order they were made, also over connections that break`() async throws {
        let shop = try Shop { $0.retryTimeout = .seconds(30) }
        let asked = LockedValue(0)
        let orders = LockedValue<[[String]]>([])
        shop.store.gateway.on(orderLine) { request in
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            guard count.isMultiple(of: 3) else { return count.isMultiple(of: 2) ? .drop : .problem(.rateLimited) }
            orders.withLock { orders in
                orders.append(request.json["productIdentifiers"]?.arrayValue?.compactMap(\.stringValue) ?? [])
            }
            return .json([String: String]())
        }
        let products = [shop.beaches, shop.pro, shop.fishing]
        for product in products {
            shop.controller.update(storePromotionOrder: [product], completionHandler: nil)
        }
        try await shop.controller.update(storePromotionOrder: [])
        #expect(orders.withLock { $0 } == products.map { [$0.productIdentifier] } + [[]])
    }

    @Test func `M71, M94: what the store does not take is an SKError, with the reason beneath`() async throws {
        let shop = try Shop()
        shop.store.gateway.on(orderLine, [.problem(.promotionUnsupported), .problem(.appNeverLaunched)])
        for (code, problem) in [
            (SKError.Code.unsupportedPlatform, "promotionUnsupported"), (.unknown, "appNeverLaunched"),
        ] {
            let error = await #expect(throws: SKError.self) {
                try await shop.controller.update(storePromotionOrder: [shop.pro])
            }
            #expect(error?.code == code)
            #expect((error?.underlying as? StoreProblem)?.code == problem)
        }
        shop.store.gateway.on("GET /v1/promotions/order") { _ in .problem(.serviceUnavailable) }
        let told = LockedValue<[Int]>([])
        shop.controller.fetchStorePromotionOrder { products, error in
            told.withLock { $0.append(error == nil ? -1 : products.count) }
        }
        try await eventually("it is told") { told.withLock { $0 } == [0] }
        shop.store.gateway.stop()
        await #expect(throws: URLError.self) {
            try await shop.controller.update(storePromotionVisibility: .hide, for: shop.pro)
        }
    }

    @Test func `more calls than may wait fail at once`() async throws {
        let shop = try Shop()
        shop.store.gateway.on(orderLine) { _ in .silence }
        let failed = LockedValue(0)
        // One is being sent, and as many wait as may.
        for _ in 0..<ClientLimits.overridesMax + 3 {
            shop.controller.update(storePromotionOrder: []) { error in
                if (error as? SKError)?.code == .unknown { failed.withLock { $0 += 1 } }
            }
        }
        try await eventually("the last have failed") { failed.withLock { $0 } >= 2 }
        #expect(shop.store.gateway.requests(orderLine).count <= 1)
    }
}
