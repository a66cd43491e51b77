import Foundation
import Testing

@testable import Cryptography

/// Goal: a certificate is read whole and says what it was made of, and a path to a root is one.
@Suite struct CertificateTests {
    private let rootKey = P256.Signing.PrivateKey()
    private let leafKey = P256.Signing.PrivateKey()
    private let root: Certificate
    private let leaf: Certificate
    private static let begin = Date(timeIntervalSince1970: 946_684_800)
    private static let end = Date(timeIntervalSince1970: 7_258_118_399)

    init() throws {
        root = try Self.content(
            "Root", issuer: nil, of: rootKey, [.known(.basicConstraints, "critical,CA:TRUE,pathlen:0")]
        ).signed(by: rootKey)
        leaf = try Self.content(
            "Leäf", issuer: root.subject, of: leafKey,
            [
                .known(.basicConstraints, "critical,CA:FALSE"), .known(.keyUsage, "critical,digitalSignature"),
                .known(.extendedKeyUsage, "OCSPSigning"), .encoded("1.2.3.4", [5, 0]),
            ]
        ).signed(by: rootKey)
    }

    private static func content(
        _ name: String, issuer: [UInt8]?, of key: P256.Signing.PrivateKey, _ extensions: [CertificateContent.Extension]
    ) -> CertificateContent {
        CertificateContent(
            commonName: name, organization: "Test", issuer: issuer, serialNumber: [0x80, 1], notValidBefore: begin,
            notValidAfter: end, publicKey: key.publicKey, extensions: extensions)
    }

    @Test func `a certificate is read as it was made`() throws {
        let read = try Certificate(derEncoded: leaf.bytes)
        #expect(read == leaf)
        #expect(try Certificate(pemEncoded: leaf.pem) == leaf)
        #expect(read.subjectText == "Leäf")
        #expect(read.issuer == root.subject)
        #expect(read.serialNumber == [0x80, 1])
        #expect(read.publicKey == leafKey.publicKey)
        #expect(read.notValidBefore == Self.begin && read.notValidAfter == Self.end)
        #expect(read.isAuthority == false && root.isAuthority == true)
        #expect(read.pathLengthMax == nil && root.pathLengthMax == 0)
        #expect(read.keyUsage == .digitalSignature && root.keyUsage == nil)
        #expect(read.signsOCSP && !root.signsOCSP)
        #expect(read.value(of: "1.2.3.4") == Certificate.Value(isCritical: false, bytes: [5, 0]))
        #expect(read.value(of: "1.2.3.5") == nil)
        #expect(read.authorityKeyIdentifier == root.subjectKeyIdentifier)
        #expect(read.subjectKeyIdentifier == Insecure.SHA1.hash(data: leafKey.publicKey.x963Representation))
        #expect(read.ocspURLs == [])
        #expect(read.isSigned(by: root) && !root.isSigned(by: leaf) && root.isSigned(by: root))
    }

    @Test func `bytes that are more or less than a certificate are refused`() {
        for bytes in [[], Array(leaf.bytes.dropLast()), leaf.bytes + [0], [0x30, 0]] {
            #expect(throws: CryptographyError.self) { try Certificate(derEncoded: bytes) }
        }
        #expect(throws: CryptographyError.self) { try Certificate(pemEncoded: "no certificate") }
    }

    @Test func `a path leads to the trusted root, in the first and the last second, too`() {
        func path(_ date: Date, root trusted: Certificate? = nil) -> [Certificate]? {
            CertificateChain.path(from: leaf, through: [], to: trusted ?? root, at: date)
        }
        #expect(path(Self.begin) == [leaf, root])
        #expect(path(Self.end) == [leaf, root])
        #expect(path(Self.begin - 1) == nil)
        #expect(path(Self.end + 1) == nil)
        #expect(path(Self.begin, root: leaf) == nil, "a leaf is no root")
    }

    @Test func `a root with the same name and another key leads nowhere`() throws {
        let key = P256.Signing.PrivateKey()
        let other = try Self.content("Root", issuer: nil, of: key, [.known(.basicConstraints, "critical,CA:TRUE")])
            .signed(by: key)
        #expect(other.subject == root.subject)
        #expect(CertificateChain.path(from: leaf, through: [root], to: other, at: Self.begin) == nil)
    }

    @Test func `a name that no certificate can have is an error`() {
        let name = String(repeating: "a", count: 65)
        #expect(throws: CryptographyError.self) {
            try Self.content(name, issuer: nil, of: rootKey, []).signed(by: rootKey)
        }
        #expect(throws: CryptographyError.self) {
            try Self.content("a", issuer: [0x30], of: rootKey, []).signed(by: rootKey)
        }
    }

    @Test func `garbage is no answer about a certificate`() {
        let question = OCSPQuestion(about: leaf, issuer: root)
        #expect(question.fault(in: [], root: root) == "the OCSP responder's response cannot be read")
        #expect(question.fault(in: [0x30, 3, 0x0A, 1, 3], root: root) == "the OCSP responder said trylater")
        #expect(OCSPQuestion(about: leaf, issuer: root).request != question.request, "each has a nonce of its own")
    }
}
