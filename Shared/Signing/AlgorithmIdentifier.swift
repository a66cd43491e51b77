import SwiftASN1

/// The identifier of an algorithm without parameters. RFC 5754 §2 and §3.3 leave them out.
struct AlgorithmIdentifier: DERImplicitlyTaggable {
    let identifier: ASN1ObjectIdentifier

    static let ecdsaWithSHA256 = AlgorithmIdentifier([1, 2, 840, 10045, 4, 3, 2])
    static let sha256 = AlgorithmIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1])

    static var defaultIdentifier: ASN1Identifier { .sequence }

    init(_ identifier: ASN1ObjectIdentifier) { self.identifier = identifier }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self.init(try DER.sequence(node, identifier: identifier) { try ASN1ObjectIdentifier(derEncoded: &$0) })
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { try $0.serialize(self.identifier) }
    }
}
