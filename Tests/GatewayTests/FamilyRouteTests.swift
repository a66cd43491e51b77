import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal: the operator makes families of an app's customers, changes them, and ends them.
@Suite struct FamilyRouteTests {
    private static let path = "/admin/v1/apps/\(Sample.bundleId)/families"

    private func send(
        _ store: GatewayHarness, _ method: HTTPMethod, _ path: String = "", body: String? = nil
    ) async throws -> Answer {
        try await store.send(method, Self.path + path, token: Sample.adminKey, body: body)
    }

    @Test func `a family is made, joined, left and ended`() async throws {
        try await GatewayHarness.run { store in
            let made = try await send(store, .PUT, "/smith", body: #"{"organiser":"alice"}"#)
            #expect(made.status == 200)
            #expect(try made.decode(Family.self).persons.map(\.account) == ["alice"])
            // A body is not needed for what is usual.
            let joined = try await send(store, .PUT, "/smith/members/bob")
            #expect(try joined.decode(Family.self).persons.last?.sharesPurchases == true)
            let silent = try await send(
                store, .PUT, "/smith/members/carol", body: #"{"sharesPurchases":false,"receivesPurchases":false}"#)
            let carol = try silent.decode(Family.self).persons.last
            #expect(carol?.account == "carol" && carol?.sharesPurchases == false && carol?.receivesPurchases == false)
            let list = try await send(store, .GET)
            #expect(try list.decode(FamiliesPage.self).families.map(\.persons.count) == [3])
            let left = try await send(store, .DELETE, "/smith/members/bob")
            #expect(try left.decode(Family.self).persons.map(\.account) == ["alice", "carol"])
            #expect(try await send(store, .DELETE, "/smith").status == 204)
            #expect(try await send(store, .DELETE, "/smith").status == 404)
            #expect(try await send(store, .GET).json["families"]?.arrayValue?.isEmpty == true)
        }
    }

    @Test func `who is unknown is 422, and what is unknown 404`() async throws {
        try await GatewayHarness.run { store in
            let stranger = try await send(store, .PUT, "/smith", body: #"{"organiser":"stranger"}"#)
            #expect(stranger.status == 422 && stranger.json["path"] == "$.organiser")
            #expect(try await send(store, .PUT, "/jones/members/bob").status == 404)
            #expect(try await send(store, .DELETE, "/jones/members/bob").status == 404)
            let app = "/admin/v1/apps/com.example.none/families"
            #expect(try await store.send(.GET, app, token: Sample.adminKey).status == 404)
        }
    }

    @Test(arguments: [
        ("/smith", #"{"organiser":""}"#, "$.organiser"), ("/smith", "{}", "$.organiser"),
        ("/smith", #"{"organiser":"alice","members":[]}"#, "$.members"),
        ("/smith/members/bob", #"{"sharesPurchases":1}"#, "$.sharesPurchases"),
    ])
    func `a body that says something else is 400, with the member`(path: String, body: String, member: String)
        async throws
    {
        try await GatewayHarness.run { store in
            let refused = try await send(store, .PUT, path, body: body)
            #expect(refused.status == 400 && refused.json["path"]?.stringValue == member)
        }
    }

    @Test func `a name has at most 64 characters`() async throws {
        try await GatewayHarness.run { store in
            let (name, body) = (String(repeating: "f", count: Family.nameMax), #"{"organiser":"alice"}"#)
            let (longest, tooLong) = ("/\(name)", "/\(name)f")
            let made = try await send(store, .PUT, longest, body: body)
            let refused = try await send(store, .PUT, tooLong, body: body)
            #expect(made.status == 200 && refused.status == 400)
        }
    }
}
