import Cryptography
import Foundation
import StoreModels
import StorebusTesting
import SwiftASN1
import Testing

@testable import Signing

@Suite struct ReceiptVerifierTests {
    private let authority: CertificateAuthority
    private let verifier: ReceiptVerifier
    private let receipt: [UInt8]

    init() throws {
        authority = try CertificateAuthority()
        verifier = ReceiptVerifier(root: authority.root)
        receipt = try ReceiptSigner(authority).sign(SigningSample.document())
    }

    /// Nil: it was accepted.
    private func error(_ receipt: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try verifier.verify(receipt)
            return nil
        } catch {
            return error
        }
    }

    @Test func `what was signed is verified and read`() async throws {
        let document = try verifier.verify(receipt)
        #expect(Set(document.purchases) == Set(SigningSample.document().purchases))
        #expect(document.customerIdentifier == "c_alice")
        let text = Data(receipt).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
        #expect(try verifier.verify(receiptData: text) == document)
    }

    @Test func `every byte counts: none may be changed`() async throws {
        var random = SplitMix64.seeded()
        for index in receipt.indices {
            var changed = receipt
            changed[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            #expect(error(changed) != nil, "byte \(index)")
        }
    }

    @Test func `no bit of a certificate's signature may be called unused`() async throws {
        // DER takes that for signatures that end with zeros, as every other one does: among eight chains there are
        // some.
        for _ in 0..<8 {
            let authority = try CertificateAuthority()
            let verifier = ReceiptVerifier(root: authority.root)
            let receipt = try ReceiptSigner(authority).sign(SigningSample.document())
            for certificate in [authority.leaf, authority.intermediate] {
                let parts = try DER.sequence(DER.parse(certificate.bytes), identifier: .sequence) { nodes in
                    var parts: [ASN1Node] = []
                    while let part = nodes.next() { parts.append(part) }
                    return parts
                }
                let start = try #require(receipt.firstRange(of: parts[2].encodedBytes)).lowerBound
                var changed = receipt
                // Tag, length, and how many bits are unused.
                #expect(changed[start + 2] == 0)
                changed[start + 2] = 1
                #expect(throws: ReceiptError.signature) { try verifier.verify(changed) }
            }
        }
    }

    @Test func `nothing may be cut, added, doubled or exchanged`() async throws {
        var random = SplitMix64.seeded()
        #expect(error(receipt + [0]) == .malformed)
        for length in receipt.indices {
            #expect(error(Array(receipt.prefix(length))) == .malformed, "cut at \(length)")
        }
        for _ in 0..<500 {
            var changed = receipt
            let start = Int.random(in: 0..<receipt.count - 8, using: &random)
            for index in start..<start + 8 { changed[index] ^= UInt8.random(in: 1...255, using: &random) }
            #expect(error(changed) != nil, "from \(start)")
        }
    }

    @Test func `noise is malformed`() async {
        var random = SplitMix64.seeded()
        for _ in 0..<2000 {
            let count = Int.random(in: 0...400, using: &random)
            #expect(error((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }) == .malformed)
        }
        // As deep as bytes allow: a parser that goes along would not come back.
        #expect(error(Array(repeating: 0x30, count: 1 << 16)) == .malformed)
        #expect(error(Array(repeating: [0x30, 0x80] as [UInt8], count: 1 << 15).flatMap(\.self)) == .malformed)
    }

    @Test(arguments: ["", "   ", "no base64!", "AAAA", "e30=", "MA==", "MIIB"])
    func `text that is no receipt is malformed`(text: String) async {
        #expect(throws: ReceiptError.malformed) { try verifier.verify(receiptData: text) }
    }

    @Test func `a receipt longer than the limit is not looked at`() async {
        let long = String(repeating: "A", count: ReceiptVerifier.receiptBytesMax * 2)
        #expect(throws: ReceiptError.malformed) { try verifier.verify(receiptData: long) }
        #expect(error(Array(repeating: 0x30, count: ReceiptVerifier.receiptBytesMax + 1)) == .malformed)
    }

    @Test func `another store's receipt is not ours`() async throws {
        let other = try CertificateAuthority()
        #expect(error(try ReceiptSigner(other).sign(SigningSample.document())) == .signature)
    }

    @Test func `a forger with a chain of the same names is not believed`() async throws {
        let other = try CertificateAuthority()
        // Our certificates around the forger's signature, and the forger's leaf under our authorities.
        let content = try SigningSample.document().encoded()
        let theirs = try P256.Signing.PrivateKey(rawRepresentation: other.stored().leafKey)
        let signature = Array(theirs.signature(for: content).derRepresentation)[...]
        for leaf in [authority.leaf, other.leaf] {
            let forged = SignedReceipt(
                content: content[...], certificates: [leaf, authority.intermediate, authority.root],
                issuer: leaf.issuer, serialNumber: leaf.serialNumber, signature: signature)
            #expect(error(try forged.encoded()) == .signature)
        }
    }

    @Test func `the chain is the whole chain and nothing else`() async throws {
        let (leaf, intermediate, root) = (authority.leaf, authority.intermediate, authority.root)
        let read = try SignedReceipt(reading: receipt)
        let other = try CertificateAuthority().root
        for certificates in [
            [leaf], [leaf, intermediate], [leaf, root], [intermediate, root], [leaf, intermediate, root, other],
            [leaf, intermediate, other], [leaf, leaf, intermediate, root],
        ] {
            var changed = read
            changed.certificates = certificates
            #expect(error(try changed.encoded()) == .signature, "\(certificates.count) certificates")
        }
        var named = read
        named.serialNumber = intermediate.serialNumber
        #expect(error(try named.encoded()) == .signature)
    }

    @Test func `content that was signed but is no receipt is malformed`() async throws {
        let signer = ReceiptSigner(authority)
        for content in [[], [0x31, 0x00], Array("hello".utf8), try SigningSample.document().encoded() + [0]] {
            #expect(error(try signer.sign(content: content)) == .malformed)
        }
    }

    @Test func `OpenSSL says the same, of a receipt and of one that was changed`() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else { return }
        let directory = try TemporaryDirectory()
        try authority.rootPEM.write(toFile: directory.file("root.pem"), atomically: true, encoding: .utf8)
        try Data(receipt).write(to: URL(fileURLWithPath: directory.file("receipt")))
        #expect(try openssl(directory, "receipt") == 0)
        let content = try Data(contentsOf: URL(fileURLWithPath: directory.file("content")))
        #expect(try ReceiptDocument(encoded: Array(content)[...]).bundleId == SigningSample.bundleId)
        var changed = receipt
        // Somewhere in the content.
        changed[try #require(Data(receipt).range(of: Data(SigningSample.bundleId.utf8))).lowerBound] ^= 1
        try Data(changed).write(to: URL(fileURLWithPath: directory.file("changed")))
        #expect(try openssl(directory, "changed") != 0)
    }

    private func openssl(_ directory: borrowing TemporaryDirectory, _ name: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "cms", "-verify", "-inform", "DER", "-in", directory.file(name), "-CAfile", directory.file("root.pem"),
            "-purpose", "any", "-x509_strict", "-binary", "-out", directory.file("content"),
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
