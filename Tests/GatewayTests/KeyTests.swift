import EventLoop
import Foundation
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@Suite struct KeyTests {
    private let admin = Sample.adminKey
    private let path = "/admin/v1/apps/com.example.app/keys"

    private func make(_ store: GatewayHarness, _ kind: String) async throws -> Answer {
        try await store.send(.POST, path, token: admin, body: #"{"kind":"\#(kind)"}"#)
    }

    @Test func `a secret is shown once, and its key is listed without it`() async throws {
        try await GatewayHarness.run { store in
            var made: [JSONValue] = []
            for kind in KeyKind.allCases {
                let answer = try await make(store, kind.rawValue)
                #expect(answer.status == 201)
                #expect(answer.headers.first(name: "Cache-Control") == "no-store")
                #expect(answer.json["kind"]?.stringValue == kind.rawValue)
                #expect(Timestamp(answer.json["createdAt"]?.stringValue ?? "") != nil)
                #expect(answer.json["secret"]?.stringValue?.isEmpty == false)
                #expect((answer.json["publicKey"] != nil) == (kind == .subscriptionOffer || kind == .inAppPurchase))
                #expect((answer.json["issuerId"] != nil) == (kind == .inAppPurchase))
                #expect((answer.json["bundleId"] == "com.example.app") == (kind == .inAppPurchase))
                made.append(answer.json)
            }
            let list = try await store.send(.GET, path, token: admin)
            let listed = list.json["keys"]?.arrayValue ?? []
            #expect(Set(listed.compactMap { $0["keyIdentifier"]?.stringValue }).count == KeyKind.allCases.count)
            for key in listed {
                #expect(Set((key.objectValue ?? [:]).keys) == ["keyIdentifier", "kind", "createdAt"])
            }
            for key in made { #expect(!list.text.contains(key["secret"]?.stringValue ?? "?")) }
            let other = try await store.send(.GET, "/admin/v1/apps/com.example.two/keys", token: admin)
            #expect(other.json == .object(["keys": .array([])]))
        }
    }

    @Test func `no secret is in the database`() async throws {
        try await GatewayHarness.run { store in
            let secrets = try await [
                make(store, "api"), make(store, "sharedSecret"), make(store, "subscriptionOffer"),
                make(store, "inAppPurchase"),
            ].compactMap { $0.json["secret"]?.stringValue }
            for name in ["app-store-server.sqlite", "app-store-server.sqlite-wal"] {
                let content = try Data(contentsOf: URL(fileURLWithPath: store.directory.file(name)))
                for secret in secrets { #expect(content.range(of: Data(secret.utf8)) == nil) }
                for secret in secrets[2...] {
                    let body = secret.split(separator: "\n").dropFirst().first.map { Data($0.utf8) }
                    #expect(content.range(of: try #require(body)) == nil)
                }
            }
        }
    }

    @Test func `an API key opens its own app's customers and no other's (S1)`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session()
            store.payments.commit(Sample.purchased("a"))
            let key = try await store.apiKey()
            let history = try await store.send(.GET, "/v1/customers/alice/history", token: key)
            #expect(history.status == 200)
            #expect(history.json["transactions"]?.arrayValue?.first?["id"] == "a")
            let eligibility = try await store.send(.GET, "/v1/customers/alice/eligibility", token: key)
            #expect(eligibility.json["eligibility"]?.arrayValue?.first?["rule"] == "newSubscriber")
            store.catalog.contents.withLock {
                $0.apps["com.example.two"] = App(
                    bundleId: "com.example.two", settings: .init(name: "2"), catalogVersion: 1)
            }
            let other = try await store.apiKey("com.example.two")
            for (token, account) in [(key, "nobody"), (other, "alice")] {
                for what in ["history", "eligibility", "subscriptions"] {
                    let answer = try await store.send(.GET, "/v1/customers/\(account)/\(what)", token: token)
                    #expect(answer.status == 404)
                    #expect(answer.json["detail"] == "there is no such customer")
                }
            }
        }
    }

    @Test(arguments: ["path", "query"])
    func `a deleted key is refused at once`(way: String) async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session()
            let made = try await make(store, "api")
            let key = try #require(made.json["secret"]?.stringValue)
            let identifier = try #require(made.json["keyIdentifier"]?.stringValue)
            #expect(try await store.send(.GET, "/v1/customers/alice/history", token: key).status == 200)
            let place = way == "path" ? "/\(identifier)" : "?keyIdentifier=\(identifier)"
            let foreign = try await store.send(.DELETE, "/admin/v1/apps/com.example.two/keys\(place)", token: admin)
            #expect(foreign.status == 404, "another app's key")
            #expect(try await store.send(.DELETE, "\(path)\(place)", token: admin).status == 204)
            #expect(try await store.send(.GET, "/v1/customers/alice/history", token: key).status == 401)
            #expect(try await store.send(.DELETE, "\(path)\(place)", token: admin).status == 404)
            #expect(try await store.send(.DELETE, path, token: admin).status == 400)
        }
    }

    @Test func `only the very key is taken`() async throws {
        try await GatewayHarness.run { store in
            let key = try await store.apiKey()
            let identifier = key.split(separator: "_")[1]
            let shared = try await make(store, "sharedSecret")
            let sharedIdentifier = shared.json["keyIdentifier"]?.stringValue ?? "?"
            let sharedSecret = shared.json["secret"]?.stringValue ?? "?"
            for token in [
                "\(key)x", String(key.dropLast()), "sbk_\(identifier)_", "sbk_\(identifier)", "sbk__", "sbk_",
                "sbk_*_x", "sbk_' OR 1=1 --_x", sharedSecret, "sbk_\(sharedIdentifier)_\(sharedSecret)",
                "sbk_" + String(repeating: "x", count: 3000),
            ] {
                let answer = try await store.send(
                    .GET, "/v1/customers/alice/history", token: token.replacing(" ", with: "+"))
                #expect(answer.status == 401, "\(token)")
                #expect(answer.headers.first(name: "WWW-Authenticate") != nil)
            }
        }
    }

    @Test(arguments: ["{}", #"{"kind":"master"}"#, #"{"kind":"api","secret":"mine"}"#, "[]", ""])
    func `a wrong request makes no key`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, path, token: admin, body: body)
            #expect(answer.status == 400)
            let none = try await store.send(.POST, "/admin/v1/apps/none/keys", token: admin, body: #"{"kind":"api"}"#)
            #expect(none.status == 404)
            #expect(try await store.apple.list(Sample.bundleId).isEmpty)
        }
    }
}
