import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@testable import AppAPI

@Suite struct ProductTests {
    private func identifiers(_ answer: Answer, _ member: String = "products") -> [String?] {
        (answer.json[member]?.arrayValue ?? []).map { $0["productIdentifier"]?.stringValue ?? $0.stringValue }
    }

    @Test func `known and unknown identifiers come back in their lists (M2)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let answer = try await store.send(
                .GET, "/v1/products?ids=com.example.pro,nope&ids=com.example.fishing", token: token)
            #expect(answer.status == 200)
            #expect(Set(identifiers(answer)) == ["com.example.pro", "com.example.fishing"])
            #expect(identifiers(answer, "invalidProductIdentifiers") == ["nope"])
            #expect(answer.json["degraded"] == .array([]))
            let eligibility = (answer.json["products"]?.arrayValue ?? []).map {
                $0["introductoryOfferEligibility"]?.stringValue
            }
            #expect(Set(eligibility) == ["eligible", "ineligible"])
            let posted = try await store.send(
                .POST, "/v1/products/query", token: token,
                body: #"{"productIdentifiers":["com.example.pro","nope","com.example.fishing"]}"#)
            #expect(posted.json == answer.json)
        }
    }

    @Test func `nothing asked for is nothing answered (M2)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            for path in ["/v1/products", "/v1/products?ids=", "/v1/products?ids=,,"] {
                let answer = try await store.send(.GET, path, token: token)
                #expect(answer.json["products"] == .array([]))
                #expect(answer.json["invalidProductIdentifiers"] == .array([]))
            }
        }
    }

    @Test func `without Eligibility subscriptions are unknown and the answer says so`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.eligibility.goAway()
            let answer = try await store.send(
                .GET, "/v1/products?ids=com.example.pro,com.example.fishing", token: token)
            #expect(answer.status == 200)
            #expect(answer.json["degraded"] == .array(["eligibility"]))
            let products = answer.json["products"]?.arrayValue ?? []
            let pro = products.first { $0["productIdentifier"] == "com.example.pro" }
            #expect(pro?["introductoryOfferEligibility"] == "unknown")
            let list = try await store.send(.GET, "/v1/eligibility", token: token)
            #expect(list.status == 200)
            #expect(list.json["degraded"] == .array(["eligibility"]))
            #expect(list.json["eligibility"]?.arrayValue?.first?["eligibility"] == "unknown")
            #expect(list.json["eligibility"]?.arrayValue?.first?["rule"] == "historyUnavailable")
        }
    }

    @Test func `eligibility is one answer per subscription (M123)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let answer = try await store.send(.GET, "/v1/eligibility", token: token)
            #expect(answer.json["eligibility"]?.arrayValue?.count == 1)
            #expect(answer.json["eligibility"]?.arrayValue?.first?["rule"] == "newSubscriber")
        }
    }

    @Test func `without Catalog there are no products`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.catalog.service.goAway()
            let answer = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
        }
    }

    @Test func `five hundred identifiers are allowed and no more`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            func query(_ count: Int) async throws -> Answer {
                let list = (0..<count).map { "\"p\($0)\"" }.joined(separator: ",")
                return try await store.send(
                    .POST, "/v1/products/query", token: token, body: #"{"productIdentifiers":[\#(list)]}"#)
            }
            let most = try await query(500)
            #expect(most.status == 200)
            #expect(most.json["invalidProductIdentifiers"]?.arrayValue?.count == 500)
            let many = try await query(501)
            #expect(many.status == 400)
            #expect(many.code == "requestInvalid")
            let long = String(repeating: "x", count: 100)
            let ids = (0..<500).map { "\(long.dropLast(3))\(100 + $0)" }.joined(separator: ",")
            #expect(try await store.send(.GET, "/v1/products?ids=\(ids)", token: token).status == 200)
        }
    }

    @Test func `many identifiers are asked for in parts and answered in order, each once (M4, M7)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let asked = (0..<250).map { "p\($0)" } + ["com.example.pro", "p7", "com.example.pro"]
            store.catalog.contents.withLock { $0.versions = [1, 2, 1] }
            let body = try StoreJSON.encode(["productIdentifiers": asked])
            let answer = try await store.send(.POST, "/v1/products/query", token: token, bytes: body)
            #expect(identifiers(answer) == ["com.example.pro"])
            #expect(identifiers(answer, "invalidProductIdentifiers") == (0..<250).map { "p\($0)" })
            let requests = store.catalog.contents.withLock { $0.productRequests }
            #expect(requests.count == 6, "three parts, and once more because a catalogue took force in between")
            #expect(requests.allSatisfy { $0.productIdentifiers.count <= ProductsInParts.partSize })
        }
    }

    /// S13: identifiers are data, in any shape.
    @Test(arguments: [
        "a.b", "*", ">", "x.>", "_INBOX.1", "$SYS.>", "ünïcödé", "a b", "a'; DROP TABLE x", "../..", "%",
    ])
    func `any identifier is only a name`(identifier: String) async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let body = try StoreJSON.encode(["productIdentifiers": [identifier]])
            let answer = try await store.send(.POST, "/v1/products/query", token: token, bytes: body)
            #expect(answer.status == 200)
            #expect(identifiers(answer, "invalidProductIdentifiers") == [identifier])
        }
    }

    @Test(arguments: [
        "", "a\r\nb", "\u{0}", "\u{7F}", String(repeating: "x", count: 256), String(repeating: "x", count: 10_000),
    ])
    func `a useless identifier is refused`(identifier: String) async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let body = try StoreJSON.encode(["productIdentifiers": [identifier]])
            let answer = try await store.send(.POST, "/v1/products/query", token: token, bytes: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }
}
