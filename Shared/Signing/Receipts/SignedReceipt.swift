import SwiftASN1
import X509

/// A receipt as PKCS#7 (CMS, RFC 5652) SignedData: content, whole chain and one signature.
///
/// Without signed attributes, so the signature is over the content itself. Each value has exactly one encoding:
/// ``ReceiptVerifier`` writes the values it has read once more and compares, so that no byte of a receipt is without
/// meaning.
struct SignedReceipt {
    var content: ArraySlice<UInt8>
    var certificates: [Certificate]
    var issuer: DistinguishedName
    var serialNumber: Certificate.SerialNumber
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
        try coder.serializeSetOf(certificates, identifier: Self.first)
        try coder.appendConstructedNode(identifier: .set) { coder in
            try coder.appendConstructedNode(identifier: .sequence, writeSignerInfo)
        }
    }

    private func writeSignerInfo(_ coder: inout DER.Serializer) throws {
        try coder.serialize(1)
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(issuer)
            try coder.serialize(serialNumber.bytes)
        }
        try coder.serialize(AlgorithmIdentifier.sha256)
        try coder.serialize(AlgorithmIdentifier.ecdsaWithSHA256)
        try coder.serialize(ASN1OctetString(contentBytes: signature))
    }
}
