import Cryptography
import FoundationEssentials
import Glibc
import SwiftASN1

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
        if !hosts.isEmpty {
            extensions.append(.encoded("2.5.29.17", Self.sequence(hosts.map(Self.name))))
            extensions.append(.known(.extendedKeyUsage, "serverAuth"))
        }
        if let ocspURL {
            let access = Self.sequence([
                [0x06, 8, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01], Self.element(6, ocspURL.utf8),
            ])
            extensions.append(.encoded("1.3.6.1.5.5.7.1.1", Self.sequence([access])))
        }
        if let marker { extensions.append(.encoded(marker, [0x05, 0x00])) }
        return extensions
    }

    private var constraints: StaticString {
        guard isAuthority else { return "critical,CA:FALSE" }
        return issuesLeavesOnly ? "critical,CA:TRUE,pathlen:0" : "critical,CA:TRUE"
    }

    // MARK: Names (RFC 5280 §4.2.1.6)

    /// Returns a host as certificates name it: an address by its bytes.
    private static func name(_ host: String) -> [UInt8] {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 { return element(7, withUnsafeBytes(of: four, Array.init)) }
        if inet_pton(AF_INET6, host, &six) == 1 { return element(7, withUnsafeBytes(of: six, Array.init)) }
        return element(2, host.utf8)
    }

    private static func element(_ tag: UInt, _ content: some Sequence<UInt8>) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendPrimitiveNode(identifier: ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific)) {
            $0.append(contentsOf: content)
        }
        return serializer.serializedBytes
    }

    private static func sequence(_ elements: [[UInt8]]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { coder in
            for element in elements { coder.serializeRawBytes(element) }
        }
        return serializer.serializedBytes
    }
}
