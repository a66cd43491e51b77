import Cryptography
import SwiftASN1

/// A receipt as PKCS#7 (CMS, RFC 5652) SignedData: content, whole chain and one signature.
///
/// Without signed attributes, so the signature is over the content itself. Each value has exactly one encoding:
/// ``ReceiptVerifier`` writes the values it has read once more and compares, so that no byte of a receipt is without
/// meaning.
struct SignedReceipt {
    var content: ArraySlice<UInt8>
    var certificates: [Certificate]
    /// DER.
    var issuer: [UInt8]
    var serialNumber: [UInt8]
    var signature: ArraySlice<UInt8>

    private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    /// `[0]`, where SignedData keeps its certificates.
    static let first = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)

    /// The certificates of a chain and one more, which reveals a message with too many.
    static let certificatesMax = 4

    /// The certificate the signature names.
    var certificate: Certificate? {
        certificates.first { $0.issuer == issuer && $0.serialNumber == serialNumber }
    }

    func encoded() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(Self.signedData)
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence, writeSignedData)
            }
        }
        return serializer.serializedBytes
    }

    private func writeSignedData(_ coder: inout DER.Serializer) throws {
        try coder.serialize(1)
        try coder.serializeSetOf([AlgorithmIdentifier.sha256])
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(Self.data)
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.serialize(ASN1OctetString(contentBytes: content))
            }
        }
        try coder.serializeSetOf(certificates.map(EncodedCertificate.init), identifier: Self.first)
        try coder.appendConstructedNode(identifier: .set) { coder in
            try coder.appendConstructedNode(identifier: .sequence, writeSignerInfo)
        }
    }

    private func writeSignerInfo(_ coder: inout DER.Serializer) throws {
        try coder.serialize(1)
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            coder.serializeRawBytes(issuer)
            try coder.serialize(serialNumber[...])
        }
        try coder.serialize(AlgorithmIdentifier.sha256)
        try coder.serialize(AlgorithmIdentifier.ecdsaWithSHA256)
        try coder.serialize(ASN1OctetString(contentBytes: signature))
    }
}

extension SignedReceipt {
    /// Reads the parts of the one form that ``encoded()`` writes. Names of algorithms and versions are skipped here:
    /// the reader compares with how the parts are written.
    /// - Throws: An error when the bytes are in another form.
    init(reading bytes: [UInt8]) throws {
        self = try DER.sequence(DER.parse(bytes), identifier: .sequence) { nodes in
            _ = try ASN1ObjectIdentifier(derEncoded: &nodes)
            return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence, SignedReceipt.init(signedData:))
            }
        }
    }

    private init(signedData nodes: inout ASN1NodeCollection.Iterator) throws {
        _ = try Int(derEncoded: &nodes)
        _ = nodes.next()
        content = try nodes.sequence { nodes in
            _ = try ASN1ObjectIdentifier(derEncoded: &nodes)
            return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try ASN1OctetString(derEncoded: node).bytes
            }
        }
        certificates = try SignedReceipt.certificates(&nodes)
        let signer = try SignedReceipt.signer(&nodes)
        issuer = signer.issuer
        serialNumber = signer.serialNumber
        signature = signer.signature
    }

    /// Reads at most as many certificates as a chain has, and one more. The sender's bytes must not decide how much
    /// work is done.
    private static func certificates(_ nodes: inout ASN1NodeCollection.Iterator) throws -> [Certificate] {
        guard let node = nodes.next() else { throw ASN1Error.invalidASN1Object(reason: "there are no certificates") }
        let found = try DER.lazySet(of: WholeCertificate.self, identifier: first, rootNode: node)
        return try found.prefix(certificatesMax).map { try $0.get().certificate }
    }

    /// A certificate as it was read.
    private struct EncodedCertificate: DERSerializable {
        let certificate: Certificate

        func serialize(into coder: inout DER.Serializer) { coder.serializeRawBytes(certificate.bytes) }
    }

    /// A certificate whose signature is whole bytes. If the last bits of a signature happen to be zero, they could be
    /// declared unused. The signature would stay valid, and the receipt would have a second form.
    private struct WholeCertificate: DERParseable {
        let certificate: Certificate

        init(derEncoded node: ASN1Node) throws {
            certificate = try Certificate(derEncoded: node.encodedBytes)
            let unusedBits = try DER.sequence(node, identifier: .sequence) { nodes in
                // Certificate has read the signed part and the algorithm.
                _ = (nodes.next(), nodes.next())
                return try ASN1BitString(derEncoded: &nodes).paddingBits
            }
            guard unusedBits == 0 else { throw ASN1Error.invalidASN1Object(reason: "a signature has unused bits") }
        }
    }

    private static func signer(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Signer {
        guard let node = nodes.next() else { throw ASN1Error.invalidASN1Object(reason: "there is no signature") }
        let found = try DER.lazySet(of: Signer.self, identifier: .set, rootNode: node).prefix(2).map { try $0.get() }
        guard let signer = found.first, found.count == 1 else {
            throw ASN1Error.invalidASN1Object(reason: "exactly one signature is expected")
        }
        return signer
    }

    /// The parts of SignerInfo that a receipt depends on.
    private struct Signer: DERParseable {
        let issuer: [UInt8]
        let serialNumber: [UInt8]
        let signature: ArraySlice<UInt8>

        init(derEncoded node: ASN1Node) throws {
            (issuer, serialNumber, signature) = try DER.sequence(node, identifier: .sequence) { nodes in
                _ = try Int(derEncoded: &nodes)
                let (issuer, serial) = try nodes.sequence { nodes -> ([UInt8], ArraySlice<UInt8>) in
                    guard let name = nodes.next() else { throw ReceiptError.malformed }
                    return (Array(name.encodedBytes), try ArraySlice<UInt8>(derEncoded: &nodes))
                }
                _ = try AlgorithmIdentifier(derEncoded: &nodes)
                _ = try AlgorithmIdentifier(derEncoded: &nodes)
                return (issuer, Array(serial), try ASN1OctetString(derEncoded: &nodes).bytes)
            }
        }
    }
}

extension ASN1NodeCollection.Iterator {
    /// The next node, which must be a SEQUENCE.
    fileprivate mutating func sequence<Value>(_ read: (inout Self) throws -> Value) throws -> Value {
        guard let node = next() else { throw ASN1Error.invalidASN1Object(reason: "something is missing") }
        return try DER.sequence(node, identifier: .sequence, read)
    }
}
