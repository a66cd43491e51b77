import Cryptography
import FoundationEssentials
import StoreModels

/// Verifies signatures of the App Store's server, in the same steps as Apple's libraries.
///
/// ```swift
/// let verifier = try JWSVerifier(root: rootDER)
/// let payload = try await verifier.verify(jws, expecting: .init(bundleId: "com.example.app"), now: .now)
/// ```
package struct JWSVerifier: Sendable {
    /// The steps, in their order.
    package enum Step: String, CaseIterable, Sendable {
        /// Three parts in base64url, header and payload JSON objects.
        case form
        /// The header's `alg` is ES256.
        case algorithm
        /// The header's `x5c` has three certificates that can be read.
        case certificates
        /// Each certificate was valid when the payload was signed.
        case validity
        /// The last certificate is the trusted root, and each of the others is issued by the next.
        case chain
        /// Leaf and intermediate are marked as the App Store's.
        case purpose
        /// The leaf's key has signed header and payload.
        case signature
        /// The responder named in the certificates reports neither as revoked.
        case revocation
        /// The payload belongs to the expected app.
        case app
        /// The payload belongs to the expected environment.
        case environment
    }

    /// The first step that failed.
    package struct Failure: Error, Hashable {
        package let step: Step
        /// The reason, without a full stop.
        package let reason: String
    }

    /// The expected values of a payload. Nil members are not compared.
    package struct Expectation: Hashable, Sendable {
        package var bundleId: String?
        /// `Sandbox`, as payloads name it.
        package var environment: String?

        package init(bundleId: String? = nil, environment: String? = nil) {
            self.bundleId = bundleId
            self.environment = environment
        }
    }

    /// Sends a request to an OCSP responder and returns the response, both DER.
    package typealias Ask = @Sendable (_ request: [UInt8]) async throws -> [UInt8]

    private let root: Certificate

    /// Creates a verifier that trusts one root.
    /// - Parameter root: The certificate, DER or PEM.
    /// - Throws: ``CryptographyError`` for an invalid certificate.
    package init(root: [UInt8]) throws {
        let isPEM = root.starts(with: Array("-----".utf8))
        self.root =
            isPEM
            ? try Certificate(pemEncoded: String(decoding: root, as: UTF8.self)) : try Certificate(derEncoded: root)
    }

    /// Verifies a compact JWS.
    /// - Parameters:
    ///   - now: The time of certificates if the payload has no `signedDate`.
    ///   - ask: Asks whether certificates are revoked. Nil leaves the step out.
    /// - Returns: The payload.
    package func verify(
        _ jws: String, expecting expected: Expectation = Expectation(), now: Date, ask: Ask? = nil
    ) async throws(Failure) -> JSONValue {
        let signed = try SignedText(jws)
        let algorithm = signed.header["alg"]
        guard algorithm == "ES256" else {
            throw Failure(
                step: .algorithm, reason: "the header's alg is \(algorithm?.stringValue.map { "'\($0)'" } ?? "missing")"
            )
        }
        let chain = try Self.certificates(of: signed.header)
        try Self.checkValidity(chain, at: try signed.signedDate() ?? Timestamp(now))
        try checkChain(chain, at: now)
        try Self.checkPurpose(chain)
        try signed.checkSignature(of: chain[0])
        if let ask { try await checkRevocation(chain, ask) }
        try signed.check(expected)
        return signed.payload
    }

    // MARK: Steps

    private static func certificates(of header: JSONValue) throws(Failure) -> [Certificate] {
        guard let texts = header["x5c"]?.arrayValue else {
            throw Failure(step: .certificates, reason: "the header has no x5c")
        }
        guard texts.count == 3 else {
            throw Failure(step: .certificates, reason: "the header's x5c has \(texts.count) certificates, not 3")
        }
        var chain: [Certificate] = []
        for (index, text) in texts.enumerated() {
            guard let data = text.stringValue.flatMap({ Data(base64Encoded: $0) }),
                let certificate = try? Certificate(derEncoded: data)
            else { throw Failure(step: .certificates, reason: "x5c[\(index)] is not a certificate") }
            chain.append(certificate)
        }
        return chain
    }

    private static func checkValidity(_ chain: [Certificate], at instant: Timestamp) throws(Failure) {
        for certificate in chain where !certificate.isValid(at: instant.date) {
            let name = CertificateSummary(certificate)
            throw Failure(
                step: .validity,
                reason: "'\(name.subject)' is valid from \(name.notValidBefore) to \(name.notValidAfter), and the "
                    + "payload was signed at \(instant)")
        }
    }

    private func checkChain(_ chain: [Certificate], at now: Date) throws(Failure) {
        guard chain[2] == root else {
            throw Failure(
                step: .chain,
                reason: "the last certificate, '\(CertificateSummary(chain[2]).subject)', is not the trusted root")
        }
        guard CertificateChain.path(from: chain[0], through: [chain[1]], to: root, at: now) == chain else {
            throw Failure(step: .chain, reason: "the certificates are not issued one by the next")
        }
    }

    private static func checkPurpose(_ chain: [Certificate]) throws(Failure) {
        for (name, certificate, template) in [
            ("leaf", chain[0], CertificateTemplate.leaf), ("intermediate", chain[1], .intermediate),
        ] {
            guard let marker = template.marker, certificate.value(of: marker) == nil else { continue }
            throw Failure(step: .purpose, reason: "the \(name) lacks the extension \(marker)")
        }
    }

    private func checkRevocation(_ chain: [Certificate], _ ask: Ask) async throws(Failure) {
        for (certificate, issuer) in zip(chain, chain.dropFirst()) where !certificate.ocspURLs.isEmpty {
            let question = OCSPQuestion(about: certificate, issuer: issuer)
            let response: [UInt8]
            do { response = try await ask(question.request) } catch {
                throw Failure(step: .revocation, reason: "\(error)")
            }
            if let fault = question.fault(in: response, root: root) { throw Failure(step: .revocation, reason: fault) }
        }
    }
}

/// A compact JWS, taken apart.
private struct SignedText {
    let header: JSONValue
    let payload: JSONValue
    private let signature: [UInt8]
    /// The signed bytes.
    private let input: String

    init(_ text: String) throws(JWSVerifier.Failure) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw JWSVerifier.Failure(step: .form, reason: "it has \(parts.count) parts between periods, not 3")
        }
        header = try Self.object(parts[0], "header")
        payload = try Self.object(parts[1], "payload")
        guard let signature = Base64URL.decode(parts[2]) else {
            throw JWSVerifier.Failure(step: .form, reason: "the signature is not base64url")
        }
        self.signature = signature
        input = "\(parts[0]).\(parts[1])"
    }

    private static func object(_ part: Substring, _ name: String) throws(JWSVerifier.Failure) -> JSONValue {
        guard let bytes = Base64URL.decode(part), let value = try? StrictJSON.parse(bytes), value.objectValue != nil
        else { throw JWSVerifier.Failure(step: .form, reason: "the \(name) is not a JSON object in base64url") }
        return value
    }

    /// Reads the instant of the signature from the payload. An app transaction has another name for it.
    func signedDate() throws(JWSVerifier.Failure) -> Timestamp? {
        guard let date = payload["signedDate"] ?? payload["receiptCreationDate"] else { return nil }
        guard let milliseconds = date.intValue else {
            throw JWSVerifier.Failure(
                step: .validity, reason: "the payload's signedDate is not a number of milliseconds")
        }
        return Timestamp(milliseconds: Int64(milliseconds))
    }

    func checkSignature(of leaf: Certificate) throws(JWSVerifier.Failure) {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            leaf.publicKey?.isValidSignature(signature, for: input.utf8) == true
        else {
            throw JWSVerifier.Failure(
                step: .signature, reason: "the leaf's key has not signed this header and payload")
        }
    }

    func check(_ expected: JWSVerifier.Expectation) throws(JWSVerifier.Failure) {
        let objects = [payload] + SignedMembers.outer.compactMap { payload[$0] }
        if let bundleId = expected.bundleId {
            for found in objects.compactMap({ $0["bundleId"]?.stringValue }) where !found.isExactly(bundleId) {
                throw JWSVerifier.Failure(step: .app, reason: "the payload is of '\(found)', not of '\(bundleId)'")
            }
        }
        guard let environment = expected.environment else { return }
        let named = objects.flatMap { object in SignedMembers.environment.compactMap { object[$0]?.stringValue } }
        for found in named where !found.isExactly(environment) {
            throw JWSVerifier.Failure(step: .environment, reason: "the payload is of \(found), not of \(environment)")
        }
    }
}

/// The members of payloads that name their app and environment.
enum SignedMembers {
    /// Those of a notification that have an app's members inside.
    static let outer = ["data", "summary", "appData", "externalPurchaseToken"]
    /// Members that name the environment. An app transaction has another one.
    static let environment = ["environment", "receiptType"]
}

/// The facts of a certificate that operators want to see.
package struct CertificateSummary: Hashable, Sendable {
    /// The common name, or the whole name if it has none.
    package let subject: String
    package let notValidBefore: Timestamp
    package let notValidAfter: Timestamp

    /// - Parameter der: The certificate.
    /// - Throws: ``CryptographyError`` for an invalid certificate.
    package init(der: [UInt8]) throws { self.init(try Certificate(derEncoded: der)) }

    fileprivate init(_ certificate: Certificate) {
        subject = certificate.subjectText
        notValidBefore = Timestamp(certificate.notValidBefore)
        notValidAfter = Timestamp(certificate.notValidAfter)
    }
}
