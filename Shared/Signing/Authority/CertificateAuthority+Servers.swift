import Crypto
import Foundation
import SwiftASN1
import X509

extension CertificateAuthority {
    /// The days that a server's certificate is valid: clients refuse more than 398.
    private static let serverDays = 397.0

    /// Makes a certificate for a server's key, below the root.
    /// - Parameters:
    ///   - hosts: Names and addresses of IPv4 and IPv6, by which clients reach it.
    ///   - now: By the wall clock. The certificate begins to be valid a day before it.
    /// - Returns: DER, leaf first, without the root, which clients have.
    /// - Throws: An error of the X.509 library, which would be a fault in the template.
    package func serverChain(for key: P256.Signing.PublicKey, hosts: [String], now: Date) throws -> [[UInt8]] {
        var template = CertificateTemplate(commonName: "Storebus HTTPS")
        template.hosts = hosts.map(Self.generalName)
        template.notValidBefore = Date(timeIntervalSince1970: (now.timeIntervalSince1970 - 86_400).rounded(.down))
        template.notValidAfter = template.notValidBefore + Self.serverDays * 86_400
        let certificate = try template.certificate(for: key, issuer: root.subject, issuerKey: rootKey)
        return [try certificate.derBytes()]
    }

    /// Returns a host as certificates name it: an address by its bytes.
    private static func generalName(_ host: String) -> GeneralName {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: four) { ArraySlice($0) }))
        }
        if inet_pton(AF_INET6, host, &six) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: six) { ArraySlice($0) }))
        }
        return .dnsName(host)
    }
}
