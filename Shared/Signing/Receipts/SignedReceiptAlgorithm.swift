import SwiftASN1

/// The identifier of an algorithm without parameters. RFC 5754 §2 and §3.3 leave them out.
struct SignedReceiptAlgorithm: DERImplicitlyTaggable {
    let identifier: ASN1ObjectIdentifier

    static var defaultIdentifier: ASN1Identifier { .sequence }

    init(_ identifier: ASN1ObjectIdentifier) { self.identifier = identifier }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self.init(try DER.sequence(node, identifier: identifier) { try ASN1ObjectIdentifier(derEncoded: &$0) })
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { try $0.serialize(self.identifier) }
    }
}
