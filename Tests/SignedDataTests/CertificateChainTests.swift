import Crypto
import Foundation
import StoreModels
import SwiftASN1
import Testing
import X509

@testable import SignedData

/// Goal: each property of a certificate that a chain needs is checked by itself, however good the rest is.
@Suite struct CertificateChainTests {
    private struct Properties {
        var isAuthority: Bool
        var pathLengthMax: Int?
        var usage: KeyUsage?
        var mark: ASN1ObjectIdentifier?
        /// Whether an extension that no reader knows is critical. Nil without the extension.
        var unknown: Bool?
    }

    private static let (leaf, intermediate, root) = (0, 1, 2)

    private let keys = (0..<3).map { _ in P256.Signing.PrivateKey() }

    private func fault(_ change: (inout [Properties]) -> Void) throws -> SignedDataFault? {
        var properties = [
            Properties(
                isAuthority: false, usage: KeyUsage(digitalSignature: true), mark: [1, 2, 840, 113635, 100, 6, 11, 1]),
            Properties(
                isAuthority: true, pathLengthMax: 0, usage: KeyUsage(keyCertSign: true),
                mark: [1, 2, 840, 113635, 100, 6, 2, 1]),
            Properties(isAuthority: true, usage: KeyUsage(keyCertSign: true)),
        ]
        change(&properties)
        let chain = try properties.indices.map { try certificate($0, properties[$0]) }
        let list = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let input = [#"{"alg":"ES256","x5c":[\#(list)]}"#, "{}"].map { Base64URL.encode(Array($0.utf8)) }
            .joined(separator: ".")
        let signature = try keys[Self.leaf].signature(for: Data(input.utf8)).rawRepresentation
        let document = try #require(SignedDocument("\(input).\(Base64URL.encode(Array(signature)))"))
        return SignedDataVerifier(roots: [chain[Self.root]]).fault(in: document, signedAt: nil)
    }

    private func certificate(_ index: Int, _ properties: Properties) throws -> [UInt8] {
        let issuer = min(index + 1, Self.root)
        func name(_ number: Int) throws -> DistinguishedName { try DistinguishedName { CommonName("\(number)") } }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(index + 1),
            publicKey: Certificate.PublicKey(keys[index].publicKey),
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
            issuer: try name(issuer), subject: try name(index), signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(
                    properties.isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: properties.pathLengthMax)
                        : BasicConstraints.notCertificateAuthority)
                if let usage = properties.usage { Critical(usage) }
                if let mark = properties.mark { Certificate.Extension(oid: mark, critical: false, value: [5, 0]) }
                if let isCritical = properties.unknown {
                    Certificate.Extension(oid: [1, 2, 3, 4], critical: isCritical, value: [5, 0])
                }
            },
            issuerPrivateKey: Certificate.PrivateKey(keys[issuer]))
        return try certificate.serializeAsPEM().derBytes
    }

    @Test func `the chain that the others depart from is good`() throws {
        let fault = try fault { _ in }
        #expect(fault == nil)
    }

    @Test(arguments: [leaf, intermediate, root])
    func `authorities say that they are, and a leaf that it is not`(_ index: Int) throws {
        let fault = try fault { properties in
            properties[index].isAuthority.toggle()
            properties[index].pathLengthMax = nil
        }
        #expect(fault == .invalidCertificateChain)
    }

    @Test(arguments: [leaf, intermediate, root])
    func `a key has the usage that its place needs, or any`(_ index: Int) throws {
        let other = index == Self.leaf ? KeyUsage(keyCertSign: true) : KeyUsage(digitalSignature: true)
        let both = KeyUsage(digitalSignature: true, keyCertSign: true)
        for (usage, expected) in [(other, .invalidCertificateChain), (both, nil), (nil, nil)]
            as [(KeyUsage?, SignedDataFault?)]
        {
            let fault = try fault { $0[index].usage = usage }
            #expect(fault == expected)
        }
    }

    @Test func `a root whose path has no place for the intermediate is no root`() throws {
        for (length, expected) in [(0, .invalidCertificateChain), (1, nil), (2, nil)] as [(Int, SignedDataFault?)] {
            let fault = try fault { $0[Self.root].pathLengthMax = length }
            #expect(fault == expected)
        }
        let unbounded = try fault { $0[Self.intermediate].pathLengthMax = nil }
        #expect(unbounded == nil)
    }

    @Test(arguments: [leaf, intermediate, root])
    func `a critical extension that is not known here refuses the certificate, another one does not`(
        _ index: Int
    ) throws {
        let critical = try fault { $0[index].unknown = true }
        #expect(critical == .invalidCertificateChain)
        let other = try fault { $0[index].unknown = false }
        #expect(other == nil)
    }

    @Test(arguments: [leaf, intermediate])
    func `leaf and intermediate have the mark of their purpose`(_ index: Int) throws {
        let fault = try fault { $0[index].mark = nil }
        #expect(fault == .invalidCertificateChain)
    }
}
