import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// What the operator sets up: the list, the featured tab, images and their review.
@Suite struct PromotionSetupTests {
    private let key = Sample.adminKey
    private let list = "/admin/v1/apps/com.example.app/promotions"
    private let image = "/admin/v1/apps/com.example.app/products/com.example.pro/promotion-image"

    @Test func `a list is order and visibility, and the page follows it at once (M67, M68)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let before = try await store.send(.GET, list, token: key)
            #expect(before.json["isPreview"] == true)
            _ = try await store.send(.GET, "/v1/store-page", token: token)
            let body =
                #"[{"productIdentifier":"com.example.fishing","visible":true},"#
                + #"{"productIdentifier":"com.example.pro","visible":false}]"#
            for answer in [
                try await store.send(.PUT, list, token: key, body: body), try await store.send(.GET, list, token: key),
            ] {
                #expect(answer.status == 200)
                let setup = try answer.decode(PromotionSetup.self)
                #expect(setup.promotions.map(\.productIdentifier) == ["com.example.fishing", "com.example.pro"])
                #expect(setup.promotions.map(\.visible) == [true, false])
                #expect(setup.promotions.first?.reasons == [.noImage])
            }
            let page = try await store.send(.GET, "/v1/store-page", token: token)
            let shown = (page.json["promotions"]?.arrayValue ?? []).map { $0["product"]?["productIdentifier"] }
            #expect(shown == ["com.example.fishing"])
        }
    }

    @Test(arguments: [
        (#"{"productIdentifier":"p","visible":true}"#, "$"), (#"[{"productIdentifier":"p"}]"#, "$[0].visible"),
        (#"[{"productIdentifier":"","visible":true}]"#, "$[0].productIdentifier"),
        (#"[{"productIdentifier":"p","visible":true,"rank":1}]"#, "$[0].rank"),
        (
            #"[{"productIdentifier":"p","visible":true},{"productIdentifier":"p","visible":false}]"#,
            "$[1].productIdentifier"
        ),
        (#"["p"]"#, "$[0]"),
    ])
    func `a wrong list is refused`(body: String, path: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.PUT, list, token: key, body: body)
            #expect(answer.status == 400)
            #expect(answer.json["path"]?.stringValue == path)
            #expect(store.catalog.contents.withLock { $0.promoting.entries == nil })
        }
    }

    @Test(arguments: [(20, 200), (21, 400)])
    func `at most twenty products are promoted`(count: Int, status: Int) async throws {
        try await GatewayHarness.run { store in
            let entries = (0..<count).map { #"{"productIdentifier":"p\#($0)","visible":true}"# }
            let body = "[\(entries.joined(separator: ","))]"
            let answer = try await store.send(.PUT, list, token: key, body: body)
            #expect(answer.status == status)
        }
    }

    @Test func `the featured tab is one list for all apps (M64)`() async throws {
        try await GatewayHarness.run { store in
            let body = #"[{"bundleId":"com.example.app","productIdentifier":"com.example.pro"}]"#
            let expected = JSONValue.object([
                "products": .array([
                    .object(["bundleId": "com.example.app", "productIdentifier": "com.example.pro"])
                ])
            ])
            #expect(try await store.send(.PUT, "/admin/v1/featured", token: key, body: body).json == expected)
            #expect(try await store.send(.GET, "/admin/v1/featured", token: key).json == expected)
            for (count, status) in [(100, 200), (101, 400)] {
                let entries = (0..<count).map { #"{"bundleId":"com.example.app","productIdentifier":"p\#($0)"}"# }
                let answer = try await store.send(
                    .PUT, "/admin/v1/featured", token: key, body: "[\(entries.joined(separator: ","))]")
                #expect(answer.status == status)
            }
            for body in [
                #"[{"bundleId":"a b","productIdentifier":"p"}]"#, #"[{"productIdentifier":"p"}]"#,
                #"[{"bundleId":"a","productIdentifier":"p"},{"bundleId":"a","productIdentifier":"p"}]"#, "{}",
            ] {
                #expect(try await store.send(.PUT, "/admin/v1/featured", token: key, body: body).status == 400)
            }
        }
    }

    @Test func `an image goes up in parts and comes back as it was (M66)`() async throws {
        try await GatewayHarness.run { store in
            let bytes = [0x89, 0x50] + (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            let put = try await store.send(
                .PUT, image, token: key, headers: [("Content-Type", "image/jpeg")], bytes: bytes)
            #expect(put.status == 200)
            let described = try put.decode(PromotionImage.self)
            #expect(described.state == .waiting)
            #expect(described.length == Int64(bytes.count))
            let found = try await store.send(.GET, image, token: key)
            #expect(found.status == 200)
            #expect(found.body == bytes)
            #expect(found.headers.first(name: "Content-Type") == "image/png", "what it is, not what it was called")
            #expect(found.headers.first(name: "ETag") == "\"\(described.sha256)\"")
        }
    }

    @Test func `what Catalog does not take is 422, and one byte too many 413`() async throws {
        try await GatewayHarness.run { store in
            let wrong = try await store.send(.PUT, image, token: key, bytes: [1, 2, 3])
            #expect(wrong.status == 422)
            #expect(wrong.code == "requestInvalid")
            let announced = try await RawConnection.exchange(
                store,
                "PUT \(image) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
                    + "Content-Length: \(PromotionImage.lengthMax + 1)\r\nConnection: close\r\n\r\n")
            #expect(announced.hasPrefix("HTTP/1.1 413"))
            #expect(store.catalog.contents.withLock { $0.promoting.image == nil })
            #expect(try await store.send(.GET, image, token: key).status == 404)
        }
    }

    @Test func `a review may say why, and may be repeated`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await store.send(.POST, "\(image)/approve", token: key).status == 404, "nothing to review")
            _ = try await store.send(.PUT, image, token: key, bytes: [0x89, 0x50])
            for _ in 0..<2 {
                let approved = try await store.send(.POST, "\(image)/approve", token: key)
                #expect(approved.status == 200)
                #expect(approved.json["state"] == "approved")
            }
            let rejected = try await store.send(
                .POST, "\(image)/reject", token: key, body: #"{"reason":"It cannot be read."}"#)
            #expect(rejected.json["state"] == "rejected")
            #expect(rejected.json["reason"] == "It cannot be read.")
            for body in [#"{"reason":""}"#, #"{"reason":"\#(String(repeating: "x", count: 501))"}"#, #"{"why":"x"}"#] {
                #expect(try await store.send(.POST, "\(image)/reject", token: key, body: body).status == 400)
            }
            #expect(store.catalog.contents.withLock { $0.promoting.reviews.count } == 3)
        }
    }
}
