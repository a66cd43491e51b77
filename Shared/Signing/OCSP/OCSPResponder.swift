import Cryptography
import FoundationEssentials
import StoreModels
import SwiftASN1

/// Answers whether the store's certificates are revoked (RFC 6960). Without I/O and state: the request, the mode and
/// the time go in, the response comes out.
///
/// A response is signed by a responder's certificate that the issuer of the certificate asked about has issued, and
/// brings it along. The issuers themselves could sign, but Apple's node library accepts no response of theirs, and its
/// other libraries accept both.
package struct OCSPResponder: Sendable {
    /// The most bytes of a request. A longer one is `malformedRequest` without being parsed.
    package static let requestBytesMax = 4096

    /// The time a response begins before it is made. Apple's node library refuses those that began less than a minute
    /// ago by its own clock, which may be behind.
    static let age = Duration.seconds(120)
    /// The time a response may be kept.
    static let lifetime = Duration.seconds(12 * 3600)

    private let issuers: [OCSPIssuer]

    /// Creates a responder for the certificates that roots and intermediates of some authorities issue.
    ///
    /// - Parameter authorities: Include those from before a rotation as long as their signatures are to be verified
    ///   online.
    /// - Throws: An error of libcrypto, which would be a fault in the templates.
    package init(_ authorities: [CertificateAuthority]) throws {
        var issuers: [OCSPIssuer] = []
        func add(_ certificate: Certificate, _ key: P256.Signing.PrivateKey, below: OCSPSigner) throws {
            guard !issuers.contains(where: { $0.certificate.publicKey == certificate.publicKey }) else { return }
            issuers.append(try OCSPIssuer(certificate, key, notResponder: below))
        }
        for authority in authorities {
            try add(
                authority.root, authority.rootKey,
                below: OCSPSigner(certificate: authority.intermediate, key: authority.intermediateKey))
            try add(
                authority.intermediate, authority.intermediateKey,
                below: OCSPSigner(certificate: authority.leaf, key: authority.leafKey))
        }
        self.issuers = issuers
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: DER, at most ``requestBytesMax``.
    ///   - now: The wall clock: clients compare with theirs.
    /// - Returns: DER. An error response without a signature for bytes that are not a request (`malformedRequest`), for
    ///   certificates that all have unknown issuers (`unauthorized`), and in the mode `unavailable` (`tryLater`).
    /// - Throws: An error for an instant after the year 9999.
    package func response(to request: [UInt8], mode: OCSPMode, now: Timestamp) throws -> [UInt8] {
        guard mode != .unavailable else { return try Self.error(.tryLater) }
        guard request.count <= Self.requestBytesMax, let request = try? OCSPRequest(derEncoded: request) else {
            return try Self.error(.malformedRequest)
        }
        // One key signs, so what other issuers have issued is unknown in the same response.
        guard let issuer = request.certificates.lazy.compactMap(issuer).first else {
            return try Self.error(.unauthorized)
        }
        let signer = mode == .wrongSigner ? issuer.notResponder : issuer.responder
        let made = mode == .stale ? now + .seconds(-24 * 3600) : now
        var response = OCSPResponseData(
            responderKeyHash: Insecure.SHA1.hash(data: signer.key.publicKey.x963Representation),
            producedAt: made, nonce: request.nonce)
        for certificate in request.certificates {
            let isIssuers = self.issuer(certificate)?.certificate.publicKey == issuer.certificate.publicKey
            response.certificates.append((certificate, isIssuers ? issuer.status(of: certificate, mode) : .unknown))
        }
        let bytes = try signer.sign(response)
        return mode == .malformed ? Array(bytes.prefix(bytes.count / 2)) : bytes
    }

    private func issuer(_ certificate: OCSPCertificateID) -> OCSPIssuer? {
        issuers.first { $0.hasIssued(certificate) }
    }

    /// Numbers of RFC 6960 §4.2.1.
    private enum ErrorStatus: UInt8 {
        case malformedRequest = 1
        case tryLater = 3
        case unauthorized = 6
    }

    private static func error(_ status: ErrorStatus) throws -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(status.rawValue) }
        }
        return serializer.serializedBytes
    }
}

private enum OCSPStatus {
    case good, revoked, unknown
}

/// A certificate and its key.
private struct OCSPSigner: Sendable {
    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    func sign(_ response: OCSPResponseData) throws -> [UInt8] {
        let content = try response.encoded()
        let signature = key.signature(for: content).derRepresentation
        var basic = DER.Serializer()
        try basic.appendConstructedNode(identifier: .sequence) { coder in
            coder.serializeRawBytes(content)
            try coder.serialize(AlgorithmIdentifier.ecdsaWithSHA256)
            try coder.serialize(ASN1BitString(bytes: ArraySlice(signature)))
            coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                coder.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(certificate.bytes) }
            }
        }
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    let basicResponse: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
                    try coder.serialize(basicResponse)
                    try coder.serialize(ASN1OctetString(contentBytes: basic.serializedBytes[...]))
                }
            }
        }
        return serializer.serializedBytes
    }
}

/// A root or intermediate with those who sign for it.
private struct OCSPIssuer: Sendable {
    let certificate: Certificate
    let responder: OCSPSigner
    /// A certificate of the issuer's that may not answer for it.
    let notResponder: OCSPSigner
    private let serialNumbers: IssuedSerialNumber
    private let hashes: [ASN1ObjectIdentifier: (name: [UInt8], key: [UInt8])]

    init(_ certificate: Certificate, _ key: P256.Signing.PrivateKey, notResponder: OCSPSigner) throws {
        self.certificate = certificate
        self.notResponder = notResponder
        serialNumbers = IssuedSerialNumber(issuerKey: key)
        let responderKey = P256.Signing.PrivateKey()
        responder = OCSPSigner(
            certificate: try CertificateTemplate.ocspResponder.certificate(
                for: responderKey.publicKey, issuer: certificate.subject, issuerKey: key),
            key: responderKey)
        let (name, publicKey) = (certificate.subject, key.publicKey.x963Representation)
        hashes = [
            [1, 3, 14, 3, 2, 26]: (Insecure.SHA1.hash(data: name), Insecure.SHA1.hash(data: publicKey)),
            [2, 16, 840, 1, 101, 3, 4, 2, 1]: (SHA256.hash(data: name), SHA256.hash(data: publicKey)),
        ]
    }

    func hasIssued(_ certificate: OCSPCertificateID) -> Bool {
        guard let hash = hashes[certificate.hash] else { return false }
        return certificate.issuerNameHash.elementsEqual(hash.name) && certificate.issuerKeyHash.elementsEqual(hash.key)
    }

    /// Answers for a certificate of the issuer's. In every mode it does not know a number that it never gave.
    func status(of certificate: OCSPCertificateID, _ mode: OCSPMode) -> OCSPStatus {
        guard let isRevoked = serialNumbers.isRevoked(certificate.serialNumber) else { return .unknown }
        return switch mode {
        case .revoked: .revoked
        case .unknown: .unknown
        default: isRevoked ? .revoked : .good
        }
    }
}

/// The part of a response that is signed.
private struct OCSPResponseData {
    let responderKeyHash: [UInt8]
    let producedAt: Timestamp
    let nonce: ArraySlice<UInt8>?
    var certificates: [(OCSPCertificateID, OCSPStatus)] = []

    func encoded() throws -> [UInt8] {
        let thisUpdate = try (producedAt + (.zero - OCSPResponder.age)).generalizedTime()
        let nextUpdate = try (producedAt + OCSPResponder.lifetime).generalizedTime()
        let producedAt = try producedAt.generalizedTime()
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) { coder in
                try coder.serialize(ASN1OctetString(contentBytes: responderKeyHash[...]))
            }
            try coder.serialize(producedAt)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                for (certificate, status) in certificates {
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        coder.serializeRawBytes(certificate.encoded)
                        try Self.write(status, to: &coder)
                        try coder.serialize(thisUpdate)
                        try coder.serialize(nextUpdate, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
                    }
                }
            }
            if let nonce {
                try coder.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { coder in
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            try coder.serialize(OCSPRequest.nonceExtension)
                            try coder.serialize(ASN1OctetString(contentBytes: nonce))
                        }
                    }
                }
            }
        }
        return serializer.serializedBytes
    }

    private static func write(_ status: OCSPStatus, to coder: inout DER.Serializer) throws {
        func tag(_ number: UInt) -> ASN1Identifier { ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific) }
        switch status {
        case .good: coder.appendPrimitiveNode(identifier: tag(0)) { _ in }
        case .unknown: coder.appendPrimitiveNode(identifier: tag(2)) { _ in }
        case .revoked:
            // From the certificate's first instant on, so that no signature is older.
            let first = try Timestamp(CertificateTemplate.firstInstant).generalizedTime()
            try coder.appendConstructedNode(identifier: tag(1)) { coder in
                try coder.serialize(first)
                coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                    // keyCompromise (RFC 5280 §5.3.1).
                    coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(1) }
                }
            }
        }
    }
}

extension Timestamp {
    /// The instant cut to whole seconds: OCSP has no fractions (RFC 5280 §4.1.2.5.2).
    fileprivate func generalizedTime() throws -> GeneralizedTime {
        // Year, month, day, hour, minute, second, millisecond.
        let fields = description.split { !$0.isNumber }.compactMap { Int($0) }
        return try GeneralizedTime(
            year: fields[0], month: fields[1], day: fields[2], hours: fields[3], minutes: fields[4],
            seconds: fields[5], fractionalSeconds: 0)
    }
}
