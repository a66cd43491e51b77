import Signing
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verifies signatures of the App Store's server, for `storebus verify`.
struct SignatureCheck {
    let context: CommandContext
    /// The file of the trusted root. Nil for the store's own, whose app and environment count too.
    var root: String?
    /// The app and environment named by flags.
    var expected = JWSVerifier.Expectation()
    /// Whether the OCSP responder is not asked.
    var isOffline = false

    /// In bytes. No certificate is larger.
    private static let rootByteCountMax = 64 * 1024

    /// Finds a JWS in a file: alone, or as a member of a response or notification.
    /// - Returns: Nil for anything else.
    static func jws(in bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        if text.hasPrefix("{"), let document = try? StrictJSON.parse(bytes) {
            let inner = document["data"] ?? document
            return ["jws", "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]
                .lazy.compactMap { inner[$0]?.stringValue }.first
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // What begins as a header does, or has its parts: so that a cut one is explained, and not taken for a receipt.
        return parts.count == 3 || (text.hasPrefix("eyJ") && parts.count > 1) ? text : nil
    }

    /// - Throws: `signatureRefused`, which names the step that failed, and errors of files and store.
    func run(_ jws: String) async throws -> CommandResult {
        let verifier = try await verifier()
        var expected = expected
        if root == nil {
            expected.bundleId = expected.bundleId ?? context.bundleId
            if expected.environment == nil {
                expected.environment = try await context.api.call(
                    AppStoreServerRoutes.settings, [.bundleId: context.bundleId]
                ).environment.rawValue
            }
        }
        var payload = try await verify(jws, with: verifier, expected, at: nil)
        var (data, inside) = (payload["data"]?.objectValue, [String]())
        for name in SignedPayload.signed {
            guard let inner = data?[name]?.stringValue else { continue }
            data?[name] = try await verify(inner, with: verifier, expected, at: "data.\(name)")
            inside.append(name)
        }
        if let data, var members = payload.objectValue {
            members["data"] = .object(data)
            payload = .object(members)
        }
        return Self.result(payload, expected, inside: inside, isOffline: isOffline)
    }

    private func verifier() async throws -> JWSVerifier {
        let bytes =
            if let root {
                try FileAccess.read(context.path(root), byteCountMax: Self.rootByteCountMax)
            } else {
                try await context.api.bytes(ReceiptRoutes.root)
            }
        do {
            return try JWSVerifier(root: bytes)
        } catch {
            throw CLIError(
                .certificateUnreadable, "\(root ?? "the store's root") is not a certificate in PEM or DER",
                hints: ["the store's: storebus ca root --out root.pem"])
        }
    }

    private func verify(
        _ jws: String, with verifier: JWSVerifier, _ expected: JWSVerifier.Expectation, at path: String?
    ) async throws -> JSONValue {
        var ask: JWSVerifier.Ask?
        if !isOffline {
            ask = { [api = context.api] question in
                var request = api.request(AppStoreServerRoutes.certificateStatus)
                request.headers["Content-Type"] = "application/ocsp-request"
                request.body = question
                return try await api.exchange(request).body
            }
        }
        do {
            return try await verifier.verify(jws, expecting: expected, now: Date(), ask: ask)
        } catch {
            let path = path.map { "\($0): " } ?? ""
            throw CLIError(
                .signatureRefused, "\(path)\(error.step.rawValue): \(error.reason)", hints: [error.step.remedy],
                details: ["step": .string(error.step.rawValue)])
        }
    }

    private static func result(
        _ payload: JSONValue, _ expected: JWSVerifier.Expectation, inside: [String], isOffline: Bool
    ) -> CommandResult {
        var data: [String: JSONValue] = [
            "signature": "good", "revocation": isOffline ? "not asked" : "not revoked", "payload": payload,
            "inside": .array(inside.map { .string($0) }),
        ]
        data["app"] = expected.bundleId.map { .string($0) }
        data["environment"] = expected.environment.map { .string($0) }
        return CommandResult(data: .object(data)) { style in
            var fields = FieldList()
            fields.add("signature", "good")
            fields.add("inside", inside.isEmpty ? nil : inside.joined(separator: ", "))
            fields.add("revocation", isOffline ? "not asked" : "not revoked")
            fields.add("app", expected.bundleId)
            fields.add("environment", expected.environment)
            return fields.text(style) + "\n" + JSONText.indented(payload) + "\n"
        }
    }
}

extension JWSVerifier.Step {
    /// The remedy for a failure.
    fileprivate var remedy: Advice {
        switch self {
        case .form: "it is cut, or no JWS"
        case .chain: "trust this store's root: storebus ca root --out root.cer"
        case .certificates: "data of Xcode and of --break has no chain of three"
        case .revocation: "the responder's answer: storebus ca show"
        case .app: "name the app: --bundle-id"
        case .environment: "name another: --environment"
        case .algorithm, .validity, .purpose, .signature: "a server has to refuse it"
        }
    }
}
