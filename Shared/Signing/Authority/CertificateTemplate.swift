import Crypto
import Foundation
import SwiftASN1
import X509

/// The properties of one of the store's certificates.
///
/// Valid from 2000 to 2199: a tester's business clock may be anywhere in between, and receipts it dates must verify.
struct CertificateTemplate {
    let commonName: String
    let isAuthority: Bool
    /// How many authorities may follow below; nil: unspecified.
    let maxPathLength: Int?
    /// The extension that names a certificate's purpose for Apple's verifiers. Its value is empty (NULL).
    let marker: ASN1ObjectIdentifier?

    static let root = CertificateTemplate(
        commonName: "Storebus Root CA", isAuthority: true, maxPathLength: nil, marker: nil)
    static let intermediate = CertificateTemplate(
        commonName: "Storebus Intermediate CA", isAuthority: true, maxPathLength: 0,
        marker: [1, 2, 840, 113635, 100, 6, 2, 1])
    static let leaf = CertificateTemplate(
        commonName: "Storebus Receipt Signing", isAuthority: false, maxPathLength: nil,
        marker: [1, 2, 840, 113635, 100, 6, 11, 1])

    // 2000-01-01T00:00:00Z and 2199-12-31T23:59:59Z.
    static let notValidBefore = Date(timeIntervalSince1970: 946_684_800)
    static let notValidAfter = Date(timeIntervalSince1970: 7_258_118_399)

    /// Makes a certificate for a key.
    ///
    /// - Parameter issuer: The issuer's template; for a root its own.
    func certificate(
        for key: P256.Signing.PublicKey, issuer: CertificateTemplate, issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key)
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: Self.notValidBefore, notValidAfter: Self.notValidAfter, issuer: issuer.name(),
            subject: name(),
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try extensions(publicKey, issuerKey: Certificate.PublicKey(issuerKey.publicKey)),
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }

    private func name() throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            OrganizationName("Storebus")
        }
    }

    private func extensions(
        _ key: Certificate.PublicKey, issuerKey: Certificate.PublicKey
    ) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(
                isAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: maxPathLength)
                    : BasicConstraints.notCertificateAuthority)
            Critical(
                isAuthority ? KeyUsage(keyCertSign: true, cRLSign: true) : KeyUsage(digitalSignature: true))
            SubjectKeyIdentifier(hash: key)
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerKey).keyIdentifier)
            if let marker {
                Certificate.Extension(oid: marker, critical: false, value: [0x05, 0x00])
            }
        }
    }
}
