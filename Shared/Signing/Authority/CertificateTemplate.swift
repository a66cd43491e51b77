import Cryptography
import FoundationEssentials

/// The properties of one of the store's certificates.
///
/// Valid from 2000 to 2199: a tester's business clock may be anywhere in between, and receipts it dates must verify.
struct CertificateTemplate {
    var commonName: String
    var organization = "Storebus"
    var isAuthority = false
    /// Whether it may issue leaves only.
    var issuesLeavesOnly = false
    /// The extension that names a certificate's purpose for Apple's verifiers. Its value is empty (NULL).
    var marker: String?
    /// The address at which verifiers ask whether the certificate is revoked. Nil names no address.
    var ocspURL: String?
    /// Whether the certificate signs OCSP responses in its issuer's name.
    var isOCSPResponder = false
    /// The names and addresses of a server that proves its identity with it. Empty for other certificates.
    var hosts: [String] = []
    /// Whether the OCSP responder calls the certificate revoked from its first instant on.
    var isRevoked = false
    /// Nil: one of the issuer's, as ``IssuedSerialNumber``.
    var serialNumber: [UInt8]?
    var notValidBefore = CertificateTemplate.firstInstant
    var notValidAfter = CertificateTemplate.lastInstant

    static let root = CertificateTemplate(commonName: "Storebus Root CA", isAuthority: true)
    static let intermediate = CertificateTemplate(
        commonName: "Storebus Intermediate CA", isAuthority: true, issuesLeavesOnly: true,
        marker: "1.2.840.113635.100.6.2.1")
    static let leaf = CertificateTemplate(
        commonName: "Storebus Receipt Signing", marker: "1.2.840.113635.100.6.11.1")
    /// Answers for its issuer. Clients do not ask about it in turn, which RFC 6960 §4.2.2.2.1 has a marker for.
    static let ocspResponder = CertificateTemplate(
        commonName: "Storebus OCSP Responder", marker: "1.3.6.1.5.5.7.48.1.5", isOCSPResponder: true)
    /// Named and numbered as Xcode's own.
    static let xcode = CertificateTemplate(
        commonName: "StoreKit Testing in Xcode", organization: "StoreKit Testing in Xcode", isAuthority: true,
        serialNumber: [1])

    /// 2000-01-01T00:00:00Z.
    static let firstInstant = Date(timeIntervalSince1970: 946_684_800)
    /// 2199-12-31T23:59:59Z.
    static let lastInstant = Date(timeIntervalSince1970: 7_258_118_399)

    /// Makes a certificate for a key.
    ///
    /// - Parameter issuer: The issuer's name in DER, or nil for a self-signed certificate.
    func certificate(
        for key: P256.Signing.PublicKey, issuer: [UInt8]?, issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        try CertificateContent(
            commonName: commonName, organization: organization, issuer: issuer,
            serialNumber: serialNumber ?? IssuedSerialNumber(issuerKey: issuerKey).random(isRevoked: isRevoked),
            notValidBefore: notValidBefore, notValidAfter: notValidAfter, publicKey: key, extensions: extensions()
        ).signed(by: issuerKey)
    }

    private func extensions() -> [CertificateContent.Extension] {
        var extensions: [CertificateContent.Extension] = [
            .known(.basicConstraints, constraints),
            .known(.keyUsage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"),
        ]
        if isOCSPResponder { extensions.append(.known(.extendedKeyUsage, "OCSPSigning")) }
        if !hosts.isEmpty { extensions += [.hosts(hosts), .known(.extendedKeyUsage, "serverAuth")] }
        if let ocspURL { extensions.append(.ocspResponder(ocspURL)) }
        if let marker { extensions.append(.encoded(marker, [0x05, 0x00])) }
        return extensions
    }

    private var constraints: StaticString {
        guard isAuthority else { return "critical,CA:FALSE" }
        return issuesLeavesOnly ? "critical,CA:TRUE,pathlen:0" : "critical,CA:TRUE"
    }
}
