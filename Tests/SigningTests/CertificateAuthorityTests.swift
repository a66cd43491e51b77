import Cryptography
import Foundation
import Signing
import Testing

@Suite struct CertificateAuthorityTests {
    @Test func `the chain is one, from leaf to root, and strict verifiers find what they look for`() async throws {
        let authority = try CertificateAuthority()
        let path = CertificateChain.path(
            from: authority.leaf, through: [authority.intermediate], to: authority.root, at: .now)
        #expect(path == authority.chain)
        for certificate in authority.chain {
            #expect(certificate.value(of: "2.5.29.19")?.isCritical == true, "basic constraints")
            #expect(certificate.value(of: "2.5.29.15")?.isCritical == true, "key usage")
            #expect(certificate.subjectKeyIdentifier != nil)
            #expect(certificate.authorityKeyIdentifier != nil)
        }
        #expect(authority.leaf.value(of: "1.2.840.113635.100.6.11.1") != nil)
        #expect(authority.intermediate.value(of: "1.2.840.113635.100.6.2.1") != nil)
    }

    @Test(arguments: [946_684_800.0, 1_795_600_000, 7_258_118_399])
    func `it is valid wherever a business clock may stand`(seconds: Double) async throws {
        let authority = try CertificateAuthority()
        let path = CertificateChain.path(
            from: authority.leaf, through: [authority.intermediate], to: authority.root,
            at: Date(timeIntervalSince1970: seconds))
        #expect(path == authority.chain)
    }

    @Test func `what is kept is the same authority again`() async throws {
        let authority = try CertificateAuthority()
        let again = try CertificateAuthority(authority.stored())
        #expect(again.chain == authority.chain)
        let receipt = try ReceiptSigner(again).sign(SigningSample.document())
        let document = try ReceiptVerifier(root: authority.root).verify(receipt)
        #expect(document.bundleId == SigningSample.bundleId)
    }

    @Test func `keys of other certificates are refused`() throws {
        var stored = try CertificateAuthority().stored()
        stored.leafKey = try CertificateAuthority().stored().leafKey
        #expect(throws: CertificateAuthority.KeyMismatch.self) { try CertificateAuthority(stored) }
        stored.leafKey = []
        #expect(throws: (any Error).self) { try CertificateAuthority(stored) }
    }

    @Test func `the root is written as DER and as PEM`() throws {
        let authority = try CertificateAuthority()
        #expect(try Certificate(derEncoded: authority.rootDER) == authority.root)
        let pem = authority.rootPEM
        #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(try Certificate(pemEncoded: pem) == authority.root)
    }

    @Test func `no two stores have the same keys`() throws {
        let authorities = try (0..<5).map { _ in try CertificateAuthority().stored() }
        #expect(Set(authorities.flatMap { [$0.rootKey, $0.intermediateKey, $0.leafKey] }).count == 15)
    }
}
