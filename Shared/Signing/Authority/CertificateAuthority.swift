import Cryptography
import FoundationEssentials

/// The store's own certificates: a root, an intermediate, and a leaf that signs.
///
/// Laid out like Apple's, so that a verifier that is strict about chains finds its requirements: critical basic
/// constraints and key usage, key identifiers in both directions, three certificates, P-256 with SHA-256. A store makes
/// one when it starts for the first time and keeps it (``StoredAuthority``). Clients that trust the store get the root.
/// Below the same root is another authority, which signs the messages of the App Store's server
/// (``appStore(root:ocspURL:)``).
///
/// The root and the intermediate keep their keys. A later leaf comes from the same root, and earlier signatures still
/// verify.
package struct CertificateAuthority: Sendable {
    /// Self-signed. Clients have to trust it.
    package let root: Certificate
    /// Signed by the root. It signs leaves only.
    package let intermediate: Certificate
    /// Signs receipts or the App Store's data, as its marker extension says.
    package let leaf: Certificate
    let rootKey: P256.Signing.PrivateKey
    let intermediateKey: P256.Signing.PrivateKey
    let leafKey: P256.Signing.PrivateKey

    /// The certificates in chain order, leaf first.
    package var chain: [Certificate] { [leaf, intermediate, root] }
}

extension CertificateAuthority {
    /// Makes new random keys and certificates.
    /// - Throws: An error of libcrypto, which would be a fault in the templates.
    package init() throws {
        let rootKey = P256.Signing.PrivateKey()
        try self.init(
            .receipts,
            root: CertificateTemplate.root.certificate(for: rootKey.publicKey, issuer: nil, issuerKey: rootKey),
            rootKey: rootKey, intermediateKey: P256.Signing.PrivateKey(), leafKey: P256.Signing.PrivateKey())
    }

    /// Makes new certificates for keys, below an existing root.
    init(
        _ templates: ChainTemplates, root: Certificate, rootKey: P256.Signing.PrivateKey,
        intermediateKey: P256.Signing.PrivateKey, leafKey: P256.Signing.PrivateKey
    ) throws {
        let intermediate = try templates.intermediate.certificate(
            for: intermediateKey.publicKey, issuer: root.subject, issuerKey: rootKey)
        self.init(
            root: root, intermediate: intermediate,
            leaf: try templates.leaf.certificate(
                for: leafKey.publicKey, issuer: intermediate.subject, issuerKey: intermediateKey),
            rootKey: rootKey, intermediateKey: intermediateKey, leafKey: leafKey)
    }
}

extension CertificateAuthority {
    /// The days that a server's certificate is valid: clients refuse more than 398.
    private static let serverDays = 397.0

    /// Makes a certificate for a server's key, below the root.
    /// - Parameters:
    ///   - hosts: Names and addresses of IPv4 and IPv6, by which clients reach it.
    ///   - now: By the wall clock. The certificate begins to be valid a day before it.
    /// - Returns: DER, leaf first, without the root, which clients have.
    /// - Throws: An error of libcrypto, which would be a fault in the template.
    package func serverChain(for key: P256.Signing.PublicKey, hosts: [String], now: Date) throws -> [[UInt8]] {
        var template = CertificateTemplate(commonName: "Storebus HTTPS")
        template.hosts = hosts
        template.notValidBefore = Date(timeIntervalSince1970: (now.timeIntervalSince1970 - 86_400).rounded(.down))
        template.notValidAfter = template.notValidBefore + Self.serverDays * 86_400
        return [try template.certificate(for: key, issuer: root.subject, issuerKey: rootKey).bytes]
    }
}
