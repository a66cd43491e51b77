import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@Suite struct GatewayTesterTests {
    private let key = Sample.adminKey

    @Test func `a tester is what was set over what counts without it`() async throws {
        try await GatewayHarness.run { store in
            let put = try await store.send(
                .PUT, "/admin/v1/testers/alice", token: key,
                body: #"{"storefront":"FRA","sheet":"decline:3","simulatedErrors":{"purchase":"unknown"}}"#)
            #expect(put.status == 200)
            #expect(put.json["account"] == "alice")
            #expect(put.json["storefront"] == "FRA")
            #expect(put.json["sheet"] == "decline:paymentInvalid")
            #expect(put.json["signIn"] == "ok")
            #expect(put.json["canMakePayments"] == true)
            #expect(put.json["overrides"]?["storefront"] == "FRA")
            #expect(put.json["overrides"]?["signIn"] == nil)
            #expect(put.json["overrides"]?["simulatedErrors"] == .object(["purchase": "unknown"]))
            #expect(try await store.send(.GET, "/admin/v1/testers/alice", token: key).json == put.json)
            let gone = try await store.send(.DELETE, "/admin/v1/testers/alice", token: key)
            #expect(gone.status == 204)
            #expect(gone.body.isEmpty)
            let after = try await store.send(.GET, "/admin/v1/testers/alice", token: key)
            #expect(after.json["overrides"] == .object([:]))
            #expect(after.json["storefront"] == "USA")
        }
    }

    @Test func `testers come in pages`() async throws {
        try await GatewayHarness.run { store in
            for name in ["c", "a", "b"] {
                _ = try await store.send(.PUT, "/admin/v1/testers/\(name)", token: key, body: #"{"askToBuy":false}"#)
            }
            let first = try await store.send(.GET, "/admin/v1/testers?limit=2", token: key)
            #expect((first.json["testers"]?.arrayValue ?? []).compactMap { $0["account"] } == ["a", "b"])
            #expect(first.json["after"] == "b")
            let last = try await store.send(.GET, "/admin/v1/testers?limit=2&after=b", token: key)
            #expect((last.json["testers"]?.arrayValue ?? []).compactMap { $0["account"] } == ["c"])
            #expect(last.json["after"] == nil)
        }
    }

    @Test(arguments: [
        (#"{"storefrnt":"FRA"}"#, "$.storefrnt"), (#"{"simulatedErrors":{"buy":"x"}}"#, "$.simulatedErrors.buy"),
        (#"{"sheet":"perhaps"}"#, "$.sheet"), (#"{"sheet":"decline:nothing"}"#, "$.sheet"),
        (#"{"signIn":"maybe"}"#, "$.signIn"), (#"{"storefront":"XXX"}"#, "$.storefront"),
        (#"{"canMakePayments":"yes"}"#, "$.canMakePayments"),
        (#"{"simulatedErrors":{"purchase":""}}"#, "$.simulatedErrors.purchase"),
        (#"{"askToBuy":true,"askToBuy":false}"#, "$.askToBuy"),
    ])
    func `a wrong member is named and nothing is set`(body: String, path: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.PUT, "/admin/v1/testers/alice", token: key, body: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
            #expect(answer.json["path"]?.stringValue == path)
            #expect(store.payments.contents.withLock { $0.testers.isEmpty })
        }
    }

    @Test func `an account has a bounded name`() async throws {
        try await GatewayHarness.run { store in
            func status(_ length: Int) async throws -> Int {
                let name = String(repeating: "x", count: length)
                return try await store.send(.PUT, "/admin/v1/testers/\(name)", token: key, body: "{}").status
            }
            let longest = try await status(IdentifierRule.account.lengthMax)
            #expect(longest == 200)
            let longer = try await status(IdentifierRule.account.lengthMax + 1)
            #expect(longer == 400)
        }
    }

    @Test func `a tester has a payment processor of their own, one of eight`() async throws {
        try await GatewayHarness.run { store in
            for mode in ProcessorMode.allCases {
                let answer = try await store.send(
                    .PUT, "/admin/v1/testers/alice", token: key, body: #"{"processor":"\#(mode.rawValue)"}"#)
                #expect(answer.status == 200)
                #expect(answer.json["processor"]?.stringValue == mode.rawValue)
                #expect(answer.json["overrides"]?["processor"]?.stringValue == mode.rawValue)
            }
            let wrong = try await store.send(
                .PUT, "/admin/v1/testers/alice", token: key, body: #"{"processor":"broken"}"#)
            #expect(wrong.status == 400)
            #expect(wrong.json["path"] == "$.processor")
            _ = try await store.send(.PUT, "/admin/v1/testers/alice", token: key, body: "{}")
            let none = try await store.send(.GET, "/admin/v1/testers/alice", token: key)
            #expect(none.json["processor"] == nil, "as everybody's")
        }
    }

    @Test func `a session tells PaymentQueue what the app's testers do by default`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session()
            #expect(store.payments.contents.withLock { $0.openRequests.last?.defaults } == nil)
            let defaults = TesterSettings(storefront: "FRA", simulatedErrors: .init(loadProducts: "networkError"))
            store.catalog.contents.withLock { $0.apps[Sample.bundleId]?.testerDefaults = defaults }
            // A catalogue imported here counts from the next session on.
            _ = try await store.send(.PUT, "/admin/v1/apps/com.example.app/catalog", token: key, body: "{}")
            try await eventually("the new defaults count") {
                _ = try await store.session()
                return store.payments.contents.withLock { $0.openRequests.last?.defaults } == defaults
            }
            store.catalog.service.goAway()
            _ = try await store.session()
            #expect(store.payments.contents.withLock { $0.openRequests.last?.defaults } == defaults, "the last known")
        }
    }
}
