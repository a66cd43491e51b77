package import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A compact JWS (RFC 7515) in its three parts, not yet verified.
package struct SignedDocument: Hashable, Sendable {
    /// The text as it was received.
    package let text: String
    /// JSON.
    package let header: [UInt8]
    /// JSON.
    package let payload: [UInt8]
    /// Two numbers of 32 bytes each.
    package let signature: [UInt8]

    /// Reads a text.
    /// - Returns: Nil for text that is not three parts of base64url without padding.
    package init?(_ text: String) {
        guard let parts = Base64URL.parts(ofJWS: text) else { return nil }
        (self.text, header, payload, signature) = (text, parts[0], parts[1], parts[2])
    }

    /// The signed bytes: header and payload as they are in the text, with the period between.
    package var signedBytes: [UInt8] {
        let utf8 = text.utf8
        return Array(utf8[..<(utf8.lastIndex(of: UInt8(ascii: ".")) ?? utf8.startIndex)])
    }
}

/// The failed check of a signed document, as StoreKit names them.
package enum SignedDataFault: Error, Hashable, Sendable, CaseIterable {
    /// The authority has revoked a certificate of the chain.
    case revokedCertificate
    /// A certificate is invalid, or the chain does not lead to a trusted root.
    case invalidCertificateChain
    /// The document was made for another device, app or environment.
    case invalidDeviceVerification
    /// The text is not three parts, or its header is not one of ES256 with certificates.
    case invalidEncoding
    /// The signature does not belong to header and payload.
    case invalidSignature
    /// The payload lacks members, or they have other types.
    case missingRequiredProperties
}

/// Verifies signed documents of a store against trusted roots, without asking anybody.
///
/// ```swift
/// let verifier = SignedDataVerifier(roots: SignedDataVerifier.certificates(in: pem))
/// let fault = verifier.fault(in: document, signedAt: Timestamp(milliseconds: 1_795_600_000_000))
/// ```
package struct SignedDataVerifier: Hashable, Sendable {
    private struct Header: Decodable {
        let alg: String
        let x5c: [String]
        let crit: [String]?
    }

    /// Certificates in DER.
    package var roots: [[UInt8]]
    /// Whether documents have one certificate instead of a chain, as in the environment Xcode.
    package var isXcode: Bool

    /// Trusts the roots of the list. Without any, every document is a fault.
    package init(roots: [[UInt8]], isXcode: Bool = false) { (self.roots, self.isXcode) = (roots, isXcode) }

    /// Whether two certificates are for one key. False if one of them cannot be read.
    package static func haveSameKey(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        SigningCertificate(one).map { $0.key.info == SigningCertificate(other)?.key.info } ?? false
    }

    /// Reads certificates from a file: one in DER, or any number in PEM.
    /// - Returns: Nil when a block is no certificate.
    package static func certificates(in file: [UInt8]) -> [[UInt8]]? {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        let blocks = String(decoding: file, as: UTF8.self).split(separator: begin, omittingEmptySubsequences: false)
            .dropFirst()
        let list =
            blocks.isEmpty
            ? [file]
            : blocks.compactMap { block in
                block.split(separator: end).first
                    .flatMap { Data(base64Encoded: String($0.filter { !$0.isWhitespace })) }.map { Array($0) }
            }
        return list.allSatisfy { SigningCertificate($0) != nil } && list.count == max(1, blocks.count) ? list : nil
    }

    /// Finds the first failed check of header, chain and signature.
    ///
    /// - Parameter instant: When the payload says it was signed. Nil does not check the certificates' validity.
    /// - Returns: Nil for a good document. Its claims are still to be compared.
    package func fault(in document: SignedDocument, signedAt instant: Timestamp?) -> SignedDataFault? {
        guard let header = try? StoreJSON.decode(Header.self, from: document.header), header.alg == "ES256",
            header.crit == nil
        else { return .invalidEncoding }
        let chain = header.x5c.compactMap { Data(base64Encoded: $0).map { Array($0) } }
        guard chain.count == header.x5c.count else { return .invalidEncoding }
        let leaf = isXcode ? xcode(chain, at: instant) : Self.leaf(of: chain, below: roots, at: instant)
        guard let leaf else { return .invalidCertificateChain }
        return ECDSA.verifies(numbers: document.signature, of: document.signedBytes, leaf.key) ? nil : .invalidSignature
    }

    /// Checks the only certificate of Xcode's data. A store makes it anew when it starts, for the same key.
    private func xcode(_ chain: [[UInt8]], at instant: Timestamp?) -> SigningCertificate? {
        guard chain.count == 1, let only = SigningCertificate(chain[0]), only.isValid(at: instant),
            only.isSigned(by: only), roots.contains(where: { Self.haveSameKey(chain[0], $0) })
        else { return nil }
        return only
    }

    /// Checks a chain of leaf, intermediate and root.
    private static func leaf(of chain: [[UInt8]], below roots: [[UInt8]], at instant: Timestamp?) -> SigningCertificate?
    {
        let certificates = chain.compactMap { SigningCertificate($0) }
        guard chain.count == 3, certificates.count == 3, roots.contains(chain[2]) else { return nil }
        let (leaf, intermediate, root) = (certificates[0], certificates[1], certificates[2])
        guard certificates.allSatisfy({ $0.isValid(at: instant) }) else { return nil }
        let areAuthorities = [intermediate, root].allSatisfy {
            $0.isAuthority && $0.allows(bit: SigningCertificate.signsCertificates)
        }
        guard areAuthorities, (root.pathLengthMax ?? 1) >= 1, !leaf.isAuthority,
            leaf.allows(bit: SigningCertificate.signsData), leaf.has(SigningCertificate.Mark.leaf),
            intermediate.has(SigningCertificate.Mark.intermediate), intermediate.isSigned(by: root),
            leaf.isSigned(by: intermediate)
        else { return nil }
        return leaf
    }
}

/// The proof that a document was signed for one device: base64 of SHA-384 over nonce and device in lower case.
package enum DeviceProof {
    /// Computes the proof.
    package static func make(nonce: UUID, device: UUID) -> Data {
        Data(ECDSA.sha384(Array((nonce.uuidString + device.uuidString).lowercased().utf8)))
    }
}
