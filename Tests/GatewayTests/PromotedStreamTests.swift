import BusClient
import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway
@testable import GatewayEdge

/// Purchases that began in the store, on the stream of the app that continues them.
@Suite struct PromotedStreamTests {
    private func intent(_ event: EventReader.Event) -> String? {
        event.json["intent"]?["intentIdentifier"]?.stringValue
    }

    private func names(_ reader: EventReader, _ count: Int) async throws -> [String] {
        var names: [String] = []
        for _ in 0..<count { names.append(try await reader.next().name) }
        return names
    }

    @Test func `what is pending comes after the transactions and before everything else (I1)`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.begin("i_2", product: Sample.hiddenBeaches)
            store.payments.commit(Sample.purchased("a"))
            store.payments.contents.withLock {
                $0.undelivered = [Restore(restoreIdentifier: "r", state: .finished, restored: 0)]
            }
            let reader = try await store.stream(try await store.session(promoted: "delegate"))
            #expect(try await reader.next().transactions == ["a:2"])
            let first = try await reader.next()
            #expect(first.name == "promotedPurchase")
            #expect(intent(first) == "i_1")
            #expect(first.seq == 1)
            #expect(first.json["intent"]?["product"]?["priceLocale"] == "en_US@currency=USD", "M76")
            #expect(first.json["intent"]?["payment"]?["intentIdentifier"] == "i_1")
            #expect(try await intent(reader.next()) == "i_2")
            #expect(
                try await names(reader, 2) == ["restoreCompletedTransactionsFinished", "synchronized"])
            let asked = store.promotions.contents.withLock { $0.deliveries }
            #expect(asked.map(\.customerIdentifier) == [FakePaymentQueue.customer])
        }
    }

    @Test func `what begins later opens the app first, at once (M65, M74)`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await store.stream(try await store.session(promoted: "purchaseIntent"))
            #expect(try await names(reader, 2) == ["updatedTransactions", "synchronized"])
            store.promotions.begin("i_1")
            let opened = try await reader.next()
            #expect(opened.name == "openApp")
            #expect(opened.json == .object(["seq": 0, "intentIdentifier": "i_1"]))
            #expect(try await intent(reader.next()) == "i_1")
        }
    }

    @Test func `a lost hint costs a second, and nothing is sent twice`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await store.stream(try await store.session(promoted: "delegate"))
            #expect(try await names(reader, 2) == ["updatedTransactions", "synchronized"])
            store.promotions.contents.withLock { $0.publishes = false }
            store.promotions.begin("i_1")
            await store.tick()
            #expect(try await names(reader, 2) == ["openApp", "promotedPurchase"])
            await store.tick()
            store.promotions.publish(1, of: Sample.installation)
            store.payments.commit(Sample.purchased("a"))
            #expect(try await reader.next().name == "updatedTransactions")
        }
    }

    @Test func `after the bus was away intents are asked for at once`() async throws {
        try await GatewayHarness.run(ticking: true) { store in
            let reader = try await store.stream(try await store.session(promoted: "delegate"))
            #expect(try await names(reader, 2) == ["updatedTransactions", "synchronized"])
            store.gatewayClient.disconnect()
            store.promotions.begin("i_1")
            store.gatewayClient.reconnect()
            #expect(try await reader.next().name == "openApp")
        }
    }

    @Test func `each stream of an installation gets it, and other devices and customers do not`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session(promoted: "delegate")
            for _ in 0..<2 {
                let reader = try await store.stream(token)
                #expect(
                    try await names(reader, 3) == ["updatedTransactions", "promotedPurchase", "synchronized"])
            }
            for token in [
                try await store.session(device: "alice-2", promoted: "delegate"),
                try await store.session(account: "bob", promoted: "delegate"),
            ] {
                let reader = try await store.stream(token)
                #expect(try await names(reader, 2) == ["updatedTransactions", "synchronized"])
            }
        }
    }

    @Test func `an app that does not handle promoted purchases is asked for none (M69)`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            let reader = try await store.stream(token)
            #expect(try await names(reader, 2) == ["updatedTransactions", "synchronized"])
            await store.tick()
            #expect(store.promotions.contents.withLock { $0.deliveries.isEmpty && $0.headsRequests.isEmpty })
        }
    }

    @Test func `without PromotionController the stream opens, says so, and tells later`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session(promoted: "delegate")
            store.promotions.goAway()
            let reader = try await store.stream(token)
            #expect(try await reader.any().name == "updatedTransactions")
            #expect(try await reader.any().text == "degraded promotions")
            #expect(try await reader.any().name == "synchronized")
            store.payments.service.goAway()
            await store.tick()
            #expect(try await reader.any().text == "degraded payments promotions")
            store.payments.service.comeBack()
            store.promotions.comeBack()
            try await eventually("PromotionController answers again") {
                await store.tick()
                return store.promotions.contents.withLock { !$0.deliveries.isEmpty }
            }
            #expect(try await names(reader, 2) == ["openApp", "promotedPurchase"])
        }
    }

    @Test func `a launch PromotionController missed is reported when the stream opens`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.goAway()
            let token = try await store.session(promoted: "delegate")
            store.promotions.comeBack()
            let reader = try await store.stream(token)
            #expect(try await names(reader, 2) == ["updatedTransactions", "synchronized"])
            let launch = try #require(store.promotions.launches.all.first)
            #expect(launch.appVersion == "1.0" && launch.osVersion == "17.0" && launch.promotedPurchases == .delegate)
        }
    }

    /// Opens a stream while PromotionController is away.
    private func streamWithout(
        _ store: GatewayHarness, _ token: String, query: String = ""
    ) async throws -> EventReader {
        let reader = try await store.stream(token, query: query)
        #expect(try await reader.any().name == "updatedTransactions")
        #expect(try await reader.any().text == "degraded promotions")
        #expect(try await reader.any().name == "synchronized")
        return reader
    }

    @Test
    func `I1 an unreported launch is reported before intents are asked for, and they come on the open stream`()
        async throws
    {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.goAway()
            let reader = try await streamWithout(store, try await store.session(promoted: "delegate"))
            await store.tick()
            store.promotions.comeBack()
            try await eventually("PromotionController is asked again") {
                await store.tick()
                return store.promotions.contents.withLock { !$0.deliveries.isEmpty }
            }
            #expect(try await reader.next().name == "openApp")
            #expect(try await intent(reader.next()) == "i_1")
            #expect(store.promotions.contents.withLock { $0.deliveriesBeforeLaunch } == 0)
            let launch = try #require(store.promotions.launches.all.first)
            #expect(launch.appVersion == "1.0" && launch.osVersion == "17.0" && launch.promotedPurchases == .delegate)
            // Once; what begins later needs no further word of it.
            store.promotions.begin("i_2")
            #expect(try await reader.next().name == "openApp")
            #expect(try await intent(reader.next()) == "i_2")
            #expect(store.promotions.launches.all.count == 1)
        }
    }

    @Test func `the launch that is reported late is the stream's own way to handle promoted purchases (M60)`()
        async throws
    {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session(promoted: "delegate")
            store.promotions.goAway()
            let reader = try await streamWithout(store, token, query: "?promotedPurchases=purchaseIntent")
            store.promotions.comeBack()
            try await eventually("PromotionController is asked again") {
                await store.tick()
                return store.promotions.contents.withLock { !$0.deliveries.isEmpty }
            }
            #expect(try await names(reader, 2) == ["openApp", "promotedPurchase"])
            #expect(store.promotions.launches.all.map(\.promotedPurchases) == [.delegate, .purchaseIntent])
        }
    }

    @Test func `a launch that cannot be reported keeps the stream open, and is tried again`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.goAway()
            let reader = try await streamWithout(store, try await store.session(promoted: "delegate"))
            store.promotions.comeBack()
            store.promotions.contents.withLock { $0.failure = StoreError(.internal, "not yet") }
            for _ in 0..<3 { await store.tick() }
            store.payments.commit(Sample.purchased("a"))
            #expect(try await reader.next().transactions == ["a:2"])
            #expect(store.promotions.launches.all.isEmpty)
            store.promotions.contents.withLock { $0.failure = nil }
            store.promotions.begin("i_1")
            try await eventually("the launch is told") {
                await store.tick()
                return store.promotions.launches.all.count == 1
            }
            #expect(try await names(reader, 2) == ["openApp", "promotedPurchase"])
        }
    }

    @Test func `a stream may handle promoted purchases in another way than the session said`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            let reader = try await store.stream(token, query: "?promotedPurchases=delegate")
            #expect(try await names(reader, 3) == ["updatedTransactions", "promotedPurchase", "synchronized"])
            #expect(store.promotions.launches.all.map(\.promotedPurchases) == [.none, .delegate])
        }
    }

    @Test func `PurchaseIntent needs a system that has it, also on a stream (M59)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session(promoted: "delegate", osVersion: "16.3")
            let answer = try await store.send(
                .GET, "/v1/transactions/stream?promotedPurchases=purchaseIntent", token: token)
            #expect(answer.status == 409)
            #expect(answer.code == "promotionUnsupported")
            #expect(answer.json["detail"]?.stringValue?.contains("16.4") == true)
            #expect(store.gateway.app.delivery.streams.isEmpty)
        }
    }

    @Test func `a new launch ends the older stream and may handle purchases in another way (M60)`() async throws {
        try await GatewayHarness.run { store in
            let before = Timestamp.wallClock()
            let old = try await store.stream(try await store.session(promoted: "delegate"))
            #expect(try await names(old, 2) == ["updatedTransactions", "synchronized"])
            try await eventually("the next millisecond") { Timestamp.wallClock() > before + .milliseconds(1) }
            let token = try await store.session(promoted: "purchaseIntent")
            #expect(try await old.next().name == "superseded")
            store.promotions.begin("i_1")
            let new = try await store.stream(token)
            #expect(try await names(new, 3) == ["updatedTransactions", "promotedPurchase", "synchronized"])
        }
    }

    @Test func `the subject of an installation is a digest of both names (S13)`() {
        let installation = AppInstallation(bundleId: Sample.bundleId, deviceId: Sample.deviceId)
        let key = Sample.key(Sample.bundleId, Sample.deviceId)
        #expect(HintSubject.intentsChanged(installation) == "sb.evt.promotion.v1.device.changed.\(key)")
    }
}
