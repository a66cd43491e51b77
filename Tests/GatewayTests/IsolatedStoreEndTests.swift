import Cryptography
import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge
@testable import OperatorAPI

/// Goal: an isolated store refuses every key before it has its own, and after its end.
@Suite struct IsolatedStoreEndTests {
    private static let inside = IsolatedApp(shownBundleId: Sample.bundleId, number: 1, seed: 42).bundleId
    private let admin = Sample.adminKey

    /// Asks for a store that lasts ten minutes.
    private func make(_ store: GatewayHarness) async throws -> Answer {
        try await store.send(
            .POST, "/admin/v1/stores", token: admin,
            body: #"{"from":{"bundleId":"com.example.app"},"seed":42,"ttl":"10m"}"#)
    }

    private func states(_ store: GatewayHarness) async throws -> [IsolatedStore.State] {
        try await store.send(.GET, "/admin/v1/stores", token: admin).decode(IsolatedStoresResponse.self).stores
            .map(\.state)
    }

    private func remover(_ store: GatewayHarness) -> StoreRemover {
        StoreRemover(stores: store.gateway.stores, services: store.gateway.parts.services)
    }

    @Test func `a store whose key cannot be made is closed`() async throws {
        try await GatewayHarness.run { store in
            store.appStore.service.goAway()
            let refused = try await make(store)
            #expect(refused.status == 503, "\(refused.text)")
            #expect(refused.code == "serviceUnavailable")
            #expect(try await states(store) == [.removing])
            store.appStore.service.comeBack()
            let clock = "/s/t-1/admin/v1/apps/com.example.app/clock"
            #expect(try await store.send(.GET, clock, token: admin).status == 404)
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await states(store).isEmpty)
            #expect(store.catalog.contents.withLock { $0.apps.keys.sorted() } == [Sample.bundleId])
            #expect(try await store.apple.list(Self.inside).isEmpty)
            // A number is given once.
            #expect(try await make(store).decode(IsolatedStoreResponse.self).store == "t-2")
        }
    }

    @Test func `an ended store's key is refused before the store is removed`() async throws {
        try await GatewayHarness.run { store in
            let now = Timestamp.wallClock()
            store.moveClock(to: now)
            let made = try await make(store).decode(IsolatedStoreResponse.self)
            let ordinary = try await store.serverToken(at: now)
            var token = ordinary
            token.header["kid"] = .string(made.keyId)
            token.key = try .init(pemRepresentation: made.privateKey)
            let api = try await store.apple.add(.api, of: Self.inside).secret
            let (transaction, history) = ("/inApps/v1/transactions/2000000004200009", "/v1/customers/alice/history")

            store.moveClock(to: now + .seconds(599))
            let open = try await store.send(.GET, transaction, token: try token.text())
            #expect(open.status == 404, "the key is good, and the store has no such transaction: \(open.text)")
            #expect(try await store.send(.GET, history, token: api).status == 404, "nor such a customer")

            store.moveClock(to: now + .seconds(600))
            let ended = try await store.send(.GET, transaction, token: try token.text())
            #expect(ended.status == 401, "\(ended.text)")
            #expect(ended.headers.first(name: "WWW-Authenticate")?.contains("its kid is not") == true)
            #expect(try await store.send(.GET, history, token: api).status == 401)
            #expect(try await states(store) == [.removing], "all of it is still there")
            #expect(try await store.apple.list(Self.inside).count == 2)
            // The installation's key goes on.
            #expect(try await store.send(.GET, transaction, token: try ordinary.text()).status == 404)
        }
    }
}
