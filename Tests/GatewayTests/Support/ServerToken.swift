import Cryptography
import Foundation
import NIOHTTP1
import Signing
import StoreHTTP
import StoreModels

/// A token of an app's server, as Apple's libraries make it.
struct ServerToken: Sendable {
    var header: [String: JSONValue]
    var claims: [String: JSONValue]
    var key: P256.Signing.PrivateKey

    func text() throws -> String {
        let input = try [header, claims].map { try Self.encoded(StoreJSON.encode(JSONValue.object($0))) }
            .joined(separator: ".")
        let signature = key.signature(for: input.utf8).rawRepresentation
        return "\(input).\(Self.encoded(Array(signature)))"
    }

    static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension GatewayHarness {
    /// Makes an In-App Purchase key, and a token of its app's server that is good for 20 minutes.
    /// - Parameter isAccounts: Whether the key is the account's, and the token alone names the app.
    func serverToken(
        _ bundleId: String = Sample.bundleId, isAccounts: Bool = false, at instant: Timestamp = .wallClock()
    ) async throws -> ServerToken {
        let path = isAccounts ? "/admin/v1/keys" : "/admin/v1/apps/\(bundleId)/keys"
        let answer = try await send(.POST, path, token: Sample.adminKey, body: #"{"kind":"inAppPurchase"}"#)
        let made = try answer.decode(NewKeyResponse.self)
        let now = instant.milliseconds / 1000
        return ServerToken(
            header: ["alg": "ES256", "kid": .string(made.keyIdentifier), "typ": "JWT"],
            claims: [
                "iss": made.issuerId.map(JSONValue.string) ?? .null, "iat": .integer(now),
                "exp": .integer(now + 1200), "aud": "appstoreconnect-v1", "bid": .string(bundleId),
            ],
            key: try P256.Signing.PrivateKey(pemRepresentation: made.secret))
    }
}

/// A JWS of the store, taken apart.
struct ParsedJWS: Sendable {
    let header: JSONValue
    let payload: JSONValue
    private let input: Data
    private let signature: Data

    init(_ text: String?) throws {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw StoreError(.internal, "\(text ?? "nil") is no JWS") }
        self.header = try StrictJSON.parse(header)
        self.payload = try StrictJSON.parse(payload)
        input = Data("\(parts[0]).\(parts[1])".utf8)
        self.signature = Data(signature)
    }

    /// Whether the signature is the leaf's and the header has the chain.
    func isSigned(by authority: CertificateAuthority) throws -> Bool {
        let chain = (header["x5c"]?.arrayValue ?? []).compactMap(\.stringValue).compactMap { Data(base64Encoded: $0) }
        guard let key = authority.leaf.publicKey else { return false }
        let root = Data(authority.rootDER)
        let isValid = key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: input)
        return header["alg"] == "ES256" && chain.count == 3 && chain.last == root && isValid
    }
}
