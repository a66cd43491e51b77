import Cryptography
import Foundation
import StoreModels
import Testing

@testable import SignedData

/// Goal: each property of a certificate that a chain needs is checked by itself, however good the rest is.
@Suite struct CertificateChainTests {
    private struct Properties {
        var isAuthority: Bool
        var pathLengthMax: Int?
        var usage: Certificate.KeyUsage?
        var mark: String?
        /// Whether an extension that no reader knows is critical. Nil without the extension.
        var unknown: Bool?
    }

    private static let (leaf, intermediate, root) = (0, 1, 2)

    private let keys = (0..<3).map { _ in P256.Signing.PrivateKey() }

    private func fault(_ change: (inout [Properties]) -> Void) throws -> SignedDataFault? {
        var properties = [
            Properties(isAuthority: false, usage: .digitalSignature, mark: "1.2.840.113635.100.6.11.1"),
            Properties(
                isAuthority: true, pathLengthMax: 0, usage: .certificateSigning, mark: "1.2.840.113635.100.6.2.1"),
            Properties(isAuthority: true, usage: .certificateSigning),
        ]
        change(&properties)
        var names: [[UInt8]] = []
        let chain =
            try properties.indices.reversed().map { index in
                let certificate = try certificate(index, properties[index], issuer: names.last)
                names.append(certificate.subject)
                return certificate.bytes
            }.reversed() as [[UInt8]]
        let list = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let input = [#"{"alg":"ES256","x5c":[\#(list)]}"#, "{}"].map { Base64URL.encode(Array($0.utf8)) }
            .joined(separator: ".")
        let signature = keys[Self.leaf].signature(for: input.utf8).rawRepresentation
        let document = try #require(SignedDocument("\(input).\(Base64URL.encode(signature))"))
        return SignedDataVerifier(roots: [chain[Self.root]]).fault(in: document, signedAt: nil)
    }

    private func certificate(_ index: Int, _ properties: Properties, issuer: [UInt8]?) throws -> Certificate {
        var extensions: [CertificateContent.Extension] = [
            .encoded("2.5.29.19", constraints(properties), isCritical: true)
        ]
        if let usage = properties.usage {
            let bits = UInt8(usage.rawValue)
            extensions.append(
                .encoded("2.5.29.15", [0x03, 2, UInt8(bits.trailingZeroBitCount), bits], isCritical: true))
        }
        if let mark = properties.mark { extensions.append(.encoded(mark, [5, 0])) }
        if let isCritical = properties.unknown {
            extensions.append(.encoded("1.2.3.4", [5, 0], isCritical: isCritical))
        }
        return try CertificateContent(
            commonName: "\(index)", organization: "Test", issuer: issuer, serialNumber: [UInt8(index + 1)],
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
            publicKey: keys[index].publicKey, extensions: extensions
        ).signed(by: keys[min(index + 1, Self.root)])
    }

    private func constraints(_ properties: Properties) -> [UInt8] {
        guard properties.isAuthority else { return [0x30, 0] }
        guard let length = properties.pathLengthMax else { return [0x30, 3, 0x01, 1, 0xFF] }
        return [0x30, 6, 0x01, 1, 0xFF, 0x02, 1, UInt8(length)]
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
        let other: Certificate.KeyUsage = index == Self.leaf ? .certificateSigning : .digitalSignature
        let both: Certificate.KeyUsage = [.digitalSignature, .certificateSigning]
        for (usage, expected) in [(other, .invalidCertificateChain), (both, nil), (nil, nil)]
            as [(Certificate.KeyUsage?, SignedDataFault?)]
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
