import Cryptography
import EventLoop
import Foundation
import NIOHTTP1
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge
@testable import OperatorAPI

/// Goal: a request reaches the store that its path, header or credentials name, and no other.
@Suite struct IsolatedStoreTests {
    private let admin = Sample.adminKey

    private func make(
        _ store: GatewayHarness, _ members: String = #","seed":42"#
    ) async throws -> IsolatedStoreResponse {
        let answer = try await store.send(
            .POST, "/admin/v1/stores", token: admin, body: #"{"from":{"bundleId":"com.example.app"}\#(members)}"#)
        #expect(answer.status == 201, "\(answer.text)")
        return try answer.decode(IsolatedStoreResponse.self)
    }

    private func list(_ store: GatewayHarness) async throws -> [IsolatedStore] {
        try await store.send(.GET, "/admin/v1/stores", token: admin).decode(IsolatedStoresResponse.self).stores
    }

    private func open(
        _ store: GatewayHarness, _ path: String, app: String = Sample.bundleId, account: String = "alice"
    ) async throws -> Answer {
        try await store.send(
            .POST, "\(path)/v1/sessions",
            body: """
                {"bundleId":"\(app)","deviceId":"phone","account":"\(account)","platform":"iOS","osVersion":"17.0",
                "appVersion":"1.0"}
                """)
    }

    private func remover(_ store: GatewayHarness) -> StoreRemover {
        StoreRemover(stores: store.gateway.stores, services: store.gateway.parts.services)
    }

    @Test func `a store has a frozen clock, a copy of the catalogue, settings and a key of its own`() async throws {
        try await GatewayHarness.run { store in
            let settings = #"{"environment":"Production","appAppleId":77}"#
            let path = "/admin/v1/apps/com.example.app/server-api"
            #expect(try await store.send(.PUT, path, token: admin, body: settings).status == 200)
            let made = try await make(store, #","clock":"2026-01-01T00:00:00Z","ttl":"10m","seed":42"#)
            #expect(made.store == "t-1")
            #expect(made.url.hasSuffix("/s/t-1"))
            #expect(made.bundleId == "com.example.app")
            #expect(made.seed == 42)
            let root = try await store.apple.authority().rootDER
            #expect(made.rootCertificate == root.base64)
            let clock = store.payments.contents.withLock { $0.subscribing.clock }
            #expect(clock.frozen)
            #expect(clock.now == Timestamp("2026-01-01T00:00:00Z"))
            #expect(store.catalog.contents.withLock { $0.apps["com.example.app@t-1.42"] != nil })
            let inside = try await store.send(.GET, "/s/t-1\(path)", token: admin)
            #expect(inside.json["appAppleId"]?.intValue == 77)
            let keys = try await store.send(.GET, "/s/t-1/admin/v1/apps/com.example.app/keys", token: admin)
            #expect(keys.json["keys"]?.arrayValue?.first?["keyIdentifier"]?.stringValue == made.keyId)
            let others = try await store.send(.GET, "/admin/v1/apps/com.example.app/keys", token: admin)
            #expect(others.json["keys"]?.arrayValue?.isEmpty == true)
            let token = try await store.serverToken()
            var inner = token
            inner.header["kid"] = .string(made.keyId)
            inner.key = try .init(pemRepresentation: made.privateKey)
            #expect(try await store.apple.key(of: inner.text()).bundleId == "com.example.app@t-1.42")
            #expect(try await list(store).map(\.store) == ["t-1"])
        }
    }

    @Test func `paths, headers and sessions lead to the store`() async throws {
        try await GatewayHarness.run { store in
            let made = try await make(store)
            let answer = try await open(store, "/s/\(made.store)")
            #expect(answer.status == 201, "\(answer.text)")
            #expect(store.payments.contents.withLock { $0.openRequests.last?.bundleId } == "com.example.app@t-1.42")
            let token = try #require(answer.json["token"]?.stringValue)
            // The token alone is enough, and the path may say the same.
            for path in ["", "/s/t-1"] {
                #expect(try await store.send(.GET, "\(path)/v1/history", token: token).status == 200)
            }
            let clock = "/admin/v1/apps/com.example.app/clock"
            let header = [("X-Storebus-Store", "t-1")]
            #expect(try await store.send(.GET, clock, token: admin, headers: header).status == 200)
            #expect(try await store.send(.GET, "/s/t-1\(clock)", token: admin, headers: header).status == 200)
            #expect(
                try await store.send(.GET, "/s/t-1\(clock)", token: admin, headers: [("X-Storebus-Store", "t-2")])
                    .status == 400)
        }
    }

    @Test func `operators read and redeliver in the store they name`() async throws {
        try await GatewayHarness.run { store in
            _ = try await make(store)
            store.payments.commit(Sample.purchased("t1"))
            let path = "/admin/v1/transactions/t1"
            let app = IsolatedApp(shownBundleId: Sample.bundleId, number: 1, seed: 42)
            store.payments.contents.withLock { $0.scope = IsolationScope(app) }
            let inside = try await store.send(.GET, "/s/t-1\(path)", token: admin)
            #expect(inside.json["record"]?["bundleId"] == "com.example.app")
            _ = try await store.send(.POST, "/s/t-1\(path)/redeliver", token: admin)
            _ = try await store.send(.GET, path, token: admin)
            _ = try await store.send(.POST, "\(path)/redeliver", token: admin)
            #expect(
                store.payments.contents.withLock { $0.operations } == [
                    "find in com.example.app@t-1.42 t1", "redeliver in com.example.app@t-1.42 t1", "find t1",
                    "redeliver t1",
                ])
            _ = try await store.send(.GET, "/s/t-1/admin/v1/events/last?account=alice", token: admin)
            _ = try await store.send(.GET, "/s/t-1/admin/v1/apps/com.example.app/refund-requests", token: admin)
            store.payments.contents.withLock { contents in
                #expect(
                    contents.lastEventsRequests.last
                        == LastEventsRequest(account: "alice", bundleId: "com.example.app@t-1.42"))
                #expect(contents.subscribing.refundLists.last?.bundleId == "com.example.app@t-1.42")
            }
        }
    }

    @Test func `operators name a store's transactions by their numbers, which other places may have, too`() async throws
    {
        try await GatewayHarness.run { store in
            _ = try await make(store)
            let app = IsolatedApp(shownBundleId: Sample.bundleId, number: 1, seed: 42)
            for number in ["2000000004200003", "2000000000000001"] {
                for (door, scope) in [("/s/t-1", " in \(app.bundleId)"), ("", "")] {
                    _ = try await store.send(
                        .POST, "\(door)/admin/v1/transactions/\(number)/approve", token: admin, body: "{}")
                    #expect(store.payments.contents.withLock { $0.operations.last } == "approve\(scope) \(number)")
                }
            }
            // A product or an account may be named by digits.
            let explained = "/s/t-1/admin/v1/apps/com.example.app/products/2000000000000001/explain"
            _ = try await store.send(.GET, explained, token: admin)
            #expect(
                store.catalog.contents.withLock { $0.explainRequests.last?.productIdentifier } == "2000000000000001")
        }
    }

    @Test func `a store's prompts are listed in the store, and the installation's outside`() async throws {
        try await GatewayHarness.run { store in
            _ = try await make(store)
            let app = IsolatedApp(shownBundleId: Sample.bundleId, number: 1, seed: 42)
            store.payments.contents.withLock { contents in
                contents.prompts = [("p1", Sample.bundleId), ("p2", app.bundleId)].map { id, bundleId in
                    Prompt(
                        id: id, kind: .sheet, bundleId: bundleId, account: "alice", transaction: nil,
                        createdAt: Timestamp(milliseconds: 1_790_000_000_000), answers: [.approve])
                }
            }
            for (path, expected) in [("", "p1"), ("/s/t-1", "p2")] {
                let found = try await store.send(.GET, "\(path)/admin/v1/prompts", token: admin)
                let prompts = found.json["prompts"]?.arrayValue ?? []
                #expect(prompts.compactMap { $0["id"]?.stringValue } == [expected])
                #expect(prompts.first?["bundleId"]?.stringValue == Sample.bundleId)
            }
        }
    }

    @Test func `other stores, other apps and names inside are not found`() async throws {
        try await GatewayHarness.run { store in
            let first = try await make(store)
            let second = try await make(store)
            #expect(first.store != second.store)
            let token = try #require(try await open(store, "/s/t-1").json["token"]?.stringValue)
            let ordinary = try await store.session()
            for (path, token) in [
                ("/s/t-2/v1/history", token), ("/s/t-1/v1/history", ordinary), ("/s/t-3/v1/history", token),
                ("/s/t-1/admin/v1/apps/com.example.two/clock", admin), ("/s/t-9/admin/v1/stores", admin),
                ("/s/nonsense/admin/v1/apps/com.example.app/clock", admin),
            ] {
                let answer = try await store.send(.GET, path, token: token)
                #expect(answer.status == 404, "\(path)")
                #expect(!answer.text.contains("@t-"))
            }
            for path in ["/admin/v1/apps/com.example.app%40t-1.42/clock", "/s/t-1/admin/v1/apps/a%40t-1.42/clock"] {
                #expect(try await store.send(.GET, path, token: admin).status == 400)
            }
            #expect(try await open(store, "/s/t-1", app: "com.example.two").status == 404)
            #expect(try await open(store, "", app: "com.example.app@t-1.42").status == 400)
        }
    }

    @Test func `a store's key is 404 at another store's door, and at one that is gone`() async throws {
        try await GatewayHarness.run { store in
            let made = try await make(store)
            _ = try await make(store)
            var token = try await store.serverToken()
            token.header["kid"] = .string(made.keyId)
            token.key = try .init(pemRepresentation: made.privateKey)
            for (door, code) in [("", 4_040_010), ("/s/t-1", 4_040_010), ("/s/t-2", 4_040_003), ("/s/t-9", 4_040_003)] {
                let answer = try await store.send(
                    .GET, "\(door)/inApps/v1/transactions/2000000004200009", token: try token.text())
                #expect(answer.status == 404, "\(door): \(answer.text)")
                #expect(answer.json["errorCode"]?.intValue == code, "\(door): \(answer.text)")
            }
        }
    }

    @Test func `a deleted store is closed at once, and removed when every service has answered`() async throws {
        try await GatewayHarness.run { store in
            let made = try await make(store)
            let token = try #require(try await open(store, "/s/t-1").json["token"]?.stringValue)
            #expect(try await store.send(.DELETE, "/admin/v1/stores/t-1", token: admin).status == 204)
            #expect(try await store.send(.GET, "/v1/history", token: token).status == 404)
            #expect(try await store.apple.find(made.keyId) == nil)
            #expect(try await list(store).map(\.state) == [.removing])

            // A service that is away delays it.
            store.appStore.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            #expect(try await remover(store).removeAll() == 0)
            #expect(try await list(store).map(\.state) == [.removing])
            store.appStore.contents.withLock { $0.failure = nil }
            store.payments.contents.withLock { $0.removalsLeft = 2 }
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await list(store).isEmpty)
            let removed = store.payments.contents.withLock { $0.removed }
            #expect(removed == Array(repeating: "com.example.app@t-1.42", count: 4))
            #expect(store.appStore.contents.withLock { $0.removed } == ["com.example.app@t-1.42"])
            #expect(store.catalog.contents.withLock { $0.apps.keys.sorted() } == ["com.example.app"])
            #expect(try await store.send(.DELETE, "/admin/v1/stores/t-1", token: admin).status == 404)
        }
    }

    @Test func `a read that the store's end overtakes is 404`() async throws {
        try await GatewayHarness.run(catalogTimeout: .seconds(30)) { store in
            _ = try await make(store)
            let token = try #require(try await open(store, "/s/t-1").json["token"]?.stringValue)
            let gate = Gate()
            store.catalog.contents.withLock { $0.promoting.gate = gate }
            async let answer = store.send(
                .GET, "/s/t-1/v1/store-page", token: token, headers: [("Sb-Timeout", "30000")])
            try await eventually("Catalog is asked") { gate.arrived == 1 }
            #expect(try await store.send(.DELETE, "/admin/v1/stores/t-1", token: admin).status == 204)
            gate.open()
            #expect(try await answer.status == 404)
        }
    }

    @Test func `a store is over after its time by the wall clock`() async throws {
        try await GatewayHarness.run { store in
            let now = Timestamp.wallClock()
            store.moveClock(to: now)
            let made = try await make(store, #","ttl":"10m""#)
            #expect(made.expiresAt == now + .seconds(600))
            let clock = "/s/t-1/admin/v1/apps/com.example.app/clock"
            store.moveClock(to: now + .seconds(599))
            #expect(try await remover(store).removeAll() == 0)
            #expect(try await store.send(.GET, clock, token: admin).status == 200)
            store.moveClock(to: now + .seconds(600))
            #expect(try await store.send(.GET, clock, token: admin).status == 404)
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await list(store).isEmpty)
            #expect(try await make(store, "").expiresAt == now + .seconds(600 + 3600))
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"from":{"bundleId":"a b"}}"#, #"{"from":{"bundleId":"a@t-1.1"}}"#,
        #"{"from":{"bundleId":"com.example.app"},"ttl":"8d"}"#, #"{"from":{"bundleId":"com.example.app"},"ttl":"0s"}"#,
        #"{"from":{"bundleId":"com.example.app"},"ttl":"10"}"#, #"{"from":{"bundleId":"com.example.app"},"seed":-1}"#,
        #"{"from":{"bundleId":"com.example.app"},"seed":4294967296}"#,
        #"{"from":{"bundleId":"com.example.app"},"clock":"1999-12-31T23:59:59Z"}"#,
    ])
    func `a bad request makes nothing`(_ body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/admin/v1/stores", token: admin, body: body)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try await list(store).isEmpty)
        }
    }

    @Test func `a store is made from a file, also of an app that the installation lacks`() async throws {
        try await GatewayHarness.run { store in
            let file = #"{"products":[]}"#
            for app in ["com.example.app", "com.example.new"] {
                let made = try await store.send(
                    .POST, "/admin/v1/stores/file?bundleId=\(app)&fileName=App.storekit&running=true&seed=7",
                    token: admin, body: file
                ).decode(IsolatedStoreResponse.self)
                #expect(made.bundleId == app)
                #expect(made.seed == 7)
                let uploaded = store.catalog.contents.withLock { ($0.uploads["i1"]?.bundleId, $0.file) }
                #expect(uploaded.0 == "\(app)@\(made.store).7")
                #expect(uploaded.1 == Array(file.utf8))
                #expect(store.payments.contents.withLock { !$0.subscribing.clock.frozen })
            }
            #expect(try await list(store).map(\.store) == ["t-1", "t-2"])
        }
    }

    @Test func `an import that outlasts the request's time makes a store`() async throws {
        try await GatewayHarness.run(catalogTimeout: .seconds(30)) { store in
            let gate = Gate()
            store.catalog.contents.withLock { $0.importGate = gate }
            let begun = ContinuousClock.now
            async let answer = store.send(
                .POST, "/admin/v1/stores/file?bundleId=com.example.new", token: admin,
                headers: [("Sb-Timeout", "2000")], body: #"{"products":[]}"#)
            try await eventually("the request's time is over, and the import is not") {
                gate.arrived == 1 && ContinuousClock.now > begun + .seconds(3)
            }
            gate.open()
            #expect(try await answer.status == 201)
        }
    }

    @Test func `a store that is over before it opens is not opened, and what was written meanwhile is removed`()
        async throws
    {
        try await GatewayHarness.run { store in
            let now = Timestamp.wallClock()
            store.moveClock(to: now)
            let stores = store.gateway.stores
            let app = try await stores.begin("com.example.app", seed: 1, at: now, until: now + .seconds(1))
            store.moveClock(to: now + .seconds(1))
            #expect(try await remover(store).removeAll() == 1)
            let error = await #expect(throws: StoreError.self) { try await stores.open(app, until: now + .seconds(1)) }
            #expect(error?.code == .notFound)
            try await stores.abandon(app)
            #expect(try await list(store).map(\.state) == [.removing])
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await list(store).isEmpty)
            // A removal that began before does not forget the store.
            try await stores.abandon(app)
            let claimed = try #require(try await stores.claim(after: 0))
            try await stores.abandon(app)
            try await stores.forget(claimed)
            #expect(try await remover(store).removeAll() == 1)
        }
    }

    @Test func `a key of an earlier store with the same number does not open the store`() async throws {
        try await GatewayHarness.run { store in
            let made = try await make(store)
            let keys = try #require(store.gateway.storeKeys)
            let clock = "/admin/v1/apps/com.example.app/clock"
            let createdAt = try #require(try await list(store).first?.createdAt)
            #expect(keys.key(of: made.store, createdAt: createdAt) == made.adminKey)
            let former = keys.key(of: made.store, createdAt: createdAt + .seconds(-1))
            #expect(try await store.send(.GET, clock, token: former).status == 404)
        }
    }

    @Test func `a file that is refused makes no store, and a bad query is named`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/stores/file"
            for query in ["", "?bundleId=a%20b", "?bundleId=a&ttl=8d", "?bundleId=a&seed=x", "?bundleId=a&clock=now"] {
                let answer = try await store.send(.POST, "\(path)\(query)", token: admin, body: "{}")
                #expect(answer.status == 400, "\(query) \(answer.text)")
            }
            store.catalog.contents.withLock { $0.refusal = StoreError(.catalogInvalid, "$.products: is missing") }
            let refused = try await store.send(.POST, "\(path)?bundleId=com.example.new", token: admin, body: "{}")
            #expect(refused.code == "catalogInvalid")
            #expect(try await list(store).allSatisfy { $0.state == .removing })
        }
    }

    @Test func `a store's key opens the paths about that store's data, and nothing else`() async throws {
        try await GatewayHarness.run { store in
            let (made, other) = (try await make(store), try await make(store))
            let clock = "/admin/v1/apps/com.example.app/clock"
            // The key alone leads to the store.
            for door in ["", "/s/\(made.store)"] {
                #expect(try await store.send(.GET, "\(door)\(clock)", token: made.adminKey).status == 200)
            }
            // It does not tell which stores there are.
            for name in [other.store, "t-99"] {
                let answer = try await store.send(.GET, "/s/\(name)\(clock)", token: made.adminKey)
                #expect(answer.status == 404)
                #expect(answer.text.contains("the key is the isolated store 't-1''s and opens no other"))
            }
            for path in ["stores", "apps", "bus", "services", "keys", "featured", "signing"] {
                let answer = try await store.send(.GET, "/admin/v1/\(path)", token: made.adminKey)
                #expect(answer.code == "forbidden", "\(path)")
            }
            let forged = String(made.adminKey.dropLast()) + (made.adminKey.last == "0" ? "1" : "0")
            let renamed = other.store + made.adminKey.dropFirst(made.store.count)
            for key in [forged, renamed, made.store, "\(made.store)_", "_"] {
                #expect(try await store.send(.GET, clock, token: key).status == 401, "\(key)")
            }
            #expect(try await store.send(.DELETE, "/admin/v1/stores/\(made.store)", token: admin).status == 204)
            #expect(try await store.send(.GET, clock, token: made.adminKey).status == 404)
        }
    }

    @Test func `a store of an unknown app is not made`() async throws {
        try await GatewayHarness.run { store in
            let body = #"{"from":{"bundleId":"com.example.missing"}}"#
            let answer = try await store.send(.POST, "/admin/v1/stores", token: admin, body: body)
            #expect(answer.status == 404)
            #expect(try await remover(store).removeAll() == 1)
            #expect(try await list(store).isEmpty)
        }
    }

    @Test func `names of a store's look stay as they are, in requests and in responses`() async throws {
        try await GatewayHarness.run { store in
            _ = try await make(store)
            // The store's first transaction would be this one.
            let name = "2000000004200001"
            let path = "/s/t-1/admin/v1/testers/\(name)"
            let put = try await store.send(.PUT, path, token: admin, body: #"{"askToBuy":true}"#)
            #expect(put.json["account"]?.stringValue == name)
            let scope = IsolationScope(IsolatedApp(shownBundleId: Sample.bundleId, number: 1, seed: 42))
            #expect(
                store.payments.contents.withLock { $0.testers.keys.first } == ScopedIdentifier(name, in: scope))
            for query in ["testers?after=1", "events/last?account=\(name)", "transactions?account=\(name)"] {
                let answer = try await store.send(.GET, "/s/t-1/admin/v1/\(query)", token: admin)
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(store.payments.contents.withLock { $0.lastEventsRequests.last?.account } == name)
            let listed = try await store.send(.GET, "/s/t-1/admin/v1/testers?after=1", token: admin)
            #expect(listed.json["testers"]?.arrayValue?.first?["account"]?.stringValue == name)
            let device = "/s/t-1/admin/v1/devices/\(name)"
            let body = #"{"platform":"iOS","osVersion":"17.4"}"#
            #expect(try await store.send(.PUT, device, token: admin, body: body).json["deviceId"]?.stringValue == name)
            let session = try await open(store, "/s/t-1", account: name)
            #expect(session.status == 201)
            #expect(store.payments.contents.withLock { $0.openRequests.last?.account } == name)
            // Texts of a client's that look like numbers of the store, or like its app's name inside.
            let token = try #require(session.json["token"]?.stringValue)
            let texts = [
                name, "30000000000000001", "300000000000000001", "3000000000010000001", "com.example.app@t-1.42",
            ]
            for (number, text) in texts.enumerated() {
                let bought = try await store.send(
                    .POST, "/s/t-1/v1/payments", token: token, headers: [("Idempotency-Key", "key-\(number)")],
                    body: #"{"productIdentifier":"coins","applicationUsername":"\#(text)"}"#)
                #expect(bought.json["payment"]?["applicationUsername"]?.stringValue == text, "\(bought.text)")
            }
        }
    }
}
