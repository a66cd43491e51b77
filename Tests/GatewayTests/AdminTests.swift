import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@testable import GatewayEdge

@Suite struct AdminTests {
    private let key = Sample.adminKey

    @Test func `apps are listed, read and set`() async throws {
        try await GatewayHarness.run { store in
            let put = try await store.send(
                .PUT, "/admin/v1/apps/com.example.two", token: key,
                body:
                    #"{"name":"2","appPrice":{"amount":"1.99","currency":"USD"},"released":false,"unfinishedLimit":5}"#
            )
            #expect(put.status == 200)
            let got = try await store.send(.GET, "/admin/v1/apps/com.example.two", token: key)
            #expect(got.json == put.json)
            #expect(got.json["released"] == false)
            #expect(got.json["unfinishedLimit"]?.intValue == 5)
            let list = try await store.send(.GET, "/admin/v1/apps?limit=1", token: key)
            #expect(list.json["apps"]?.arrayValue?.count == 1)
            #expect(list.json["after"] == "com.example.app")
            #expect(try await store.send(.GET, "/admin/v1/apps/none", token: key).status == 404)
        }
    }

    @Test(arguments: [(64, 200), (65, 400)])
    func `an app's name has at most 64 Unicode scalars`(count: Int, status: Int) async throws {
        let name = String(repeating: "x", count: count - 2) + "e\u{301}"
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .PUT, "/admin/v1/apps/com.example.app", token: key, body: #"{"name":"\#(name)"}"#)
            #expect(answer.status == status)
        }
    }

    @Test(arguments: [(32, 200), (33, 400)])
    func `an app's versions have at most 32 Unicode scalars`(count: Int, status: Int) async throws {
        let version = String(repeating: "1", count: count)
        try await GatewayHarness.run { store in
            for member in ["currentVersion", "promotionsSupportedSince"] {
                let answer = try await store.send(
                    .PUT, "/admin/v1/apps/com.example.app", token: key,
                    body: #"{"name":"x","\#(member)":"\#(version)"}"#)
                #expect(answer.status == status, "\(member)")
            }
        }
    }

    @Test(arguments: [
        #"{"nme":"x"}"#, #"{"name":"x","appPrice":{"amount":"1.999","currency":"USD"}}"#,
        #"{"name":"x","appPrice":{"amount":"1.99","currency":"USD","vat":1}}"#, #"{"unfinishedLimit":0}"#, "[]", "{",
        "",
    ])
    func `wrong settings are refused`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.PUT, "/admin/v1/apps/com.example.app", token: key, body: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test(arguments: [
        0, 1, ImportPartRequest.byteCountMax - 1, ImportPartRequest.byteCountMax, ImportPartRequest.byteCountMax + 1,
        3_000_000,
    ])
    func `a catalogue travels in parts and comes back byte for byte`(size: Int) async throws {
        try await GatewayHarness.run { store in
            let file = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let put = try await store.send(
                .PUT, "/admin/v1/apps/com.example.app/catalog?fileName=App.storekit", token: key, bytes: file)
            #expect(put.status == 200)
            #expect(put.json["productCount"]?.intValue == 3)
            let upload = store.catalog.contents.withLock { $0.uploads["i1"] }
            #expect(upload?.byteCount == size)
            #expect(upload?.parts.values.allSatisfy { $0.count <= ImportPartRequest.byteCountMax } == true)
            let got = try await store.send(.GET, "/admin/v1/apps/com.example.app/catalog", token: key)
            #expect(got.body == file)
            #expect(got.headers.first(name: "ETag") == "\"2\"")
        }
    }

    @Test func `a catalogue that is only tried is reported on and takes no force`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.app/catalog?fileName=App.storekit&dryRun="
            let before = store.catalog.contents.withLock { $0.file }
            let file = #"{"products":[]}"#
            let tried = try await store.send(.PUT, path + "true", token: key, body: file)
            #expect(tried.status == 200)
            #expect(tried.json["catalogVersion"]?.intValue == 1)
            #expect(store.catalog.contents.withLock { $0.file } == before)
            #expect(try await store.send(.PUT, path + "false", token: key, body: file).status == 200)
            #expect(store.catalog.contents.withLock { $0.file } == Array(file.utf8))
            #expect(try await store.send(.PUT, path + "perhaps", token: key, body: file).status == 400)
        }
    }

    @Test func `a refused catalogue names every problem`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock {
                $0.refusal = StoreError(
                    .catalogInvalid, "one problem",
                    details: ["problems": .array([.object(["path": "$.products[2]", "reason": "no price"])])])
            }
            let answer = try await store.send(.PUT, "/admin/v1/apps/com.example.app/catalog", token: key, body: "{}")
            #expect(answer.status == 422)
            #expect(answer.code == "catalogInvalid")
            #expect(answer.json["problems"]?.arrayValue?.first?["path"] == "$.products[2]")
        }
    }

    @Test func `a catalogue too large is refused before it is read`() async throws {
        try await GatewayHarness.run { store in
            let raw = try await RawConnection.exchange(
                store,
                "PUT /admin/v1/apps/com.example.app/catalog HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
                    + "Content-Length: \(HTTPLimits.catalogBytesMax + 1)\r\n\r\n")
            #expect(raw.hasPrefix("HTTP/1.1 413"))
            #expect(raw.contains("bodyTooLarge"))
        }
    }

    @Test func `products and transactions are listed for the operator`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            let products = try await store.send(
                .GET, "/admin/v1/apps/com.example.app/products?storefront=FRA&limit=500", token: key)
            #expect(products.json["products"]?.arrayValue?.count == 3)
            let nowhere = try await store.send(
                .GET, "/admin/v1/apps/com.example.app/products?storefront=XXX", token: key)
            #expect(nowhere.status == 400)
            let transactions = try await store.send(
                .GET, "/admin/v1/transactions?bundleId=com.example.app&account=alice&state=purchased&finished=false",
                token: key)
            #expect(transactions.json["records"]?.arrayValue?.first?["account"] == "alice")
            #expect(try await store.send(.GET, "/admin/v1/transactions?state=lost", token: key).status == 400)
            #expect(try await store.send(.GET, "/admin/v1/transactions?finished=perhaps", token: key).status == 400)
        }
    }

    @Test func `one transaction is read with its customer`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            let listed = try await store.send(.GET, "/admin/v1/transactions", token: key)
            let answer = try await store.send(.GET, "/admin/v1/transactions/a", token: key)
            #expect(answer.status == 200)
            var members = try #require(answer.json.objectValue)
            let record = members.removeValue(forKey: "record")
            #expect(JSONValue.object(members) == listed.json["transactions"]?.arrayValue?.first)
            #expect(record == listed.json["records"]?.arrayValue?.first)
            #expect(try await store.send(.GET, "/admin/v1/transactions/b", token: key).code == "notFound")
        }
    }
}
