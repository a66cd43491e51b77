import Cryptography
import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

/// Goal: the App Store Server API opens to its app's server and to no other token (S1, S2).
@Suite struct ServerAPITokenTests {
    /// What a token is changed by, and what the reason says.
    struct Fault: Sendable, CustomTestStringConvertible {
        let reason: String
        let change: @Sendable (inout ServerToken) -> Void
        var testDescription: String { reason }

        init(_ reason: String, _ change: @escaping @Sendable (inout ServerToken) -> Void) {
            (self.reason, self.change) = (reason, change)
        }
    }

    private static let path = "/inApps/v1/transactions/2000000000000001"
    private static var seconds: Int64 { Timestamp.wallClock().milliseconds / 1000 }

    private func answer(_ store: GatewayHarness, _ token: String?) async throws -> Answer {
        try await store.send(.GET, Self.path, token: token)
    }

    /// Whether it is Apple's answer to a token that is not accepted.
    private func isRefused(_ answer: Answer) -> Bool {
        answer.status == 401 && answer.text == "Unauthenticated\n"
            && answer.headers.first(name: "Content-Type") == "text/plain"
            && answer.headers.first(name: "WWW-Authenticate") != nil
    }

    @Test(arguments: [
        Fault("alg ES256") { $0.header["alg"] = "none" }, Fault("alg ES256") { $0.header["alg"] = "HS256" },
        Fault("alg ES256") { $0.header["kid"] = nil }, Fault("alg ES256") { $0.header["crit"] = .array(["exp"]) },
        Fault("kid is not") { $0.header["kid"] = "AAAAAAAAAA" },
        Fault("signature") { $0.key = P256.Signing.PrivateKey() },
        Fault("signature") { $0.claims["exp"] = nil }, Fault("signature") { $0.claims["bid"] = nil },
        Fault("iss is not") { $0.claims["iss"] = "57246542-96fe-1a63-e053-0824d011072a" },
        Fault("aud is not") { $0.claims["aud"] = "appstoreconnect-v2" },
        Fault("bid is not") { $0.claims["bid"] = "com.example.two" },
        Fault("expired") { $0.claims["exp"] = .integer(seconds - 61) },
        Fault("in the future") { $0.claims["iat"] = .integer(seconds + 90) },
        Fault("more than an hour") { $0.claims["exp"] = .integer(seconds + 3700) },
        Fault("more than an hour") {
            ($0.claims["iat"], $0.claims["exp"]) = (.integer(seconds - 1800), .integer(seconds + 1900))
        },
        Fault("more than an hour") { ($0.claims["iat"], $0.claims["exp"]) = (nil, .integer(seconds + 3700)) },
        Fault("more than an hour") { $0.claims["exp"] = .number("1e300") },
        Fault("in the future") { $0.claims["iat"] = .number("1e300") },
    ])
    func `a token with one fault is refused, and says which`(fault: Fault) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            var token = try await store.serverToken()
            #expect(try await answer(store, try token.text()).status == 200)
            fault.change(&token)
            let answer = try await answer(store, try token.text())
            #expect(isRefused(answer), "\(answer.status) \(answer.text)")
            let reason = answer.headers.first(name: "WWW-Authenticate") ?? ""
            #expect(reason.contains(fault.reason), "\(reason)")
        }
    }

    @Test func `no other spelling of a token is taken (S2)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.serverToken().text()
            let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let letter = try #require(token.last)
            let last = try #require(digits.firstIndex(of: letter))
            let spellings = (1...15).map { String(token.dropLast()) + String(digits[last ^ $0]) }
            for other in spellings + [token + "=", token + "=="] {
                #expect(isRefused(try await answer(store, other)), "\(other)")
            }
        }
    }

    @Test func `clocks may differ by a minute, and iat may be left out`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.serverToken()
            let changes: [@Sendable (inout ServerToken) -> Void] = [
                { $0.claims["exp"] = .integer(Self.seconds - 30) },
                { ($0.claims["iat"], $0.claims["exp"]) = (.integer(Self.seconds + 30), .integer(Self.seconds + 900)) },
                { $0.claims["iat"] = nil },
                { ($0.claims["iat"], $0.claims["exp"]) = (nil, .integer(Self.seconds + 3600)) },
                { $0.claims["aud"] = .array(["appstoreconnect-v1"]) },
                { $0.claims["nonce"] = "x" },
            ]
            for (place, change) in changes.enumerated() {
                var changed = token
                change(&changed)
                #expect(try await answer(store, try changed.text()).status == 200, "change \(place)")
            }
        }
    }

    @Test func `a key of the account opens the app that the token names, and no app that there is not`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            store.catalog.contents.withLock {
                $0.apps["com.example.two"] = App(
                    bundleId: "com.example.two", settings: .init(name: "2"), catalogVersion: 1)
            }
            var token = try await store.serverToken(isAccounts: true)
            #expect(try await answer(store, try token.text()).status == 200)
            token.claims["bid"] = "com.example.two"
            let other = try await answer(store, try token.text())
            #expect(other.json["errorCode"] == 4_040_010, "the other app has no such transaction")
            for bid in ["com.example.none", "com.example.app@t-1", "", "a b"] {
                token.claims["bid"] = .string(bid)
                #expect(isRefused(try await answer(store, try token.text())), "\(bid)")
            }
        }
    }

    @Test func `a key of the account is listed and deleted beside those of apps`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.serverToken(isAccounts: true)
            let kid = try #require(token.header["kid"]?.stringValue)
            let all = try await store.send(.GET, "/admin/v1/keys", token: Sample.adminKey).decode(KeysResponse.self)
            #expect(all.keys.map(\.keyIdentifier) == [kid])
            let path = "/admin/v1/apps/\(Sample.bundleId)/keys"
            #expect(try await store.send(.GET, path, token: Sample.adminKey).json["keys"] == .array([]))
            #expect(try await store.send(.DELETE, "\(path)/\(kid)", token: Sample.adminKey).status == 404)
            for kind in KeyKind.allCases where kind != .inAppPurchase {
                let body = #"{"kind":"\#(kind.rawValue)"}"#
                #expect(try await store.send(.POST, "/admin/v1/keys", token: Sample.adminKey, body: body).status == 400)
            }
            #expect(try await store.send(.DELETE, "/admin/v1/keys/\(kid)", token: Sample.adminKey).status == 204)
            #expect(isRefused(try await answer(store, try token.text())))
        }
    }

    @Test func `a deleted key opens nothing any more`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.serverToken()
            #expect(try await answer(store, try token.text()).status == 200)
            let path = "/admin/v1/apps/com.example.app/keys/\(token.header["kid"]?.stringValue ?? "")"
            #expect(try await store.send(.DELETE, path, token: Sample.adminKey).status == 204)
            #expect(isRefused(try await answer(store, try token.text())))
        }
    }

    @Test func `other credentials of the store are refused the same way`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let offers = try await store.send(
                .POST, "/admin/v1/apps/com.example.app/keys", token: Sample.adminKey,
                body: #"{"kind":"subscriptionOffer"}"#)
            var borrowed = try await store.serverToken()
            borrowed.header["kid"] = offers.json["keyIdentifier"]
            borrowed.key = try P256.Signing.PrivateKey(pemRepresentation: offers.json["secret"]?.stringValue ?? "")
            let tokens: [String?] = [
                nil, "", "x", "a.b.c", "..", Sample.adminKey, try await store.session(), try await store.apiKey(),
                try borrowed.text(), try await store.serverToken().text() + ".x",
                String(try await store.serverToken().text().dropLast(4)), String(repeating: "a", count: 9000),
            ]
            for token in tokens {
                let answer = try await answer(store, token)
                #expect(isRefused(answer), "\(token ?? "nil"): \(answer.status) \(answer.text)")
            }
        }
    }
}
