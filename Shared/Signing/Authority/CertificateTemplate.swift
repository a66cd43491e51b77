import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// The properties of one of the store's certificates.
///
/// Valid from 2000 to 2199: a tester's business clock may be anywhere in between, and receipts it dates must verify.
struct CertificateTemplate {
    var commonName: String
    var organization = "Storebus"
    var isAuthority = false
    /// Maximum number of authorities below, or nil if unspecified.
    var maxPathLength: Int?
    /// The extension that names a certificate's purpose for Apple's verifiers. Its value is empty (NULL).
    var marker: ASN1ObjectIdentifier?
    /// The address at which verifiers ask whether the certificate is revoked. Nil names no address.
    var ocspURL: String?
    /// Whether the certificate signs OCSP responses in its issuer's name.
    var isOCSPResponder = false
    /// The names and addresses of a server that proves its identity with it. Empty for other certificates.
    var hosts: [GeneralName] = []
    /// Whether the OCSP responder calls the certificate revoked from its first instant on.
    var isRevoked = false
    /// Nil: one of the issuer's, as ``IssuedSerialNumber``.
    var serialNumber: Certificate.SerialNumber?
    var notValidBefore = CertificateTemplate.firstInstant
    var notValidAfter = CertificateTemplate.lastInstant

    static let root = CertificateTemplate(commonName: "Storebus Root CA", isAuthority: true)
    static let intermediate = CertificateTemplate(
        commonName: "Storebus Intermediate CA", isAuthority: true, maxPathLength: 0,
        marker: [1, 2, 840, 113635, 100, 6, 2, 1])
    static let leaf = CertificateTemplate(
        commonName: "Storebus Receipt Signing", marker: [1, 2, 840, 113635, 100, 6, 11, 1])
    /// Answers for its issuer. Clients do not ask about it in turn, which RFC 6960 §4.2.2.2.1 has a marker for.
    static let ocspResponder = CertificateTemplate(
        commonName: "Storebus OCSP Responder", marker: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5], isOCSPResponder: true)
    /// Named and numbered as Xcode's own.
    static let xcode = CertificateTemplate(
        commonName: "StoreKit Testing in Xcode", organization: "StoreKit Testing in Xcode", isAuthority: true,
        serialNumber: Certificate.SerialNumber(1))

    /// 2000-01-01T00:00:00Z.
    static let firstInstant = Date(timeIntervalSince1970: 946_684_800)
    /// 2199-12-31T23:59:59Z.
    static let lastInstant = Date(timeIntervalSince1970: 7_258_118_399)

    /// Makes a certificate for a key.
    ///
    /// - Parameter issuer: The issuer's name, or nil for a self-signed certificate.
    func certificate(
        for key: P256.Signing.PublicKey, issuer: DistinguishedName?, issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key)
        let subject = try name()
        return try Certificate(
            version: .v3,
            serialNumber: serialNumber ?? IssuedSerialNumber(issuerKey: issuerKey).random(isRevoked: isRevoked),
            publicKey: publicKey,
            notValidBefore: notValidBefore, notValidAfter: notValidAfter, issuer: issuer ?? subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try extensions(publicKey, issuerKey: Certificate.PublicKey(issuerKey.publicKey)),
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }

    private func name() throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            OrganizationName(organization)
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
            if isOCSPResponder {
                try ExtendedKeyUsage([.ocspSigning])
            }
            if !hosts.isEmpty {
                SubjectAlternativeNames(hosts)
                try ExtendedKeyUsage([.serverAuth])
            }
            if let ocspURL {
                AuthorityInformationAccess([
                    .init(method: .ocspServer, location: .uniformResourceIdentifier(ocspURL))
                ])
            }
            if let marker {
                Certificate.Extension(oid: marker, critical: false, value: [0x05, 0x00])
            }
        }
    }
}
