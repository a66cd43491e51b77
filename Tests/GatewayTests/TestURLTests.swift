import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@testable import AppAPI

/// The URL that starts a promoted purchase, as text and as a code.
@Suite struct TestURLTests {
    private static let path = "/admin/v1/apps/com.example.app/products/com.example.pro/test-url"
    private static let url =
        "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=com.example.pro"

    @Test(arguments: [
        ("", nil, "text/plain; charset=utf-8"), ("", "*/*", "text/plain; charset=utf-8"),
        ("", "image/svg+xml", "image/svg+xml"), ("", "image/avif,image/svg+xml;q=0.9,*/*;q=0.8", "image/svg+xml"),
        ("", "text/plain, image/svg+xml", "text/plain; charset=utf-8"), ("?format=svg", "text/plain", "image/svg+xml"),
        ("?format=text", "image/svg+xml", "text/plain; charset=utf-8"),
    ])
    func `it is text, or a code for who asks for one (M107)`(
        query: String, accept: String?, type: String
    ) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .GET, Self.path + query, token: Sample.adminKey, headers: accept.map { [("Accept", $0)] } ?? [])
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "Content-Type") == type)
            #expect(answer.headers.first(name: "Vary") == "Accept")
            if type.hasPrefix("text") {
                #expect(answer.text == Self.url)
            } else {
                #expect(answer.text == QRCode(Self.url)?.svg(title: Self.url))
            }
        }
    }

    @Test func `what it gives is what a device opens (M106, M109)`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock { $0.promoting.unavailable = ["com.example.pro"] }
            let text = try await store.send(.GET, Self.path, token: Sample.adminKey).text
            let body = try StoreJSON.encode(JSONValue.object(["url": .string(text)]))
            let opened = try await store.send(
                .POST, "/v1/open-url", token: try await store.session(client: "store"), bytes: body)
            #expect(opened.status == 200)
        }
    }

    @Test func `an unknown product has none, an unknown format is refused`() async throws {
        try await GatewayHarness.run { store in
            let unknown = Self.path.replacing("example.pro", with: "example.nothing")
            let answer = try await store.send(.GET, unknown, token: Sample.adminKey)
            #expect(answer.status == 404)
            #expect(answer.code == "productNotFound")
            #expect(try await store.send(.GET, "\(Self.path)?format=png", token: Sample.adminKey).status == 400)
        }
    }

    // MARK: The code itself

    /// Whether a code has its three finder squares (ISO/IEC 18004, 6.3.3) and timing patterns.
    private func hasFinders(_ code: QRCode) -> Bool {
        let far = code.width - 7
        let squares = [(0, 0), (0, far), (far, 0)].allSatisfy { top, left in
            (0..<7).allSatisfy { row in
                (0..<7).allSatisfy { column in
                    let ring = max(abs(row - 3), abs(column - 3))
                    return code.isBlack(row: top + row, column: left + column) == (ring != 2)
                }
            }
        }
        let dots = (8..<code.width - 8).allSatisfy {
            code.isBlack(row: 6, column: $0) == $0.isMultiple(of: 2)
                && code.isBlack(row: $0, column: 6) == $0.isMultiple(of: 2)
        }
        return squares && dots
    }

    @Test(arguments: [1, 14, 15, 100, 500, 2331])
    func `a code has the squares and the size its text needs`(length: Int) throws {
        let code = try #require(QRCode(String(repeating: "u", count: length)))
        #expect(hasFinders(code))
        // A version has 17 and four times its number of modules; at level M version 1 holds 14 bytes, 40 holds 2331.
        #expect((code.width - 17).isMultiple(of: 4) && (21...177).contains(code.width))
        #expect((code.width == 21) == (length <= 14))
        #expect((code.width == 177) == (length > 2213))
    }

    @Test func `nothing has no code, and neither has too much`() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "u", count: 2332)) == nil)
    }

    @Test func `another text is another code`() throws {
        let first = try #require(QRCode(Self.url)).svg(title: "")
        let second = try #require(QRCode(Self.url + "2")).svg(title: "")
        #expect(first != second)
    }

    @Test func `the picture has the code's modules, a white edge around them, and a title`() throws {
        let code = try #require(QRCode(Self.url))
        let svg = code.svg(title: "a&b<c>")
        #expect(svg.contains("<title>a&amp;b&lt;c&gt;</title>"))
        #expect(svg.contains("viewBox=\"0 0 \(code.width + 8) \(code.width + 8)\""))
        var drawn: Set<[Int]> = []
        for run in svg.matches(of: #/M(\d+) (\d+)h(\d+)v1h-\d+z/#) {
            let (column, row, count) = try (
                #require(Int(run.1)), #require(Int(run.2)), #require(Int(run.3))
            )
            for offset in 0..<count { drawn.insert([row - 4, column - 4 + offset]) }
        }
        for row in 0..<code.width {
            for column in 0..<code.width {
                #expect(drawn.contains([row, column]) == code.isBlack(row: row, column: column))
            }
        }
    }
}
