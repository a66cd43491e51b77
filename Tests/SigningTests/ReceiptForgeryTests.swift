import Cryptography
import Foundation
import StoreModels
import StorebusTesting
import SwiftASN1
import Testing

@testable import Signing

/// Attempts to make a receipt that the store never signed.
@Suite struct ReceiptForgeryTests {
    private let authority: CertificateAuthority
    private let receipt: [UInt8]
    private let signed: SignedReceipt

    init() throws {
        authority = try CertificateAuthority()
        receipt = try ReceiptSigner(authority).sign(SigningSample.document())
        signed = try SignedReceipt(reading: receipt)
    }

    /// Nil: it was accepted.
    private func error(_ receipt: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try ReceiptVerifier(root: authority.root).verify(receipt)
            return nil
        } catch {
            return error
        }
    }

    /// A receipt that this key signs, with certificates beside it.
    private func forge(_ key: P256.Signing.PrivateKey, _ certificates: [Certificate], by signer: Certificate) throws
        -> [UInt8]
    {
        var forged = signed
        forged.signature = Array(key.signature(for: signed.content).derRepresentation)[...]
        forged.certificates = certificates
        forged.issuer = signer.issuer
        forged.serialNumber = signer.serialNumber
        return try forged.encoded()
    }

    @Test func `the content of one receipt is not signed by another's signature`() async throws {
        let other = try ReceiptSigner(authority).sign(SigningSample.document([], customer: "c_bob"))
        var swapped = signed
        swapped.content = try SignedReceipt(reading: other).content
        #expect(error(try swapped.encoded()) == .signature)
        swapped.content = []
        #expect(error(try swapped.encoded()) == .signature)
    }

    @Test func `a signature of something else is none, nor is what is no signature`() async throws {
        for content in [Data(), Data(SHA256.hash(data: Data(signed.content))), Data(receipt)] {
            var changed = signed
            changed.signature = Array(authority.leafKey.signature(for: content).derRepresentation)[...]
            #expect(error(try changed.encoded()) == .signature)
        }
        // r and s of zero, without anything, and as plain numbers.
        for signature in [[0x30, 6, 2, 1, 0, 2, 1, 0], [], [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
            var changed = signed
            changed.signature = signature[...]
            #expect(error(try changed.encoded()) == .signature)
        }
    }

    @Test func `what our authority signs for another purpose signs no receipts`() async throws {
        let plain = CertificateTemplate(
            commonName: "Storebus Something Else", isAuthority: false, marker: nil)
        let marked = CertificateTemplate(
            commonName: "Storebus Authority", isAuthority: true, issuesLeavesOnly: true,
            marker: CertificateTemplate.leaf.marker)
        for (template, expected) in [
            (plain, ReceiptError.signature), (marked, .signature), (CertificateTemplate.leaf, nil),
        ] {
            let key = P256.Signing.PrivateKey()
            let leaf = try template.certificate(
                for: key.publicKey, issuer: authority.intermediate.subject, issuerKey: authority.intermediateKey)
            let forged = try forge(key, [leaf, authority.intermediate, authority.root], by: leaf)
            #expect(error(forged) == expected, "\(template.commonName)")
        }
    }

    @Test func `no leaf is an authority, and no authority a leaf`() async throws {
        let key = P256.Signing.PrivateKey()
        let below = try CertificateTemplate.leaf.certificate(
            for: key.publicKey, issuer: authority.leaf.subject, issuerKey: authority.leafKey)
        for chain in [[below, authority.leaf, authority.intermediate], [below, authority.leaf, authority.root]] {
            #expect(error(try forge(key, chain, by: below)) == .signature)
        }
        #expect(
            error(try forge(authority.intermediateKey, authority.chain, by: authority.intermediate))
                == .signature)
        #expect(error(try forge(authority.rootKey, authority.chain, by: authority.root)) == .signature)
        let direct = try CertificateTemplate.leaf.certificate(
            for: key.publicKey, issuer: authority.root.subject, issuerKey: authority.rootKey)
        #expect(
            error(try forge(key, [direct, authority.intermediate, authority.root], by: direct)) == .signature,
            "the chain is exactly what lies beside it")
    }

    @Test func `the same message in another encoding is not the same receipt`() async throws {
        // The outermost length in one byte more than it takes.
        var long = receipt
        #expect(long[1] == 0x82)
        long.replaceSubrange(1...1, with: [0x83, 0])
        #expect(error(long) == .signature)
        // And without any, up to an end mark.
        var indefinite = receipt
        indefinite.replaceSubrange(1...3, with: [0x80])
        #expect(error(indefinite + [0, 0]) == .signature)
    }

    @Test func `a message full of certificates costs no more than one with a chain`() async throws {
        var many = signed
        many.certificates = Array(repeating: authority.leaf, count: 1000)
        let bytes = try many.encoded()
        #expect(try SignedReceipt(reading: bytes).certificates.count == SignedReceipt.certificatesMax)
        #expect(error(bytes) == .signature)
    }

    @Test func `what is not content is bounded before anything is parsed`() throws {
        let outline = ReceiptOutline(receipt)
        #expect(outline.isSignedData)
        #expect(outline.wrappingBytes == receipt.count - signed.content.count)
        // The greatest content leaves the same around it, but for its lengths.
        let long = ReceiptOutline(try ReceiptSigner(authority).sign(content: [UInt8](repeating: 7, count: 1_000_000)))
        let wrapping = try #require(long.wrappingBytes)
        #expect(wrapping < ReceiptOutline.wrappingBytesMax / 3)
        var many = signed
        many.certificates = Array(repeating: authority.leaf, count: 20)
        #expect(try #require(ReceiptOutline(many.encoded()).wrappingBytes) > ReceiptOutline.wrappingBytesMax)
        #expect(!ReceiptOutline(receipt + [0]).isSignedData)
        #expect(!ReceiptOutline(Array(receipt.dropLast())).isSignedData)
        for bytes in [[], [0x30], [0x30, 0x80], [0x30, 0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88]]
            as [[UInt8]]
        {
            #expect(!ReceiptOutline(bytes).isSignedData)
        }
    }

    @Test func `elements left out, doubled, moved or exchanged make no receipt, and never a crash`() async throws {
        var random = SplitMix64.seeded()
        let tree = try #require(DERTree(receipt))
        #expect(tree.bytes == receipt)
        for _ in 0..<3000 {
            var changed = tree
            for _ in 0...Int.random(in: 0...2, using: &random) { changed.mutate(&random) }
            let bytes = changed.bytes
            guard bytes != receipt else { continue }
            #expect(error(bytes) != nil, "\(bytes)")
        }
    }

    @Test func `any content that was signed is a receipt or malformed, and never a crash`() async throws {
        var random = SplitMix64.seeded()
        let tree = try #require(DERTree(Array(signed.content)))
        for _ in 0..<3000 {
            var changed = tree
            for _ in 0...Int.random(in: 0...4, using: &random) { changed.mutate(&random) }
            for bytes in [changed.bytes, DERTree.noise(depth: 6, &random).bytes] {
                do throws(ReceiptError) {
                    _ = try ReceiptDocument(encoded: bytes[...])
                } catch {
                    #expect(error == .malformed)
                }
            }
        }
    }
}
