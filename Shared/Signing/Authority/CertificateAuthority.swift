import Crypto
import X509

/// The store's own certificates: a root, an intermediate, and a leaf that signs receipts.
///
/// Laid out as Apple's are, so that a verifier which is strict about chains finds what it looks for: critical basic
/// constraints and key usage, key identifiers in both directions, three certificates, P-256 with SHA-256. A store makes
/// one when it starts for the first time and keeps it (``StoredAuthority``); clients that trust the store get the root.
///
/// The root and the intermediate keep their keys: a later leaf comes from the same root, and what was signed before
/// still verifies.
package struct CertificateAuthority: Sendable {
    /// Self-signed; what clients have to trust.
    package let root: Certificate
    /// Signed by the root; signs leaves only.
    package let intermediate: Certificate
    /// Signs receipts; its marker extension says so.
    package let leaf: Certificate
    let rootKey: P256.Signing.PrivateKey
    let intermediateKey: P256.Signing.PrivateKey
    let leafKey: P256.Signing.PrivateKey

    /// Makes new random keys and certificates.
    /// - Throws: An error of the X.509 library, which would be a fault in the templates.
    package init() throws {
        rootKey = P256.Signing.PrivateKey()
        intermediateKey = P256.Signing.PrivateKey()
        leafKey = P256.Signing.PrivateKey()
        root = try CertificateTemplate.root.certificate(for: rootKey.publicKey, issuer: .root, issuerKey: rootKey)
        intermediate = try CertificateTemplate.intermediate.certificate(
            for: intermediateKey.publicKey, issuer: .root, issuerKey: rootKey)
        leaf = try CertificateTemplate.leaf.certificate(
            for: leafKey.publicKey, issuer: .intermediate, issuerKey: intermediateKey)
    }

    init(
        root: Certificate, intermediate: Certificate, leaf: Certificate, rootKey: P256.Signing.PrivateKey,
        intermediateKey: P256.Signing.PrivateKey, leafKey: P256.Signing.PrivateKey
    ) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        self.leafKey = leafKey
    }

    /// The certificates in chain order, leaf first.
    package var chain: [Certificate] { [leaf, intermediate, root] }
}
