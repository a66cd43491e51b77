import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge
@testable import OperatorAPI

/// Goal: a deleted app is closed at once, a gateway goes on with its removal, and the operator sees it.
@Suite struct AppDeletionTests {
    private static let path = "/admin/v1/apps/com.example.app"
    private let admin = Sample.adminKey

    /// A gateway's removal of apps, whose pauses are over at once.
    private func remover(
        _ store: GatewayHarness, sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) -> AppRemover {
        AppRemover(stores: store.gateway.stores, services: store.gateway.parts.services, sleep: sleep)
    }

    private func deleting(_ store: GatewayHarness) async throws -> [AppDeletion]? {
        try await store.send(.GET, "/admin/v1/apps", token: admin).decode(AppsPage.self).deleting
    }

    private func removals(_ store: GatewayHarness) -> [RemoveAppRequest] {
        store.catalog.contents.withLock { $0.removals }
    }

    private func request(_ deletion: Int64, isLast: Bool = false) -> RemoveAppRequest {
        RemoveAppRequest(bundleId: Sample.bundleId, deletion: deletion, isLast: isLast)
    }

    @Test func `the app is closed with the response, and each service removes it twice, Catalog last`() async throws {
        try await GatewayHarness.run { store in
            let begun = try await store.send(.DELETE, Self.path, token: admin)
            #expect(begun.status == 204, "\(begun.text)")
            #expect(removals(store) == [request(1)])
            #expect(try await store.send(.GET, Self.path, token: admin).status == 404)
            #expect(try await deleting(store)?.map(\.bundleId) == [Sample.bundleId])
            #expect(try await deleting(store)?.first?.problem == nil)

            let pauses = Locked<[Duration]>([])
            let timed = remover(store) { pause in pauses.withLock { $0.append(pause) } }
            #expect(try await timed.removeAll() == 1)
            let pause = pauses.withLock { $0.reduce(.zero, +) }
            #expect(pause > .milliseconds(HTTPLimits.requestTimeoutMilliseconds.upperBound))
            #expect(removals(store) == [request(1), request(1), request(1, isLast: true)])
            #expect(store.payments.contents.withLock { $0.removed } == [Sample.bundleId, Sample.bundleId])
            #expect(store.appStore.contents.withLock { $0.removed } == [Sample.bundleId, Sample.bundleId])
            #expect(try await deleting(store) == nil)
            #expect(try await store.send(.DELETE, Self.path, token: admin).status == 404)
            #expect(try await remover(store).removeAll() == 0)
        }
    }

    @Test func `a repeated request closes the app again, and the next deletion has a number of its own`()
        async throws
    {
        try await GatewayHarness.run { store in
            let app = try #require(store.catalog.contents.withLock { $0.apps[Sample.bundleId] })
            for _ in 0..<2 { #expect(try await store.send(.DELETE, Self.path, token: admin).status == 204) }
            #expect(removals(store) == [request(1), request(1)])
            #expect(try await deleting(store)?.count == 1)
            #expect(try await remover(store).removeAll() == 1)
            store.catalog.contents.withLock { $0.apps[Sample.bundleId] = app }
            #expect(try await store.send(.DELETE, Self.path, token: admin).status == 204)
            #expect(removals(store).last?.deletion ?? 0 > 1)
        }
    }

    @Test func `a new app is not said to be deleted while the deletion of its predecessor is ending`() async throws {
        try await GatewayHarness.run { store in
            let app = try #require(store.catalog.contents.withLock { $0.apps[Sample.bundleId] })
            #expect(try await AppDeletions(store.gateway.stores).begin(Sample.bundleId) == 1)
            // Catalog has had its last request, and the gateway's row is still there.
            store.catalog.contents.withLock { $0.ended = 1 }
            let early = try await store.send(.DELETE, Self.path, token: admin)
            #expect(early.status == 503, "\(early.text)")
            #expect(early.text.contains("repeat"), "\(early.text)")
            #expect(try await store.send(.GET, Self.path, token: admin).status == 200)
            #expect(try await remover(store).removeAll() == 1)
            #expect(store.catalog.contents.withLock { $0.apps[Sample.bundleId] } == app)
            #expect(try await store.send(.DELETE, Self.path, token: admin).status == 204)
            #expect(try await store.send(.GET, Self.path, token: admin).status == 404)
        }
    }

    @Test func `a service that is away delays it, the list says so, and another gateway goes on`() async throws {
        try await GatewayHarness.run { store in
            let begun = try await store.send(.DELETE, Self.path, token: admin)
            #expect(begun.status == 204, "\(begun.text)")
            store.appStore.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "it is away") }
            #expect(try await remover(store).removeAll() == 0)
            #expect(try await deleting(store)?.first?.problem == "app-store-server: it is away")
            store.appStore.contents.withLock { $0.failure = nil }
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await deleting(store) == nil)
        }
    }

    @Test func `a gateway that dies between the rounds leaves it to another, which then has it alone`() async throws {
        try await GatewayHarness.run { store in
            let now = Timestamp.wallClock()
            store.moveClock(to: now)
            let begun = try await store.send(.DELETE, Self.path, token: admin)
            #expect(begun.status == 204, "\(begun.text)")
            // The first one's pause lasts longer than its claim.
            let others = Locked<[Int]>([])
            let first = remover(store) { _ in
                guard others.withLock({ $0.isEmpty }) else { return }
                others.withLock { $0.append(-1) }
                let early = try await remover(store).removeAll()
                store.moveClock(to: now + .seconds(31))
                let late = try await remover(store).removeAll()
                others.withLock { $0 = [early, late] }
            }
            #expect(try await first.removeAll() == 0)
            #expect(others.withLock { $0 } == [0, 1])
            #expect(removals(store).filter(\.isLast).count == 1)
            #expect(try await deleting(store) == nil)
        }
    }

    @Test func `Catalog is away: the deletion has begun, and goes on when it is back`() async throws {
        try await GatewayHarness.run { store in
            let refused = try await store.send(.DELETE, "/admin/v1/apps/com.example.other", token: admin)
            #expect(refused.status == 404, "\(refused.text)")
            #expect(try await deleting(store) == nil)
            #expect(try await AppDeletions(store.gateway.stores).begin(Sample.bundleId) == 1)
            store.catalog.service.goAway()
            let away = try await store.send(.DELETE, Self.path, token: admin)
            #expect(away.status == 503, "the app is not closed: \(away.text)")
            #expect(try await remover(store).removeAll() == 0)
            store.catalog.service.comeBack()
            #expect(try await store.send(.DELETE, Self.path, token: admin).status == 204)
            #expect(removals(store) == [request(1)])
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await store.send(.GET, Self.path, token: admin).status == 404)
        }
    }

    @Test func `isolated stores of the app close with it, one that is being made does not open, others stay`()
        async throws
    {
        try await GatewayHarness.run { store in
            let body = #"{"from":{"bundleId":"com.example.app"},"seed":42}"#
            #expect(try await store.send(.POST, "/admin/v1/stores", token: admin, body: body).status == 201)
            let (stores, later) = (store.gateway.stores, Timestamp.wallClock() + .seconds(600))
            let making = try await stores.begin(Sample.bundleId, seed: 1, at: .wallClock(), until: later)
            let other = try await stores.begin("com.example.app2", seed: 1, at: .wallClock(), until: later)
            try await stores.open(other, until: later)
            let inside = try await store.send(.DELETE, "/s/t-1" + Self.path, token: admin)
            #expect(inside.status == 400, "\(inside.text)")
            #expect(inside.text.contains("t-1"))
            #expect(try await store.send(.DELETE, Self.path, token: admin).status == 204)
            await #expect(throws: StoreError.self) { try await stores.open(making, until: later) }
            let found = try await store.send(.GET, "/admin/v1/stores", token: admin).decode(IsolatedStoresResponse.self)
            #expect(found.stores.map(\.store) == ["t-1", "t-3"])
            #expect(found.stores.map(\.state) == [.removing, .open])
            #expect(try await store.send(.GET, "/s/t-1" + Self.path, token: admin).status == 404)
        }
    }
}
