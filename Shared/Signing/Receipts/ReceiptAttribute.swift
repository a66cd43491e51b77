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
        (type, version, value) = try DER.sequence(node, identifier: identifier) { nodes in
            (
                try Int64(derEncoded: &nodes), try Int64(derEncoded: &nodes),
                try ASN1OctetString(derEncoded: &nodes).bytes
            )
        }
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            try coder.serialize(type)
            try coder.serialize(version)
            try coder.serialize(ASN1OctetString(contentBytes: value))
        }
    }
}
