import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

/// S3, S5, S14, S18: bodies that every operation refuses. The table is made from `openapi.json`, so it has a new
/// operation with a JSON body, too.
@Suite struct BodyRefusalTests {
    /// Operations that read bodies otherwise, with the tests that hold theirs.
    private static let others: Set<String> = [
        // Catalog reads the file: MalformedFileTests.
        "PUT /admin/v1/apps/{bundleId}/catalog", "POST /admin/v1/stores/file",
        // Apple's clients send other types and members, and read a status: VerifyReceiptTests.
        "POST /verifyReceipt",
    ]

    /// Apple passes over other members, and has one error for what it cannot read: ServerNotificationTests,
    /// ServerWriteTests.
    private static func isApples(_ name: String) -> Bool { name.contains(" /inApps/") }

    /// One operation with a JSON body, and a path that exists as far as the gateway knows.
    private struct Subject {
        let name: String
        let method: HTTPMethod
        let path: String
        let schemes: Set<String>
        let example: JSONValue
    }

    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func subjects() throws -> [Subject] {
        let withBody = document.operations.values.filter {
            $0.content != nil && !Self.others.contains($0.name)
                && !Self.isApples($0.name)
        }
        return try withBody.sorted { $0.name < $1.name }.map { operation in
            let words = operation.name.split(separator: " ").map(String.init)
            return Subject(
                name: operation.name, method: HTTPMethod(rawValue: words[0]),
                path: words[1].replacing("{bundleId}", with: Sample.bundleId).replacing(#/\{[^}]*\}/#, with: "x"),
                schemes: operation.schemes,
                example: try #require(operation.example, "\(operation.name)"))
        }
    }

    /// A body with the answer it must get.
    private struct Refusal {
        let what: String
        let bytes: [UInt8]
        var headers: [(String, String)] = []
        var status = 400
        var code = "requestInvalid"

        init(_ what: String, _ text: String) { self.init(what, bytes: Array(text.utf8)) }

        init(_ what: String, bytes: [UInt8], header: (String, String)? = nil, status: Int = 400) {
            self.what = what
            self.bytes = bytes
            self.status = status
            headers = header.map { [$0] } ?? []
        }
    }

    private static func nested(_ depth: Int) -> String {
        #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }

    private static let refusals = [
        Refusal("a repeated member (S14)", #"{"customerIdentifier":"me","customerIdentifier":"victim"}"#),
        Refusal("a repeated member in another spelling (S14)", #"{"a":1,"\u0061":2}"#),
        Refusal("a repeated member further in (S14)", #"{"a":{"b":1,"b":2}}"#),
        Refusal("a NUL (S14)", #"{"a":"\u0000"}"#),
        Refusal("more after the end (S14)", "{} {}"),
        Refusal("half a surrogate pair (S14)", #"{"a":"\ud800"}"#),
        Refusal("a number JSON has not (S14)", #"{"a":NaN}"#),
        Refusal("no object", "[]"),
        Refusal("no JSON", "bundleId=com.example.app"),
        Refusal("33 levels (S5)", nested(33)),
        Refusal("bytes that are not UTF-8 (S14)", bytes: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)),
        Refusal("UTF-16 (S14)", bytes: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]),
        Refusal("a byte order mark (S14)", bytes: [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]),
        Refusal(
            "a compressed body (S5)", bytes: [0x1F, 0x8B, 8, 0], header: ("Content-Encoding", "gzip"), status: 415),
        Refusal("a form (S18)", bytes: Array("a=b".utf8), header: ("Content-Type", form), status: 415),
        Refusal("a page's text (S18)", bytes: Array("{}".utf8), header: ("Content-Type", "text/plain"), status: 415),
    ]

    private static let form = "application/x-www-form-urlencoded"

    private func credentials(_ store: GatewayHarness) async throws -> [String: String] {
        ["admin": Sample.adminKey, "app": try await store.session(), "server": try await store.apiKey()]
    }

    private func send(
        _ store: GatewayHarness, _ subject: Subject, _ tokens: [String: String], _ bytes: [UInt8],
        _ headers: [(String, String)] = []
    ) async throws -> Answer {
        let token = ["admin", "app", "server"].first { subject.schemes.contains($0) }.flatMap { tokens[$0] }
        return try await store.send(
            subject.method, subject.path, token: token, headers: headers + [("Idempotency-Key", "body")], bytes: bytes)
    }

    @Test func `a body on which parsers may disagree is refused by every operation (S5, S14, S18)`() async throws {
        try await GatewayHarness.run { store in
            let tokens = try await credentials(store)
            let subjects = try subjects()
            #expect(subjects.count >= 40)
            for subject in subjects {
                // Where the body is a list, or has no members at all, an array is taken.
                let isObject = subject.example.objectValue.map { !$0.isEmpty } ?? false
                for refusal in Self.refusals where isObject || refusal.what != "no object" {
                    let answer = try await send(store, subject, tokens, refusal.bytes, refusal.headers)
                    #expect(answer.status == refusal.status, "\(subject.name): \(refusal.what)")
                    #expect(answer.code == refusal.code, "\(subject.name): \(refusal.what)")
                }
            }
        }
    }

    @Test func `a member that is the store's to say is refused by every operation (S3)`() async throws {
        try await GatewayHarness.run { store in
            let tokens = try await credentials(store)
            for subject in try subjects() {
                guard let members = subject.example.objectValue else { continue }
                for name in ["customerIdentifier", "isTrialPeriod", "transactionState", "isAdmin"] {
                    try #require(members[name] == nil)
                    let body = JSONValue.object(members.merging([name: "x"]) { $1 })
                    let answer = try await send(store, subject, tokens, try StoreJSON.encode(body))
                    #expect(answer.status == 400, "\(subject.name): \(name)")
                    #expect(answer.json["path"]?.stringValue == "$.\(name)", "\(subject.name): \(name)")
                }
            }
        }
    }

    @Test func `a body over its limit is refused by every operation (S5)`() async throws {
        try await GatewayHarness.run { store in
            let tokens = try await credentials(store)
            for subject in try subjects() {
                let limit =
                    switch subject.name {
                    case "POST /v1/eligibility": 960 << 10
                    case "PUT /admin/v1/chaos/runs/{id}": 512 << 10
                    default: 64 << 10
                    }
                let body = { (size: Int) in Array(String(repeating: " ", count: size).utf8) }
                #expect(try await send(store, subject, tokens, body(limit)).status == 400, "\(subject.name)")
                #expect(try await send(store, subject, tokens, body(limit + 1)).status == 413, "\(subject.name)")
            }
        }
    }

    @Test func `a web page's body without a type is refused, a client's is read (S18)`() async throws {
        try await GatewayHarness.run { store in
            for (origin, status, place) in [
                ("Origin: http://evil.example\r\n", "415", "Content-Type"), ("Origin: null\r\n", "415", "Content-Type"),
                ("", "400", "$.bundleId"),
            ] {
                let answer = try await RawConnection.exchange(
                    store,
                    "POST /v1/sessions HTTP/1.1\r\nHost: x\r\n\(origin)Content-Length: 2\r\nConnection: close\r\n\r\n{}"
                )
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(origin)\(answer)")
                #expect(answer.contains(place))
                #expect(!answer.lowercased().contains("access-control-allow"), "no page may read it")
            }
        }
    }
}
