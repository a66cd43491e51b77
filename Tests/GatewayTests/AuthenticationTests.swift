import EventLoop
import Foundation
import HTTPTypes
import JWTKit
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway

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
        let tokens = await SessionTokens(key: key)
        let session = Session(
            identifier: "s_1", startedAt: .wallClock(), bundleId: "a", customerIdentifier: "c", account: "a",
            deviceId: "d", client: .app, storefront: "USA", platform: .iOS, promotedPurchases: .none)
        let token = try await tokens.issue(session).token
        #expect(try await tokens.verify(token) == session)
        let payload = String(token.split(separator: ".")[1])
        func encode(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let signature = token.split(separator: ".")[2]
        let forged = [
            "\(encode(#"{"alg":"none","typ":"JWT"}"#)).\(payload).",
            "\(encode(#"{"alg":"HS256","typ":"JWT","kid":"../../x"}"#)).\(payload).\(signature)",
            "\(encode(#"{"alg":"HS512","typ":"JWT"}"#)).\(payload).\(signature)",
            "\(token.dropLast(2))AA", "", ".", "a.b.c", String(repeating: "a", count: 1 << 20),
        ]
        for text in forged {
            await #expect(throws: (any Error).self) { try await tokens.verify(text) }
        }
        // Signed with the right key, made for something else.
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: Data(key)), digestAlgorithm: .sha256)
        var claims = SessionClaims(session)
        claims.aud = AudienceClaim(value: "somebody-else")
        let foreign = try await keys.sign(claims, header: ["alg": .string("HS256"), "typ": .string("JWT")])
        await #expect(throws: (any Error).self) { try await tokens.verify(foreign) }
        let other = await SessionTokens(key: Array(repeating: 8, count: 32))
        await #expect(throws: (any Error).self) { try await other.verify(token) }
    }

    @Test func `a token that was verified before expires all the same`() async throws {
        let clock = Locked(Timestamp.wallClock())
        let tokens = await SessionTokens(key: Array(repeating: 7, count: 32), now: { clock.withLock { $0 } })
        let session = Session(
            identifier: "s_1", startedAt: .wallClock(), bundleId: "a", customerIdentifier: "c", account: "a",
            deviceId: "d", client: .app, storefront: "USA", platform: .iOS, promotedPurchases: .none)
        let (token, expiresAt) = try await tokens.issue(session)
        #expect(try await tokens.verify(token) == session)
        clock.withLock { $0 = expiresAt }
        await #expect(throws: SessionTokens.Rejection.expired) { try await tokens.verify(token) }
    }

    @Test func `without an admin key no caller is the operator`() async throws {
        let tokens = await SessionTokens(key: Array(repeating: 1, count: 32))
        let keys = try await InMemoryGateway.make().keys
        let authenticator = Authenticator(tokens: tokens, adminKey: nil, keys: keys)
        await #expect(throws: HTTPError.self) {
            try await authenticator.principal(for: .admin, headers: [.authorization: "Bearer "])
        }
        await #expect(throws: HTTPError.self) {
            try await authenticator.principal(for: .admin, headers: [.authorization: "Bearer anything"])
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
