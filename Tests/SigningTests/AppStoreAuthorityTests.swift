import Cryptography
import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Signing

@Suite struct AppStoreAuthorityTests {
    private let receipts: CertificateAuthority
    private let authority: CertificateAuthority
    private static let url = "http://127.0.0.1:7430/ocsp"

    init() throws {
        receipts = try CertificateAuthority()
        authority = try .appStore(root: receipts, ocspURL: Self.url)
    }

    private func isValid(_ authority: CertificateAuthority, at seconds: Double = 1_795_600_000) -> Bool {
        CertificateChain.path(
            from: authority.leaf, through: [authority.intermediate], to: receipts.root,
            at: Date(timeIntervalSince1970: seconds)) == authority.chain
    }

    private func keys(_ authority: CertificateAuthority) throws -> [[UInt8]] {
        let stored = authority.stored()
        return [stored.rootKey, stored.intermediateKey, stored.leafKey]
    }

    // MARK: Certificates

    @Test func `the chain is of three and ends in the receipts' root, with keys of its own`() async throws {
        #expect(authority.chain.count == 3)
        #expect(authority.rootDER == receipts.rootDER)
        #expect(isValid(authority))
        let (keys, others) = (try keys(authority), try keys(receipts))
        #expect(keys[0] == others[0])
        #expect(Set(keys + others).count == 5)
        let subjects = (authority.chain + receipts.chain).map(\.subject)
        #expect(Set(subjects).count == 5, "no two authorities have one name: \(subjects)")
    }

    @Test func `leaf and intermediate have Apple's markers, each only its own`() {
        let marked = authority.chain.map { certificate in
            ["1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"].map { certificate.value(of: $0) }
        }
        #expect(marked.map { $0.map { $0 != nil } } == [[true, false], [false, true], [false, false]])
        for found in marked.joined() {
            #expect(found.map { !$0.isCritical && $0.bytes == [0x05, 0x00] } ?? true)
        }
    }

    @Test(arguments: [(946_684_799, false), (946_684_800, true), (7_258_118_399, true), (7_258_118_400, false)])
    func `it is valid from 2000 to 2199 and not a second longer`(seconds: Int, expected: Bool) async {
        #expect(isValid(authority, at: Double(seconds)) == expected)
    }

    @Test func `leaf and intermediate name one OCSP responder, the root none`() throws {
        #expect(authority.leaf.ocspURLs == [Self.url])
        #expect(authority.intermediate.ocspURLs == [Self.url])
        #expect(authority.root.ocspURLs == [])
        #expect(authority.ocspURL == Self.url)
        #expect(receipts.ocspURL == nil)
        #expect(receipts.chain.flatMap(\.ocspURLs) == [])
    }

    @Test func `strict verifiers find what they look for`() throws {
        for (certificate, issuer) in zip(authority.chain, authority.chain.dropFirst() + [authority.root]) {
            let isLeaf = certificate == authority.leaf
            #expect(certificate.value(of: "2.5.29.19")?.isCritical == true, "basic constraints")
            #expect(certificate.value(of: "2.5.29.15")?.isCritical == true, "key usage")
            #expect(certificate.keyUsage == (isLeaf ? .digitalSignature : [.certificateSigning, .listSigning]))
            #expect(certificate.authorityKeyIdentifier == issuer.subjectKeyIdentifier)
            #expect(certificate.subjectKeyIdentifier?.count == 20)
            #expect(certificate.serialNumber.count <= 20)
            #expect(certificate.isAuthority == !isLeaf)
        }
        #expect(authority.chain.map(\.pathLengthMax) == [nil, 0, nil])
    }

    @Test func `OpenSSL finds the chain right, strictly`() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else { return }
        let directory = try TemporaryDirectory()
        for (name, certificate) in zip(["leaf", "intermediate", "root"], authority.chain) {
            let pem = certificate.pem + "\n"
            try pem.write(toFile: directory.file(name), atomically: true, encoding: .utf8)
        }
        for (untrusted, isRight) in [("intermediate", true), ("leaf", false)] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = [
                "verify", "-x509_strict", "-CAfile", directory.file("root"), "-untrusted", directory.file(untrusted),
                directory.file("leaf"),
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect((process.terminationStatus == 0) == isRight)
        }
    }

    @Test func `no two authorities have one serial number or key`() throws {
        let authorities = try (0..<5).map { _ in try CertificateAuthority.appStore(root: receipts, ocspURL: Self.url) }
        #expect(Set(authorities.flatMap { [$0.leaf.serialNumber, $0.intermediate.serialNumber] }).count == 10)
        #expect(Set(try authorities.flatMap { try keys($0).dropFirst() }).count == 10)
    }

    // MARK: Storage

    @Test func `what is kept is the same authority again, and signs`() throws {
        let again = try CertificateAuthority(authority.stored())
        #expect(again.chain == authority.chain)
        #expect(again.ocspURL == Self.url)
        #expect(try keys(again) == keys(authority))
        let read = try ReadJWS(JWSSigner(again).sign(Array("{}".utf8)))
        #expect(try read.isSigned(by: authority.leaf))
        #expect(read.chain == authority.chain)
    }

    // MARK: Reissue and rotation

    @Test func `reissued certificates are of the same keys and name the new address`() async throws {
        let moved = "https://store.example.com/ocsp"
        let again = try authority.reissued(ocspURL: moved)
        #expect(try keys(again) == keys(authority))
        #expect(again.root == authority.root)
        #expect(again.leaf.ocspURLs == [moved])
        #expect(again.intermediate.ocspURLs == [moved])
        #expect(again.ocspURL == moved)
        #expect(again.leaf.serialNumber != authority.leaf.serialNumber)
        #expect(again.intermediate.serialNumber != authority.intermediate.serialNumber)
        #expect(isValid(again))
        #expect(isValid(authority), "what was signed before still verifies")
    }

    @Test func `a rotated leaf has a new key below the same intermediate`() async throws {
        let rotated = try authority.rotated(.leaf)
        let (old, new) = (try keys(authority), try keys(rotated))
        #expect(new[..<2] == old[..<2] && new[2] != old[2])
        #expect(rotated.root == authority.root)
        #expect(rotated.intermediate == authority.intermediate)
        #expect(rotated.leaf.subject == authority.leaf.subject)
        #expect(rotated.leaf.serialNumber != authority.leaf.serialNumber)
        #expect(rotated.leaf.ocspURLs == [Self.url])
        #expect(isValid(rotated))
        #expect(isValid(authority))
    }

    @Test func `a rotated intermediate has a new key, and so has its leaf`() async throws {
        let rotated = try authority.rotated(.intermediate)
        let (old, new) = (try keys(authority), try keys(rotated))
        #expect(new[0] == old[0] && Set(old + new).count == 5)
        #expect(rotated.root == authority.root)
        #expect(rotated.intermediate.subject == authority.intermediate.subject)
        #expect(rotated.intermediate.ocspURLs == [Self.url])
        #expect(rotated.leaf.ocspURLs == [Self.url])
        #expect(isValid(rotated))
        #expect(isValid(authority))
    }

    @Test(arguments: CertificateRotation.allCases)
    func `what is rotated can be stored, and the receipts' authority as well`(
        rotation: CertificateRotation
    ) async throws {
        let rotated = try authority.rotated(rotation)
        #expect(try CertificateAuthority(rotated.stored()).chain == rotated.chain)
        let signing = try receipts.rotated(rotation)
        #expect(signing.ocspURL == nil)
        let receipt = try ReceiptSigner(signing).sign(SigningSample.document())
        #expect(try ReceiptVerifier(root: receipts.root).verify(receipt).bundleId == SigningSample.bundleId)
    }

    // MARK: Refusals

    @Test(arguments: [
        "", "http://", "https://", "ocsp", "127.0.0.1:7430/ocsp", "ftp://127.0.0.1/ocsp", "HTTP://127.0.0.1/ocsp",
        "http://127.0.0.1/o csp", "http://127.0.0.1/ocsp\n", "http://bücher.example/ocsp", "http://a\u{7F}",
        "http://" + String(repeating: "a", count: 1018),
    ])
    func `what is no address is refused, when made and when reissued`(url: String) throws {
        #expect(throws: CertificateAuthority.InvalidOCSPURL.self) {
            try CertificateAuthority.appStore(root: receipts, ocspURL: url)
        }
        #expect(throws: CertificateAuthority.InvalidOCSPURL.self) { try authority.reissued(ocspURL: url) }
    }

    @Test(arguments: ["http://a", "https://[::1]:8443/s/t-7/ocsp", "http://" + String(repeating: "a", count: 1017)])
    func `addresses of HTTP are named as they are`(url: String) throws {
        let named = try CertificateAuthority.appStore(root: receipts, ocspURL: url)
        #expect(named.ocspURL == url)
        #expect(try CertificateAuthority(named.stored()).ocspURL == url)
    }

    @Test func `the receipts' authority names no address, so it is not reissued`() {
        #expect(throws: CertificateAuthority.NotAppStore.self) { try receipts.reissued(ocspURL: Self.url) }
    }
}
