import SwiftASN1
import X509

extension SignedReceipt {
    /// Takes the parts out of the one form ``encoded()`` writes. Names of algorithms and versions are passed over here:
    /// whoever reads compares with what the parts are written as.
    /// - Throws: What is in another form.
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
        _ = try DER.set(of: SignedReceiptAlgorithm.self, identifier: .set, nodes: &nodes)
        content = try nodes.sequence { nodes in
            _ = try ASN1ObjectIdentifier(derEncoded: &nodes)
            return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try ASN1OctetString(derEncoded: node).bytes
            }
        }
        certificates = try DER.set(of: Certificate.self, identifier: SignedReceipt.first, nodes: &nodes)
        let signers = try DER.set(of: Signer.self, identifier: .set, nodes: &nodes)
        guard let signer = signers.first, signers.count == 1 else {
            throw ASN1Error.invalidASN1Object(reason: "one signature is expected, there are \(signers.count)")
        }
        issuer = signer.issuer
        serialNumber = signer.serialNumber
        signature = signer.signature
    }

    /// SignerInfo, as far as it says anything.
    private struct Signer: DERParseable {
        let issuer: DistinguishedName
        let serialNumber: Certificate.SerialNumber
        let signature: ArraySlice<UInt8>

        init(derEncoded node: ASN1Node) throws {
            self = try DER.sequence(node, identifier: .sequence) { nodes in
                _ = try Int(derEncoded: &nodes)
                let (issuer, serial) = try nodes.sequence { nodes -> (DistinguishedName, ArraySlice<UInt8>) in
                    guard let name = nodes.next() else { throw ReceiptError.malformed }
                    return (try DistinguishedName(derEncoded: name), try ArraySlice<UInt8>(derEncoded: &nodes))
                }
                _ = try SignedReceiptAlgorithm(derEncoded: &nodes)
                _ = try SignedReceiptAlgorithm(derEncoded: &nodes)
                return Signer(
                    issuer: issuer, serialNumber: .init(bytes: serial),
                    signature: try ASN1OctetString(derEncoded: &nodes).bytes)
            }
        }

        private init(issuer: DistinguishedName, serialNumber: Certificate.SerialNumber, signature: ArraySlice<UInt8>) {
            self.issuer = issuer
            self.serialNumber = serialNumber
            self.signature = signature
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
