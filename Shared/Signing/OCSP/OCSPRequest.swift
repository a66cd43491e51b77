import SwiftASN1

/// The certificates an OCSP request asks about (RFC 6960 §4.1.1).
///
/// A signature of the client's is passed over: any client may ask.
struct OCSPRequest {
    var certificates: [OCSPCertificateID] = []
    /// The value of the nonce's extension, which a response repeats.
    var nonce: ArraySlice<UInt8>?

    /// The most certificates of a request.
    static let certificatesMax = 16
    static let nonceExtension: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
    /// RFC 9654 §2.1.
    private static let nonceBytes = 1...128

    /// - Throws: An error of the ASN.1 library, or ``OCSPRequest/Refused`` for other bytes than a request.
    init(derEncoded bytes: [UInt8]) throws {
        let request = try DER.parse(bytes)
        var (certificates, nonce): ([OCSPCertificateID], ArraySlice<UInt8>?) = ([], nil)
        try DER.sequence(request, identifier: .sequence) { nodes in
            guard let inner = nodes.next() else { throw Refused() }
            (certificates, nonce) = try Self.read(inner)
            Self.skip(&nodes, tag: 0)
        }
        (self.certificates, self.nonce) = (certificates, nonce)
    }

    /// Reads the part that a client may sign.
    private static func read(_ node: ASN1Node) throws -> ([OCSPCertificateID], nonce: ArraySlice<UInt8>?) {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let version = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try Int(derEncoded: $0)
            }
            guard version ?? 0 == 0 else { throw Refused() }
            // The client's name.
            skip(&nodes, tag: 1)
            guard let list = nodes.next() else { throw Refused() }
            let certificates = try certificates(list)
            let extensions = try DER.optionalExplicitlyTagged(
                &nodes, tagNumber: 2, tagClass: .contextSpecific, OCSPExtension.list)
            return (certificates, nonce: try nonce(extensions ?? []))
        }
    }

    private static func certificates(_ node: ASN1Node) throws -> [OCSPCertificateID] {
        let certificates = try DER.sequence(node, identifier: .sequence) { nodes in
            var certificates: [OCSPCertificateID] = []
            while let single = nodes.next() {
                guard certificates.count < certificatesMax else { throw Refused() }
                certificates.append(
                    try DER.sequence(single, identifier: .sequence) { nodes in
                        let certificate = try OCSPCertificateID(derEncoded: &nodes)
                        let extensions = try DER.optionalExplicitlyTagged(
                            &nodes, tagNumber: 0, tagClass: .contextSpecific, OCSPExtension.list)
                        guard !(extensions ?? []).contains(where: \.isCritical) else { throw Refused() }
                        return certificate
                    })
            }
            return certificates
        }
        guard !certificates.isEmpty else { throw Refused() }
        return certificates
    }

    private static func nonce(_ extensions: [OCSPExtension]) throws -> ArraySlice<UInt8>? {
        var nonce: ArraySlice<UInt8>?
        for found in extensions {
            guard found.identifier == nonceExtension else {
                guard !found.isCritical else { throw Refused() }
                continue
            }
            let value = try ASN1OctetString(derEncoded: Array(found.value))
            guard nonce == nil, nonceBytes.contains(value.bytes.count) else { throw Refused() }
            nonce = found.value
        }
        return nonce
    }

    /// Passes over a node with this tag, if it is the next.
    private static func skip(_ nodes: inout ASN1NodeCollection.Iterator, tag: UInt) {
        var rest = nodes
        let skipped = ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific)
        if rest.next()?.identifier == skipped { nodes = rest }
    }

    /// The error for a message that is DER and no request.
    struct Refused: Error {}
}

/// The name of one certificate: hashes of its issuer's name and key, and its serial number.
struct OCSPCertificateID: DERParseable {
    /// As the client wrote it. Clients compare the response's with theirs.
    let encoded: ArraySlice<UInt8>
    let hash: ASN1ObjectIdentifier
    let issuerNameHash: ArraySlice<UInt8>
    let issuerKeyHash: ArraySlice<UInt8>
    let serialNumber: ArraySlice<UInt8>

    init(derEncoded node: ASN1Node) throws {
        encoded = node.encodedBytes
        (hash, issuerNameHash, issuerKeyHash, serialNumber) = try DER.sequence(node, identifier: .sequence) { nodes in
            guard let algorithm = nodes.next() else { throw OCSPRequest.Refused() }
            return (
                try DER.sequence(algorithm, identifier: .sequence) { nodes in
                    let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    // Some clients write NULL, some nothing.
                    _ = nodes.next()
                    return identifier
                },
                try ASN1OctetString(derEncoded: &nodes).bytes, try ASN1OctetString(derEncoded: &nodes).bytes,
                try ArraySlice<UInt8>(derEncoded: &nodes)
            )
        }
    }
}

/// An extension of a request.
private struct OCSPExtension: DERParseable {
    let identifier: ASN1ObjectIdentifier
    let isCritical: Bool
    let value: ArraySlice<UInt8>

    init(derEncoded node: ASN1Node) throws {
        (identifier, isCritical, value) = try DER.sequence(node, identifier: .sequence) { nodes in
            (
                try ASN1ObjectIdentifier(derEncoded: &nodes), try DER.decodeDefault(&nodes, defaultValue: false),
                try ASN1OctetString(derEncoded: &nodes).bytes
            )
        }
    }

    static func list(_ node: ASN1Node) throws -> [OCSPExtension] {
        try DER.sequence(of: OCSPExtension.self, identifier: .sequence, rootNode: node)
    }
}
