import BusClient
import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway
@testable import GatewayEdge

/// Live delivery over a real connection.
@Suite struct StreamTests {
    /// Reads the opening of a stream without unfinished transactions.
    private func open(_ store: GatewayHarness, _ token: String, query: String = "") async throws -> EventReader {
        let reader = try await store.stream(token, query: query)
        #expect(reader.status == 200)
        #expect(try await reader.next().name == "updatedTransactions")
        #expect(try await reader.next().name == "synchronized")
        return reader
    }

    @Test func `a stream begins with all unfinished, then is synchronized, then live (M17, M21)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            let token = try await store.session()
            let reader = try await store.stream(token)
            #expect(reader.headers["content-type"] == "text/event-stream")
            #expect(reader.headers["cache-control"] == "no-store")
            let first = try await reader.next()
            #expect(first.name == "updatedTransactions")
            #expect(first.transactions == ["a:2"])
            #expect(first.seq == 1)
            #expect(first.id == "1")
            #expect(try await reader.next().name == "synchronized")
            store.payments.commit(Sample.purchasing("b"))
            store.payments.commit(Sample.purchased("b"))
            #expect(try await reader.next().transactions == ["b:1"])
            #expect(try await reader.next().transactions == ["b:2"])
            _ = try await store.send(.POST, "/v1/transactions/b/finish", token: token)
            let removed = try await reader.next()
            #expect(removed.name == "removedTransactions")
            #expect(removed.transactions == ["b:2"])
            #expect(removed.seq == 4)
        }
    }

    @Test func `many unfinished come in pages, each a delivery, written as the reader drains`() async throws {
        try await GatewayHarness.run { store in
            for index in 0..<250 { store.payments.commit(Sample.purchased("t\(index)")) }
            let reader = try await store.stream(try await store.session())
            var counts: [Int] = []
            while true {
                let event = try await reader.next()
                if event.name == "synchronized" { break }
                counts.append(event.transactions.count)
            }
            #expect(counts == [100, 100, 50])
            let requests = store.payments.contents.withLock { $0.snapshotRequests }
            #expect(requests.allSatisfy { $0.countsDelivery && $0.limit == 100 })
        }
    }

    @Test func `a lost event, the last one too, is made good by the next look at the heads`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.contents.withLock { $0.publishes = false }
            store.payments.commit(Sample.purchasing("a"))
            store.payments.commit(Sample.purchased("a"))
            await store.tick()
            #expect(try await reader.next().transactions == ["a:1"])
            #expect(try await reader.next().transactions == ["a:2"])
        }
    }

    @Test func `repeated and reordered hints arrive once and in order`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.contents.withLock { $0.publishes = false }
            let changes = ["a", "b", "c"].map { store.payments.commit(Sample.purchased($0)) }
            for change in [changes[2], changes[0], changes[0], changes[1], changes[2]] {
                store.payments.publish(change)
            }
            for id in ["a", "b", "c"] { #expect(try await reader.next().transactions == ["\(id):2"]) }
            store.payments.contents.withLock { $0.publishes = true }
            store.payments.commit(Sample.purchased("d"))
            #expect(try await reader.next().transactions == ["d:2"])
        }
    }

    @Test func `a journal that no longer reaches back means a snapshot on the same stream`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.contents.withLock { $0.publishes = false }
            store.payments.commit(Sample.purchased("a"))
            store.payments.commit(Sample.purchased("b"))
            store.payments.contents.withLock { $0.pruned = 2 }
            await store.tick()
            #expect(try await reader.next().transactions == ["a:2", "b:2"])
            #expect(try await reader.next().name == "synchronized")
            #expect(store.payments.contents.withLock { $0.snapshotRequests.last?.countsDelivery } == false)
        }
    }

    @Test func `one question a second serves all streams of all customers`() async throws {
        try await GatewayHarness.run { store in
            let first = try await open(store, try await store.session(device: "alice-1"))
            let second = try await open(store, try await store.session(device: "alice-2"))
            let other = try await open(store, try await store.session(account: "bob", device: "bob-1"))
            await store.tick()
            let asked = store.payments.contents.withLock { $0.headsRequests }
            #expect(asked.count == 1)
            #expect(Set(asked.first?.map(\.customerIdentifier) ?? []) == ["c_alice", "c_bob"])
            store.payments.commit(Sample.purchased("a", device: "alice-2"))
            #expect(try await first.next().transactions == ["a:2"])
            #expect(try await second.next().transactions == ["a:2"])
            other.hangUp()
        }
    }

    @Test func `a newer launch of the installation ends the older stream`() async throws {
        try await GatewayHarness.run { store in
            let old = try await open(store, try await store.session())
            _ = try await store.session(device: "alice-2")
            let token = try await store.session()
            #expect(try await old.next().name == "superseded")
            #expect(await old.ended())
            _ = try await open(store, token)
        }
    }

    @Test func `the last launch is alive though the clock was set back meanwhile`() async throws {
        try await GatewayHarness.run { store in
            let old = try await open(store, try await store.session())
            store.moveClock(to: .wallClock() + .seconds(-3600))
            let new = try await open(store, try await store.session())
            #expect(try await old.next().name == "superseded")
            store.payments.commit(Sample.purchased("a"))
            #expect(try await new.next().transactions == ["a:2"])
        }
    }

    @Test func `a launch at another gateway ends the stream here`() async throws {
        try await GatewayHarness.run(ticking: true) { store in
            let reader = try await open(store, try await store.session())
            let opened = SessionOpened(
                Session(
                    identifier: "s_elsewhere", startedAt: .wallClock() + .seconds(-86_400), bundleId: Sample.bundleId,
                    customerIdentifier: "c_alice", account: "alice", deviceId: Sample.deviceId, client: .app,
                    storefront: "USA", platform: .iOS, promotedPurchases: .none, launchNumber: 1000))
            let elsewhere = store.bus.client(name: "gateway-2")
            try elsewhere.publish(SessionOpened.subject, body: try StoreJSON.encode(opened))
            #expect(try await reader.next().name == "superseded")
        }
    }

    @Test func `a session of the store ends nothing`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            _ = try await store.session(client: "store")
            store.payments.commit(Sample.purchased("a"))
            #expect(try await reader.next().name == "updatedTransactions")
        }
    }

    @Test func `two ways of handling promoted purchases at once are a conflict (M60)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session(promoted: "delegate")
            let reader = try await open(store, token)
            let answer = try await store.send(
                .GET, "/v1/transactions/stream?promotedPurchases=purchaseIntent", token: token)
            #expect(answer.status == 409)
            #expect(answer.code == "promotedPurchaseHandlerConflict")
            let same = try await open(store, token, query: "?promotedPurchases=delegate")
            same.hangUp()
            reader.hangUp()
            let wrong = try await store.send(.GET, "/v1/transactions/stream?promotedPurchases=both", token: token)
            #expect(wrong.status == 400)
        }
    }

    @Test func `without PaymentQueue no stream opens`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.service.goAway()
            let answer = try await store.send(.GET, "/v1/transactions/stream", token: token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
            #expect(store.gateway.app.delivery.streams.isEmpty, "nothing is left behind")
        }
    }

    @Test func `an open stream outlives PaymentQueue, and says what is missing`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.service.goAway()
            await store.tick()
            #expect(try await reader.any().text == "degraded payments")
            await store.tick(after: DeliveryLimits.commentInterval + .seconds(1))
            #expect(try await reader.any().text == "degraded payments")
            store.payments.service.comeBack()
            store.payments.contents.withLock { $0.publishes = false }
            store.payments.commit(Sample.purchased("a"))
            await store.tick()
            #expect(try await reader.next().transactions == ["a:2"])
            await store.tick(after: DeliveryLimits.commentInterval * 2 + .seconds(2))
            #expect(try await reader.any().text == "alive")
        }
    }

    @Test func `after the bus was away the heads are read at once`() async throws {
        try await GatewayHarness.run(ticking: true) { store in
            let reader = try await open(store, try await store.session())
            store.gatewayClient.disconnect()
            store.payments.commit(Sample.purchased("a"))
            store.gatewayClient.reconnect()
            #expect(try await reader.next().transactions == ["a:2"])
        }
    }

    @Test func `a reader that hangs up leaves nothing behind`() async throws {
        try await GatewayHarness.run { store in
            let before = store.bus.subscriptionCount
            let reader = try await open(store, try await store.session())
            #expect(store.bus.subscriptionCount == before + 1)
            reader.hangUp()
            try await eventually("the stream is gone") {
                store.gateway.app.delivery.streams.isEmpty && store.bus.subscriptionCount == before
            }
        }
    }

    @Test func `an installation has a bounded number of streams`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            var readers: [EventReader] = []
            for _ in 0..<DeliveryLimits.streamsPerInstallationMax { readers.append(try await open(store, token)) }
            let answer = try await store.send(.GET, "/v1/transactions/stream", token: token)
            #expect(answer.status == 429)
            #expect(answer.code == "rateLimited")
            for reader in readers { reader.hangUp() }
        }
    }

    @Test func `another device gets neither restores nor downloads (M41, M46)`() async throws {
        try await GatewayHarness.run { store in
            let mine = try await open(store, try await store.session())
            let other = try await open(store, try await store.session(device: "alice-2"))
            store.payments.end(Restore(restoreIdentifier: "r1", state: .finished, restored: 1))
            store.payments.offer("d1", length: 1)
            _ = try await store.send(.POST, "/v1/downloads/d1/start", token: try await store.session())
            store.payments.commit(Sample.purchased("a"))
            #expect(try await other.next().transactions == ["a:2"])
            #expect(try await mine.next().name == "restoreCompletedTransactionsFinished")
        }
    }

    @Test func `a download's change reaches the device's stream (M46)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let reader = try await open(store, token)
            store.payments.offer("d1", length: 7)
            _ = try await store.send(.POST, "/v1/downloads/d1/start", token: token)
            let event = try await reader.next()
            #expect(event.name == "updatedDownloads")
            #expect(event.json["downloads"]?.arrayValue?.first?["id"] == "d1")
            #expect(event.json["downloads"]?.arrayValue?.first?["state"] == "active")
        }
    }

    @Test func `within a second the heads bring what no hint announced (Q2)`() async throws {
        #expect(DeliveryLimits.headsInterval == .seconds(1))
        try await GatewayHarness.run(ticking: true) { store in
            let reader = try await open(store, try await store.session())
            store.payments.contents.withLock { $0.publishes = false }
            for id in ["a", "b"] {
                store.payments.commit(Sample.purchased(id))
                #expect(try await reader.next().transactions == ["\(id):2"])
            }
        }
    }
}
