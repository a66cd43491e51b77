import SwiftASN1

/// One attribute of a receipt.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
struct ReceiptAttribute: DERImplicitlyTaggable {
    var type: Int64
    var version: Int64
    var value: ArraySlice<UInt8>

    static var defaultIdentifier: ASN1Identifier { .sequence }

    init(_ field: ReceiptField, _ value: [UInt8]) {
        type = field.rawValue
        version = 1
        self.value = value[...]
    }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            Self(
                type: try Int64(derEncoded: &nodes), version: try Int64(derEncoded: &nodes),
                value: try ASN1OctetString(derEncoded: &nodes).bytes)
        }
    }

    private init(type: Int64, version: Int64, value: ArraySlice<UInt8>) {
        self.type = type
        self.version = version
        self.value = value
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            try coder.serialize(type)
            try coder.serialize(version)
            try coder.serialize(ASN1OctetString(contentBytes: value))
        }
    }
}
