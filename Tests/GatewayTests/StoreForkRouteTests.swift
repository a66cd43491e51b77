import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge
@testable import OperatorAPI

/// Goal: a fork or snapshot has the data of its source at one moment, and no request reaches a snapshot.
@Suite struct StoreForkRouteTests {
    private func send(
        _ store: GatewayHarness, _ path: String, _ body: String? = nil
    ) async throws -> Answer {
        try await store.send(.POST, "/admin/v1/stores\(path)", token: Sample.adminKey, body: body)
    }

    private func make(_ store: GatewayHarness) async throws {
        let made = try await send(store, "", #"{"from":{"bundleId":"com.example.app"},"seed":42}"#)
        #expect(made.status == 201, "\(made.text)")
    }

    private func list(_ store: GatewayHarness) async throws -> [IsolatedStore] {
        try await store.send(.GET, "/admin/v1/stores", token: Sample.adminKey).decode(IsolatedStoresResponse.self)
            .stores
    }

    private static let copied = CopyAppRequest(from: "com.example.app@t-1.42", to: "com.example.app@t-2.42")

    @Test func `each service copies the store, whose seed the fork has, and no clock is set`() async throws {
        try await GatewayHarness.run { store in
            try await make(store)
            let epoch = store.payments.contents.withLock { $0.subscribing.clock.epoch }
            let answer = try await send(store, "/t-1/fork")
            #expect(answer.status == 201, "\(answer.text)")
            let made = try answer.decode(IsolatedStoreResponse.self)
            #expect(made.store == "t-2")
            #expect(made.seed == 42)
            #expect(made.bundleId == "com.example.app")
            #expect(store.payments.contents.withLock { $0.copies } == [Self.copied])
            #expect(store.appStore.contents.withLock { $0.copies } == [Self.copied])
            #expect(store.catalog.contents.withLock { $0.apps["com.example.app@t-2.42"] != nil })
            #expect(store.payments.contents.withLock { $0.subscribing.clock.epoch } == epoch)
            let keys = try await store.send(.GET, "/s/t-2/admin/v1/apps/com.example.app/keys", token: Sample.adminKey)
            #expect(keys.json["keys"]?.arrayValue?.map { $0["keyIdentifier"]?.stringValue } == [made.keyId])
            #expect(try await send(store, "/t-1/fork", #"{"running":true}"#).status == 201)
            #expect(store.payments.contents.withLock { $0.subscribing.clock.frozen } == false)
        }
    }

    @Test func `work under way is waited for`() async throws {
        try await GatewayHarness.run { store in
            try await make(store)
            store.payments.contents.withLock { $0.busyCopies = 3 }
            #expect(try await send(store, "/t-1/fork").status == 201)
            #expect(store.payments.contents.withLock { $0.copies.count } == 4)
        }
    }

    @Test(arguments: ["/t-1/fork", "/t-1/snapshot"])
    func `a store that changes while it is copied has no copy`(path: String) async throws {
        try await GatewayHarness.run { store in
            try await make(store)
            store.payments.contents.withLock { $0.changesAfterCopy = 1 }
            let answer = try await send(store, path, path.hasSuffix("fork") ? nil : #"{"name":"subscribed"}"#)
            #expect(answer.status == 503, "\(answer.text)")
            #expect(answer.text.contains("has changed while it was copied"))
            #expect(try await list(store).map(\.state) == [.open, .removing])
            store.payments.contents.withLock { $0.changesAfterCopy = 0 }
            #expect(try await send(store, "/t-1/snapshot", #"{"name":"subscribed"}"#).status == 201)
        }
    }

    @Test(arguments: ["/t-1/fork", "/t-1/snapshot"])
    func `a store that is deleted while it is copied has no copy`(path: String) async throws {
        try await GatewayHarness.run { store in
            try await make(store)
            store.payments.contents.withLock { contents in
                contents.duringCopy = {
                    _ = try await store.send(.DELETE, "/admin/v1/stores/t-1", token: Sample.adminKey)
                }
            }
            let answer = try await send(store, path, path.hasSuffix("fork") ? nil : #"{"name":"subscribed"}"#)
            #expect(answer.status == 404, "\(answer.text)")
            #expect(try await list(store).map(\.state) == [.removing, .removing])
        }
    }

    @Test func `no request reaches a snapshot, and forks are made of it until it is deleted by its name`() async throws
    {
        try await GatewayHarness.run { store in
            try await make(store)
            let answer = try await send(store, "/t-1/snapshot", #"{"name":"subscribed","ttl":"20d"}"#)
            #expect(answer.status == 201, "\(answer.text)")
            let snapshot = try answer.decode(IsolatedStore.self)
            #expect(snapshot.snapshot == "subscribed")
            #expect(snapshot.state == .snapshot)
            #expect(try await list(store).last == snapshot)
            let clock = "/admin/v1/apps/com.example.app/clock"
            #expect(try await store.send(.GET, "/s/\(snapshot.store)\(clock)", token: Sample.adminKey).status == 404)
            #expect(try await send(store, "/\(snapshot.store)/fork").status == 404)
            for number in 3...4 {
                let fork = try await send(store, "/subscribed/fork").decode(IsolatedStoreResponse.self)
                #expect(fork.store == "t-\(number)")
                #expect(
                    store.payments.contents.withLock { $0.copies.last }
                        == CopyAppRequest(from: "com.example.app@t-2.42", to: "com.example.app@t-\(number).42"))
            }
            let taken = try await send(store, "/t-1/snapshot", #"{"name":"subscribed"}"#)
            #expect(taken.status == 400)
            #expect(taken.json["path"] == "$.name")
            #expect(
                try await store.send(.DELETE, "/admin/v1/stores/subscribed", token: Sample.adminKey).status == 204)
            #expect(try await list(store).map(\.state) == [.open, .removing, .open, .open])
            #expect(try await send(store, "/subscribed/fork").status == 404)
            #expect(try await send(store, "/t-1/snapshot", #"{"name":"subscribed"}"#).status == 201)
        }
    }

    @Test(arguments: [
        (#"{"name":"t-7"}"#, "$.name"), (#"{"name":""}"#, "$.name"), (#"{}"#, "$.name"),
        (#"{"name":"a","ttl":"29d"}"#, "$.ttl"), (#"{"name":"a","ttl":"soon"}"#, "$.ttl"),
    ])
    func `a name like a store's and a time that is too long are refused`(body: String, path: String) async throws {
        try await GatewayHarness.run { store in
            try await make(store)
            let answer = try await send(store, "/t-1/snapshot", body)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.json["path"]?.stringValue == path)
            #expect(try await send(store, "/t-1/fork", #"{"ttl":"8d"}"#).status == 400)
            #expect(try await list(store).count == 1)
        }
    }
}
