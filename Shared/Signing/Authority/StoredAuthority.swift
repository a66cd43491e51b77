import Crypto
import SwiftASN1
import X509

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
            guard certificate.publicKey == Certificate.PublicKey(key.publicKey) else { throw KeyMismatch() }
        }
    }

    /// The error for a key that is not its certificate's.
    package struct KeyMismatch: Error {}

    /// The certificates and keys for storage.
    ///
    /// - Throws: An error of the X.509 library for a certificate it cannot write.
    package func stored() throws -> StoredAuthority {
        StoredAuthority(
            rootCertificate: try root.derBytes(), intermediateCertificate: try intermediate.derBytes(),
            leafCertificate: try leaf.derBytes(), rootKey: Array(rootKey.rawRepresentation),
            intermediateKey: Array(intermediateKey.rawRepresentation), leafKey: Array(leafKey.rawRepresentation))
    }

    /// The root in DER, as in `root.cer`.
    package func rootDER() throws -> [UInt8] { try root.derBytes() }

    /// The certificates in DER, leaf first.
    package func chainDER() throws -> [[UInt8]] { try chain.map { try $0.derBytes() } }

    /// The root in the format of OpenSSL's `-CAfile`.
    package func rootPEM() throws -> String { try root.serializeAsPEM().pemString + "\n" }
}

extension Certificate {
    func derBytes() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return serializer.serializedBytes
    }
}
