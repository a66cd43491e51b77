import Cryptography
import SwiftASN1

@testable import Signing

/// Requests to an OCSP responder, written byte by byte (RFC 6960 §4.1.1).
enum OCSPMessages {
    /// The hashes in which clients name a certificate's issuer.
    enum Hash: CaseIterable {
        case sha1, sha256

        var identifier: [UInt8] {
            switch self {
            case .sha1: [0x06, 5, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
            case .sha256: [0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
            }
        }

        func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .sha1: Insecure.SHA1.hash(data: bytes)
            case .sha256: SHA256.hash(data: bytes)
            }
        }
    }

    static let nonceIdentifier: [UInt8] = [0x06, 9, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x02]

    /// An element of less than 64 KiB.
    static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap(\.self)
        switch content.count {
        case ..<0x80: return [tag, UInt8(content.count)] + content
        case ..<0x100: return [tag, 0x81, UInt8(content.count)] + content
        default: return [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
    }

    /// The name of a certificate; some clients write the NULL of the hash's parameters, some do not.
    static func certificateID(
        _ certificate: Certificate, issuer: Certificate, _ hash: Hash, null: Bool = true
    ) throws -> [UInt8] {
        guard let key = issuer.publicKey else { throw Unreadable() }
        return certificateID(
            hash, hash(issuer.subject), hash(Array(key.x963Representation)),
            serialNumber: certificate.serialNumber, null: null)
    }

    static func certificateID(
        _ hash: Hash, _ name: [UInt8], _ key: [UInt8], serialNumber: [UInt8], null: Bool = true
    ) -> [UInt8] {
        let positive = serialNumber.first.map { $0 >= 0x80 } == true ? [0] + serialNumber : serialNumber
        return element(
            0x30, element(0x30, hash.identifier, null ? [0x05, 0] : []), element(0x04, name), element(0x04, key),
            element(0x02, positive))
    }

    static func nonce(_ nonce: [UInt8]) -> [UInt8] {
        element(0x30, nonceIdentifier, element(0x04, element(0x04, nonce)))
    }

    /// - Parameter extensions: Each a whole extension.
    static func request(_ certificateIDs: [[UInt8]], extensions: [[UInt8]] = []) -> [UInt8] {
        let list = element(0x30, certificateIDs.flatMap { element(0x30, $0) })
        let more = extensions.isEmpty ? [] : element(0xA2, element(0x30, extensions.flatMap(\.self)))
        return element(0x30, element(0x30, list, more))
    }

    struct Unreadable: Error {}
}

/// A response of an OCSP responder, taken apart (RFC 6960 §4.2.1).
struct OCSPAnswer {
    enum Status: Equatable {
        case good, unknown
        case revoked(since: Date, reason: Int)
    }

    struct Single {
        /// The whole CertID as it was sent.
        let certificateID: [UInt8]
        let status: Status
        let thisUpdate: Date
        let nextUpdate: Date
    }

    /// A date in UTC, as it is written.
    typealias Date = String

    /// 0: successful.
    let status: Int
    private(set) var signed: [UInt8] = []
    private(set) var signature: [UInt8] = []
    private(set) var signatureAlgorithm: ASN1ObjectIdentifier?
    private(set) var certificates: [Certificate] = []
    /// The hash of the responder's key; nil for a responder by name.
    private(set) var responderKeyHash: [UInt8]?
    private(set) var producedAt: Date = ""
    private(set) var responses: [Single] = []
    private(set) var nonce: [UInt8]?

    /// - Throws: For what is not DER of a response, with everything that the responder is to write.
    init(_ bytes: [UInt8]) throws {
        var parts = try Self.parts(DER.parse(bytes), .sequence)
        status = Int(try Self.content(parts.removeFirst(), .enumerated).reduce(0) { $0 << 8 | Int($1) })
        guard let body = parts.first else { return }
        let wrapped = try Self.parts(try Self.only(body, Self.tag(0)), .sequence)
        guard wrapped.count == 2,
            try ASN1ObjectIdentifier(derEncoded: wrapped[0]) == [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
        else { throw OCSPMessages.Unreadable() }
        let basic = try Self.parts(
            DER.parse(Array(try ASN1OctetString(derEncoded: wrapped[1]).bytes)), .sequence)
        guard basic.count == 4 else { throw OCSPMessages.Unreadable() }
        signed = Array(basic[0].encodedBytes)
        guard let algorithm = try Self.parts(basic[1], .sequence).first else { throw OCSPMessages.Unreadable() }
        signatureAlgorithm = try ASN1ObjectIdentifier(derEncoded: algorithm)
        signature = Array(try ASN1BitString(derEncoded: basic[2]).bytes)
        certificates = try Self.parts(try Self.only(basic[3], Self.tag(0)), .sequence).map {
            try Certificate(derEncoded: $0.encodedBytes)
        }
        try readSigned(try Self.parts(basic[0], .sequence))
    }

    private mutating func readSigned(_ nodes: [ASN1Node]) throws {
        guard (3...4).contains(nodes.count) else { throw OCSPMessages.Unreadable() }
        if nodes[0].identifier == Self.tag(2) {
            let hash = try ASN1OctetString(derEncoded: try Self.only(nodes[0], Self.tag(2)))
            responderKeyHash = Array(hash.bytes)
        }
        producedAt = try Self.date(nodes[1])
        responses = try Self.parts(nodes[2], .sequence).map { try Self.single(Self.parts($0, .sequence)) }
        guard nodes.count == 4 else { return }
        let extensions = try Self.parts(try Self.only(nodes[3], Self.tag(1)), .sequence)
        for found in try extensions.map({ try Self.parts($0, .sequence) }) {
            guard found.count == 2, Array(found[0].encodedBytes) == OCSPMessages.nonceIdentifier else {
                throw OCSPMessages.Unreadable()
            }
            nonce = Array(try ASN1OctetString(derEncoded: found[1]).bytes)
        }
    }

    private static func single(_ nodes: [ASN1Node]) throws -> Single {
        guard nodes.count == 4 else { throw OCSPMessages.Unreadable() }
        let status: Status
        switch nodes[1].identifier {
        case tag(0): status = .good
        case tag(2): status = .unknown
        case tag(1):
            let revoked = try parts(nodes[1], tag(1))
            let reason = try content(try only(revoked[1], tag(0)), .enumerated)
            status = .revoked(since: try date(revoked[0]), reason: reason.reduce(0) { $0 << 8 | Int($1) })
        default: throw OCSPMessages.Unreadable()
        }
        return Single(
            certificateID: Array(nodes[0].encodedBytes), status: status, thisUpdate: try date(nodes[2]),
            nextUpdate: try date(try only(nodes[3], tag(0))))
    }

    private static func tag(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    /// As text: OCSP has whole seconds in UTC only, which a parser would not show.
    private static func date(_ node: ASN1Node) throws -> Date {
        String(decoding: try content(node, .generalizedTime), as: UTF8.self)
    }

    private static func content(_ node: ASN1Node, _ identifier: ASN1Identifier) throws -> ArraySlice<UInt8> {
        guard node.identifier == identifier, case .primitive(let content) = node.content else {
            throw OCSPMessages.Unreadable()
        }
        return content
    }

    private static func parts(_ node: ASN1Node, _ identifier: ASN1Identifier) throws -> [ASN1Node] {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw OCSPMessages.Unreadable()
        }
        return Array(nodes)
    }

    private static func only(_ node: ASN1Node, _ identifier: ASN1Identifier) throws -> ASN1Node {
        let nodes = try parts(node, identifier)
        guard nodes.count == 1 else { throw OCSPMessages.Unreadable() }
        return nodes[0]
    }
}
