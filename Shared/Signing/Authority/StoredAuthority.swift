import Cryptography

/// A ``CertificateAuthority`` in its stored form: certificates in DER, private keys as their 32 bytes.
///
/// Its reader can sign as the store: keep it with the store's other secrets and out of logs.
package struct StoredAuthority: Sendable {
    /// DER of the self-signed root.
    package var rootCertificate: [UInt8]
    /// DER, signed by the root.
    package var intermediateCertificate: [UInt8]
    /// DER, signed by the intermediate.
    package var leafCertificate: [UInt8]
    /// A secret: 32 bytes, the private scalar on P-256.
    package var rootKey: [UInt8]
    /// A secret: 32 bytes, the private scalar on P-256.
    package var intermediateKey: [UInt8]
    /// A secret: 32 bytes, the private scalar on P-256.
    package var leafKey: [UInt8]

    package init(
        rootCertificate: [UInt8], intermediateCertificate: [UInt8], leafCertificate: [UInt8], rootKey: [UInt8],
        intermediateKey: [UInt8], leafKey: [UInt8]
    ) {
        self.rootCertificate = rootCertificate
        self.intermediateCertificate = intermediateCertificate
        self.leafCertificate = leafCertificate
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        self.leafKey = leafKey
    }
}

extension CertificateAuthority {
    /// Reads stored certificates and keys.
    ///
    /// - Throws: An error for a malformed certificate or key, and for keys that are not the certificates'.
    package init(_ stored: StoredAuthority) throws {
        self.init(
            root: try Certificate(derEncoded: stored.rootCertificate),
            intermediate: try Certificate(derEncoded: stored.intermediateCertificate),
            leaf: try Certificate(derEncoded: stored.leafCertificate),
            rootKey: try P256.Signing.PrivateKey(rawRepresentation: stored.rootKey),
            intermediateKey: try P256.Signing.PrivateKey(rawRepresentation: stored.intermediateKey),
            leafKey: try P256.Signing.PrivateKey(rawRepresentation: stored.leafKey))
        for (certificate, key) in [(root, rootKey), (intermediate, intermediateKey), (leaf, leafKey)] {
            guard certificate.publicKey == key.publicKey else { throw KeyMismatch() }
        }
    }

    /// The error for a key that is not its certificate's.
    package struct KeyMismatch: Error {}

    /// The certificates and keys for storage.
    package func stored() -> StoredAuthority {
        StoredAuthority(
            rootCertificate: root.bytes, intermediateCertificate: intermediate.bytes, leafCertificate: leaf.bytes,
            rootKey: rootKey.rawRepresentation, intermediateKey: intermediateKey.rawRepresentation,
            leafKey: leafKey.rawRepresentation)
    }

    /// The root in DER, as in `root.cer`.
    package var rootDER: [UInt8] { root.bytes }

    /// The certificates in DER, leaf first.
    package var chainDER: [[UInt8]] { chain.map(\.bytes) }

    /// The root in the format of OpenSSL's `-CAfile`.
    package var rootPEM: String { root.pem + "\n" }
}
