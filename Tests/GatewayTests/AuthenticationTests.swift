import BusService
import Cryptography
import EventLoop
import Foundation
import HTTPTypes
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge

/// S1–S4: who gets where.
@Suite struct AuthenticationTests {
    @Test func `an expired session is refused and told so`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            #expect(try await store.send(.GET, "/v1/transactions", token: token).status == 200)
            store.moveClock(to: .wallClock() + .seconds(24 * 3600 + 1))
            let answer = try await store.send(.GET, "/v1/transactions", token: token)
            #expect(answer.status == 401)
            #expect(answer.headers.first(name: "WWW-Authenticate") == "Bearer realm=\"storebus\"")
            #expect(answer.json["detail"]?.stringValue?.contains("expired") == true)
        }
    }

    @Test func `another customer's transaction is 404, with the same words as a missing one`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t1"))
            let mallory = try await store.session(account: "mallory", device: "mallory-1")
            for path in ["/v1/transactions/t1", "/v1/transactions/none"] {
                let answer = try await store.send(.GET, path, token: mallory)
                #expect(answer.status == 404)
                #expect(answer.json["detail"] == "there is no such transaction")
            }
            let finish = try await store.send(.POST, "/v1/transactions/t1/finish", token: mallory)
            #expect(finish.status == 404)
        }
    }

    @Test func `only our own algorithm and header are taken`() async throws {
        let key = [UInt8](repeating: 7, count: 32)
        let tokens = SessionTokens(key: key)
        let session = Session(
            identifier: "s_1", startedAt: .wallClock(), bundleId: "a", customerIdentifier: "c", account: "a",
            deviceId: "d", client: .app, storefront: "USA", platform: .iOS, promotedPurchases: .none)
        let token = try tokens.issue(session).token
        #expect(try tokens.verify(token) == session)
        let payload = String(token.split(separator: ".")[1])
        func encode(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let signature = token.split(separator: ".")[2]
        let forged = [
            "\(encode(#"{"alg":"none","typ":"JWT"}"#)).\(payload).",
            "\(encode(#"{"alg":"nOnE","typ":"JWT"}"#)).\(payload).",
            "\(encode(#"{"alg":"HS256","typ":"JWT","kid":"../../x"}"#)).\(payload).\(signature)",
            "\(encode(#"{"alg":"HS256","typ":"JWT","kid":"' OR '1'='1"}"#)).\(payload).\(signature)",
            "\(encode(#"{"alg":"HS256","typ":"JWT","jku":"http://127.0.0.1:1/"}"#)).\(payload).\(signature)",
            "\(encode(#"{"alg":"HS256","typ":"JWT","alg":"none"}"#)).\(payload).",
            "\(encode(#"{"alg":"ES256","typ":"JWT"}"#)).\(payload).\(signature)",
            "\(encode(#"{"alg":"HS512","typ":"JWT"}"#)).\(payload).\(signature)",
            "\(token.dropLast(2))AA", "", ".", "a.b.c", String(repeating: "a", count: 1 << 20),
        ]
        for text in forged {
            #expect(throws: SessionTokens.Rejection.self) { try tokens.verify(text) }
        }
        // Signed with the right key, made for something else.
        var claims = SessionClaims(session)
        claims.aud = "somebody-else"
        let foreign = try tokens.sign(claims)
        #expect(throws: SessionTokens.Rejection.self) { try tokens.verify(foreign) }
        let other = SessionTokens(key: Array(repeating: 8, count: 32))
        #expect(throws: SessionTokens.Rejection.self) { try other.verify(token) }
    }

    @Test func `a token signed with what everyone knows, for others, or without an end is refused (S2)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let own = try #require(try Self.claims(of: token).objectValue)
            let root = try await store.send(.GET, "/admin/v1/signing/root", token: Sample.adminKey)
            try #require(root.status == 200)
            let secret = [UInt8](repeating: 7, count: 32)
            func forge(_ key: [UInt8], _ changes: [String: JSONValue?] = [:]) throws -> String {
                let claims = changes.reduce(into: own) { $0[$1.key] = $1.value }
                let text =
                    Self.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
                    + Self.encode(try StoreJSON.encode(JSONValue.object(claims)))
                let code = HMAC<SHA256>.authenticationCode(for: text.utf8, using: SymmetricKey(data: key))
                return text + "." + Self.encode(Array(code))
            }
            // The forger of this test can sign: with the gateway's own key its tokens are taken.
            let good = try await store.send(.GET, "/v1/transactions", token: try forge(secret))
            try #require(good.status == 200)
            let forged = [
                try forge(root.body), try forge([]), try forge(Array(Sample.adminKey.utf8)),
                try forge(secret, ["aud": "appstoreconnect-v1"]), try forge(secret, ["aud": nil]),
                try forge(secret, ["iss": "somebody"]), try forge(secret, ["exp": nil]),
                try forge(secret, ["exp": 1]), try forge(secret, ["sub": nil]),
                try forge(secret, ["client": "admin"]), String(repeating: "a", count: 15_000),
                "sbk_' OR '1'='1_x", "sbk_%_x", "sbk_\u{27}--_x", "\(Sample.adminKey)x",
            ]
            for token in forged {
                for path in ["/v1/transactions", "/admin/v1/apps", "/v1/customers/alice/history"] {
                    let answer = try await store.send(.GET, path, token: token)
                    #expect(answer.status == 401, "\(path) with \(token.prefix(400))")
                    #expect(!answer.text.contains(token), "an answer repeats no token")
                }
            }
        }
    }

    private static func claims(of token: String) throws -> JSONValue {
        let text = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return try StrictJSON.parse(Array(try #require(Data(base64Encoded: text + padding))))
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test func `no other spelling of a token is taken (S2)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            // The last digit of a signature has two bits that belong to no byte.
            let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let letter = try #require(token.last)
            let last = try #require(digits.firstIndex(of: letter))
            let spellings = (1...3).map { String(token.dropLast()) + String(digits[last ^ $0]) }
            let parts = token.split(separator: ".").map(String.init)
            let padded = [token + "=", token + "==", "\(parts[0])=.\(parts[1]).\(parts[2])", token + ".", "." + token]
            for other in spellings + padded {
                #expect(try await store.send(.GET, "/v1/transactions", token: other).status == 401, "\(other)")
            }
            #expect(try await store.send(.GET, "/v1/transactions", token: token).status == 200)
        }
    }

    @Test func `the longest names make a session whose token is taken`() async throws {
        try await GatewayHarness.run { store in
            let widest = { (rule: IdentifierRule) in String(repeating: "\u{1F600}", count: rule.lengthMax) }
            let token = try await store.session(
                account: widest(.account), device: widest(.device), osVersion: String(repeating: "\u{1F600}", count: 64)
            )
            #expect(token.utf8.count > 2500 && token.utf8.count <= HTTPLimits.tokenBytesMax)
            #expect(try await store.send(.GET, "/v1/transactions", token: token).status == 200)
        }
    }

    @Test func `a token that was verified before expires all the same`() async throws {
        let clock = Locked(Timestamp.wallClock())
        let tokens = SessionTokens(key: Array(repeating: 7, count: 32), now: { clock.withLock { $0 } })
        let session = Session(
            identifier: "s_1", startedAt: .wallClock(), bundleId: "a", customerIdentifier: "c", account: "a",
            deviceId: "d", client: .app, storefront: "USA", platform: .iOS, promotedPurchases: .none)
        let (token, expiresAt) = try tokens.issue(session)
        #expect(try tokens.verify(token) == session)
        clock.withLock { $0 = expiresAt }
        #expect(throws: SessionTokens.Rejection.expired) { try tokens.verify(token) }
    }

    @Test func `without an admin key no caller is the operator`() async throws {
        let tokens = SessionTokens(key: Array(repeating: 1, count: 32))
        let gateway = try await InMemoryGateway.make()
        let authenticator = Authenticator(
            tokens: tokens, adminKey: nil, console: nil, keys: gateway.parts.directories.keys)
        await #expect(throws: HTTPProblem.self) {
            try await authenticator.principal(
                for: .admin, method: .get, headers: [.authorization: "Bearer "], CallContext())
        }
        await #expect(throws: HTTPProblem.self) {
            try await authenticator.principal(
                for: .admin, method: .get, headers: [.authorization: "Bearer anything"], CallContext())
        }
    }

    @Test func `the session key is made once, private, and found again`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("session.key")
        let first = try KeyFile.load(path)
        #expect(first.count == KeyFile.byteCount)
        #expect(try KeyFile.load(path) == first)
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: KeyFile.Failure.self) { try KeyFile.load(path) }
        try FileManager.default.removeItem(atPath: path)
        #expect(
            FileManager.default.createFile(atPath: path, contents: Data([1]), attributes: [.posixPermissions: 0o600]))
        #expect(throws: KeyFile.Failure.self) { try KeyFile.load(path) }
    }

    @Test func `gateways that start together share one key`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("session.key")
        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 { group.addTask { try KeyFile.load(path) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["session.key"])
    }
}
