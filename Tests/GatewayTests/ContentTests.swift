import EventLoop
import Hummingbird
import NIOCore
import NIOHTTP1
import StoreModels
import Testing

@testable import GatewayEdge

/// Hosted content, as the operator uploads it.
@Suite struct ContentTests {
    private static let path = "/admin/v1/apps/com.example.app/products/com.example.hiddenBeaches/content"

    private func put(
        _ store: GatewayHarness, _ bytes: [UInt8], query: String = "?version=1.0", path: String = path
    ) async throws -> Answer {
        try await store.send(
            .PUT, path + query, token: Sample.adminKey, headers: [("Content-Type", "application/zip")], bytes: bytes)
    }

    @Test func `a package is 201 at first, 200 when it replaces one, and there to be asked (M47)`() async throws {
        try await GatewayHarness.run { store in
            let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let first = try await put(store, bytes)
            #expect(first.status == 201)
            #expect(first.json["contentIdentifier"] == "com.example.hiddenBeaches")
            #expect(first.json["contentVersion"] == "1.0")
            #expect(first.json["contentLength"]?.intValue == 600_000)
            #expect(first.json["sha256"]?.stringValue?.utf8.count == 64)
            #expect(store.catalog.contents.withLock { $0.hosted?.bytes } == bytes)
            #expect(try await put(store, [1]).status == 200)
            for query in ["", "?version=1.0"] {
                let found = try await store.send(.GET, Self.path + query, token: Sample.adminKey)
                #expect(found.status == 200)
                #expect(found.json["contentLength"]?.intValue == 1)
            }
        }
    }

    @Test func `a body of unknown length is taken as well`() async throws {
        try await GatewayHarness.run { store in
            let chunk = "1000\r\n\(String(repeating: "x", count: 0x1000))\r\n"
            let answer = try await RawConnection.exchange(
                store,
                "PUT \(Self.path)?version=1.0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Sample.adminKey)\r\n"
                    + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n\(chunk)\(chunk)3\r\nend\r\n0\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 201"))
            let length = 2 * 0x1000 + 3
            #expect(store.catalog.contents.withLock { $0.hosted?.bytes.count } == length)
        }
    }

    @Test func `an empty package is one`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await put(store, [])
            #expect(answer.status == 201)
            #expect(answer.json["contentLength"]?.intValue == 0)
        }
    }

    @Test func `one byte more than 256 MiB is 413 and nothing is begun`() async throws {
        try await GatewayHarness.run { store in
            let announced = try await RawConnection.exchange(
                store,
                "PUT \(Self.path)?version=1.0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Sample.adminKey)\r\n"
                    + "Content-Length: 268435457\r\nConnection: close\r\n\r\n")
            #expect(announced.hasPrefix("HTTP/1.1 413"))
            #expect(announced.contains("bodyTooLarge"))
            #expect(store.catalog.contents.withLock { $0.contentUploads.isEmpty })
        }
    }

    @Test(arguments: [(999, true), (1000, true), (1001, false)])
    func `a body of unknown length is bounded too, while it comes`(count: Int, isTaken: Bool) async throws {
        let body = RequestBody(buffer: ByteBuffer(repeating: 7, count: count))
        var parts = ContentUpload.Parts(body: body.makeAsyncIterator(), limit: 1000)
        if isTaken {
            let part = try await parts.next()
            #expect(part?.count == count)
            #expect(parts.offset == Int64(count))
            let none = try await parts.next()
            #expect(none == nil)
        } else {
            let error = await #expect(throws: StoreError.self) { try await parts.next() }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test func `a version the catalogue does not declare, and none, are refused`() async throws {
        try await GatewayHarness.run { store in
            let other = try await put(store, [1], query: "?version=2.0")
            #expect(other.status == 422)
            #expect(other.code == "catalogInvalid")
            #expect(try await put(store, [1], query: "").status == 400)
            #expect(try await put(store, [1], query: "?version=").status == 400)
            #expect(try await put(store, [1], query: "?version=1.0&version=1.0").status == 400)
            let unknown = Self.path.replacing("hiddenBeaches", with: "nothing")
            #expect(try await put(store, [1], path: unknown).status == 404)
            #expect(try await store.send(.GET, Self.path, token: Sample.adminKey).status == 404)
            #expect(store.catalog.contents.withLock { $0.hosted == nil })
        }
    }

    @Test func `without Catalog nothing is uploaded`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.service.goAway()
            let answer = try await put(store, [1])
            #expect(answer.status == 503)
        }
    }
}
