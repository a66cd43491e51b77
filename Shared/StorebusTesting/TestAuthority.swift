internal import Cryptography
import Foundation

/// A certificate authority of a test's own. Its certificate and those it signs are PEM files in a directory.
public final class TestAuthority: Sendable {
    /// The files of a certificate.
    public struct Identity: Sendable {
        /// The certificate.
        public let certificate: String
        /// Its private key.
        public let key: String
    }

    /// Its subject, as OpenSSL prints it.
    public let name: String
    /// The file of its own certificate.
    public let certificate: String
    private let directory: TemporaryDirectory
    private let key = P256.Signing.PrivateKey()
    private let made: Certificate

    /// Makes an authority.
    public init(_ name: String = "Test Authority") throws {
        self.name = "CN = \(name)"
        directory = try TemporaryDirectory(prefix: "storebus-tls")
        made = try Self.content(
            name, issuer: nil, key.publicKey, days: -1...1,
            [.known(.basicConstraints, "critical,CA:TRUE"), .known(.keyUsage, "critical,keyCertSign")]
        ).signed(by: key)
        certificate = directory.file("ca.pem")
        try made.pem.write(toFile: certificate, atomically: true, encoding: .utf8)
    }

    /// Makes a key and a certificate for it.
    /// - Parameters:
    ///   - names: The hosts and addresses that the certificate is for.
    ///   - days: The validity, counted from now.
    public func identity(
        _ file: String, names: [String] = ["localhost", "127.0.0.1"], days: ClosedRange<Int> = -1...1
    ) throws -> Identity {
        let own = P256.Signing.PrivateKey()
        let identity = Identity(certificate: directory.file("\(file).pem"), key: directory.file("\(file).key"))
        let certificate = try Self.content(file, issuer: made.subject, own.publicKey, days: days, [.hosts(names)])
            .signed(by: key)
        try certificate.pem.write(toFile: identity.certificate, atomically: true, encoding: .utf8)
        try own.pemRepresentation.write(toFile: identity.key, atomically: true, encoding: .utf8)
        return identity
    }

    private static func content(
        _ name: String, issuer: [UInt8]?, _ key: P256.Signing.PublicKey, days: ClosedRange<Int>,
        _ extensions: [CertificateContent.Extension]
    ) -> CertificateContent {
        let day = 86_400.0
        return CertificateContent(
            commonName: name, organization: nil, issuer: issuer,
            serialNumber: [.random(in: 1...127)] + (0..<7).map { _ in .random(in: 0...255) },
            notValidBefore: .now + Double(days.lowerBound) * day, notValidAfter: .now + Double(days.upperBound) * day,
            publicKey: key, extensions: extensions)
    }
}
