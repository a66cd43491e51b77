import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: StoreKit 2's way of handling promoted purchases, beside an observer without the delegate method.
@Suite struct PurchaseIntentTests {
    private func declared(_ gateway: FakeGateway) -> [String?] {
        gateway.requests("POST /v1/sessions").map { $0.json["promotedPurchases"]?.stringValue }
    }

    /// Takes purchases as they come until it is cancelled.
    private func watch(
        _ queue: SKPaymentQueue, _ body: @escaping @Sendable (PurchaseIntent) async -> Void
    ) -> Task<Void, Never> {
        Task { for await intent in PurchaseIntent.intents(of: queue) { await body(intent) } }
    }

    @Test func `M59, M65: a purchase that began in the store is purchased, and comes to the observer`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let (seen, outcomes) = (LockedValue<[PurchaseIntent]>([]), LockedValue<[Bool]>([]))
        let watching = watch(queue) { intent in
            seen.withLock { $0.append(intent) }
            // Twice is once (I3).
            for _ in 0..<2 {
                let isPurchased = (try? await intent.purchase()) != nil
                outcomes.withLock { $0.append(isPurchased) }
            }
        }
        try await eventually("the stream is open") { store.gateway.requests("GET /v1/transactions/stream").count == 1 }
        #expect(declared(store.gateway) == ["purchaseIntent"])
        let observer = RecordingObserver()
        queue.add(observer)
        store.tap(try .sample("i1"))
        try await eventually("it is purchased") { observer.states.contains(.purchased) }
        try await eventually("both were answered") { outcomes.withLock { $0.count } == 2 }
        #expect(outcomes.withLock { $0 } == [true, true])
        #expect(observer.states == [.purchasing, .purchased])
        #expect(store.decisions() == ["continue", "continue"])
        let intent = try #require(seen.withLock { $0.first })
        #expect(intent.id == "com.example.hiddenBeaches" && intent.product.id == intent.id)
        #expect(intent.offer == nil)
        // No task iterates any more: the next launch says so.
        watching.cancel()
        try await eventually("it is launched again") { declared(store.gateway) == ["purchaseIntent", "none"] }
    }

    @Test func `what waits for an answer is delivered to a later iteration, once each`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let (first, second) = (LockedValue<[PurchaseIntent]>([]), LockedValue<[PurchaseIntent]>([]))
        let one = watch(queue) { intent in first.withLock { $0.append(intent) } }
        for id in ["i1", "i2", "i1"] { store.tap(try .sample(id)) }
        try await eventually("both are told") { first.withLock { $0.count } == 2 }
        try await first.withLock { $0[0] }.cancel(feedback: "Not today.")
        #expect(store.decisions() == ["cancel"])
        let two = watch(queue) { intent in second.withLock { $0.append(intent) } }
        try await eventually("the other one is told") { second.withLock { $0.count } == 1 }
        #expect(second.withLock { $0 } == [first.withLock { $0[1] }])
        #expect(store.gateway.requests("GET /v1/transactions/stream").count == 1)
        for task in [one, two] { task.cancel() }
        try await eventually("the stream is closed") { store.stream.isClosed }
    }

    @Test func `one that expired before it was purchased says so`() async throws {
        let store = try FakePromotions()
        store.gateway.on("POST /v1/intents/*/decision") { _ in .problem(.intentExpired, "it has expired") }
        let queue = store.gateway.queue()
        let codes = LockedValue<[String?]>([])
        let watching = watch(queue) { intent in
            do {
                try await intent.purchase()
                codes.withLock { $0.append(nil) }
            } catch {
                codes.withLock { $0.append(((error as? SKError)?.underlying as? StoreProblem)?.code) }
            }
        }
        store.tap(try .sample("i1"))
        try await eventually("it is refused") { codes.withLock { $0 } == ["intentExpired"] }
        watching.cancel()
    }

    @Test func `M60: both ways at once are a programming error, whichever comes second`() async throws {
        let delegateFirst = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            let queue = SKPaymentQueue(connection: connection)
            let observer = AskedObserver { _, _ in true }
            queue.add(observer)
            _ = PurchaseIntent.intents(of: queue).makeAsyncIterator()
        }
        let intentsFirst = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            let queue = SKPaymentQueue(connection: connection)
            let iterator = PurchaseIntent.intents(of: queue).makeAsyncIterator()
            let observer = AskedObserver { _, _ in true }
            queue.add(observer)
            withExtendedLifetime(iterator) {}
        }
        for end in [delegateFirst, intentsFirst] {
            let said = String(decoding: try #require(end).standardErrorContent, as: UTF8.self)
            #expect(said.contains("never by both"), "\(said)")
        }
    }

    @Test func `M60: an observer that is gone prevents nothing`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        do { queue.add(AskedObserver { _, _ in true }) }
        let watching = watch(queue) { intent in try? await intent.purchase() }
        store.tap(try .sample("i1"))
        try await eventually("it is continued") { store.decisions() == ["continue"] }
        #expect(declared(store.gateway).last == "purchaseIntent")
        watching.cancel()
    }

    @Test func `M59, M61: on an older system the app handles them with the delegate method`() async throws {
        #expect(connection(.iOS, "16.4").isPurchaseIntentAvailable)
        #expect(!connection(.iOS, "16.3").isPurchaseIntentAvailable)
        #expect(!connection(.watchOS, "11.0").isPurchaseIntentAvailable)
        #expect(!connection(.iOSAppOnVisionOS, "2.0").isPurchaseIntentAvailable)
        for (version, expected) in [("16.3", "delegate"), ("17.4", "purchaseIntent")] {
            let store = try FakePromotions()
            var connection = store.gateway.connection()
            (connection.platform, connection.osVersion) = (.iOS, version)
            let queue = SKPaymentQueue(connection: connection, timing: .quick)
            let observer = AskedObserver { _, _ in true }
            var watching: Task<Void, Never>?
            if connection.isPurchaseIntentAvailable {
                watching = watch(queue) { intent in try? await intent.purchase() }
            } else {
                queue.add(observer)
            }
            store.tap(try .sample("i1"))
            try await eventually("it is continued") { store.decisions() == ["continue"] }
            #expect(declared(store.gateway) == [expected])
            watching?.cancel()
        }
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            (connection.platform, connection.osVersion) = (.iOS, "16.3")
            let queue = SKPaymentQueue(connection: connection)
            _ = PurchaseIntent.intents(of: queue).makeAsyncIterator()
        }
        let said = String(decoding: try #require(end).standardErrorContent, as: UTF8.self)
        #expect(said.contains("needs iOS 16.4 or later"), "\(said)")
    }

    private func connection(_ platform: StoreConnection.Platform, _ version: String) -> StoreConnection {
        StoreConnection(
            gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a", platform: platform,
            osVersion: version)
    }
}
