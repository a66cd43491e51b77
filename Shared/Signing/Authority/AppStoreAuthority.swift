import Cryptography
import StoreModels

/// The templates of the two certificates below a root.
struct ChainTemplates {
    var intermediate: CertificateTemplate
    var leaf: CertificateTemplate

    static let receipts = ChainTemplates(intermediate: .intermediate, leaf: .leaf)

    /// The App Store's chain. It is like that of receipts, but has its own names and the OCSP responder's address.
    static func appStore(ocspURL: String) -> ChainTemplates {
        var templates = receipts
        templates.intermediate.commonName = "Storebus App Store CA"
        templates.intermediate.ocspURL = ocspURL
        templates.leaf.commonName = "Storebus App Store Signing"
        templates.leaf.ocspURL = ocspURL
        return templates
    }
}

extension CertificateAuthority {
    /// Makes the App Store's authority below the root of the receipts' authority.
    ///
    /// Intermediate and leaf are new, with new keys. Both name one address for questions about revocation: Apple's
    /// Python library fails at the first of several that fails.
    /// - Parameters:
    ///   - root: The authority whose root certificate and root key are used.
    ///   - ocspURL: The OCSP responder's address as clients reach it, `http://127.0.0.1:8080/ocsp`.
    /// - Throws: ``InvalidOCSPURL``.
    package static func appStore(root: CertificateAuthority, ocspURL: String) throws -> CertificateAuthority {
        try CertificateAuthority(
            .appStore(ocspURL: checked(ocspURL)), root: root.root, rootKey: root.rootKey,
            intermediateKey: P256.Signing.PrivateKey(), leafKey: P256.Signing.PrivateKey())
    }

    /// The OCSP responder's address in the leaf. Nil for the receipts' authority.
    package var ocspURL: String? { leaf.ocspURLs.first }

    /// Issues intermediate and leaf anew with another OCSP responder's address, for the same keys.
    ///
    /// Earlier signatures name the old address in their chain, and still verify offline.
    /// - Throws: ``InvalidOCSPURL``, or ``NotAppStore`` for the receipts' authority.
    package func reissued(ocspURL: String) throws -> CertificateAuthority {
        guard self.ocspURL != nil else { throw NotAppStore() }
        return try CertificateAuthority(
            .appStore(ocspURL: Self.checked(ocspURL)), root: root, rootKey: rootKey, intermediateKey: intermediateKey,
            leafKey: leafKey)
    }

    /// Makes new keys and certificates in place of some. The root stays.
    ///
    /// Earlier signatures still verify. An ``OCSPResponder`` answers for them as long as it is given the earlier
    /// authority, too.
    /// - Throws: An error of libcrypto, which would be a fault in the templates.
    package func rotated(_ rotation: CertificateRotation) throws -> CertificateAuthority {
        let leafKey = P256.Signing.PrivateKey()
        switch rotation {
        case .leaf:
            return CertificateAuthority(
                root: root, intermediate: intermediate,
                leaf: try templates.leaf.certificate(
                    for: leafKey.publicKey, issuer: intermediate.subject, issuerKey: intermediateKey),
                rootKey: rootKey, intermediateKey: intermediateKey, leafKey: leafKey)
        case .intermediate:
            return try CertificateAuthority(
                templates, root: root, rootKey: rootKey, intermediateKey: P256.Signing.PrivateKey(), leafKey: leafKey)
        }
    }

    /// The templates its certificates were made from.
    var templates: ChainTemplates { ocspURL.map(ChainTemplates.appStore) ?? .receipts }

    /// The error for an address that no certificate can hold or no client can ask.
    package struct InvalidOCSPURL: Error {}

    /// The error for an authority without the address of an OCSP responder.
    package struct NotAppStore: Error {}

    /// The most bytes of an OCSP responder's address.
    private static let ocspURLBytesMax = 1024

    /// Certificates hold addresses in ASCII, and verifiers ask over HTTP.
    private static func checked(_ ocspURL: String) throws(InvalidOCSPURL) -> String {
        let utf8 = ocspURL.utf8
        guard let scheme = ["http://", "https://"].first(where: { utf8.starts(with: $0.utf8) }),
            utf8.count > scheme.utf8.count, utf8.count <= ocspURLBytesMax,
            utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw InvalidOCSPURL() }
        return ocspURL
    }
}
