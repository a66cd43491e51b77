import Cryptography
import Foundation
import StoreModels

@testable import Signing

/// A JSON Web Signature, taken apart without a look at whether it is right.
struct ReadJWS {
    let header: JSONValue
    /// As they were sent.
    let headerBytes: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    /// DER of each element of `x5c`; nil where that is not standard Base64.
    let certificates: [[UInt8]?]
    private let encodedHeader: String
    private let encodedPayload: String

    init(_ text: String) throws {
        let parts = text.components(separatedBy: ".")
        guard parts.count == 3 else { throw NotJWS() }
        (encodedHeader, encodedPayload) = (parts[0], parts[1])
        headerBytes = try Self.bytes(parts[0])
        payload = try Self.bytes(parts[1])
        signature = try Self.bytes(parts[2])
        header = try StrictJSON.parse(headerBytes)
        certificates = (header["x5c"]?.arrayValue ?? []).map { value in
            value.stringValue.flatMap { Data(base64Encoded: $0) }.map(Array.init)
        }
    }

    /// The certificates that are some, leaf first.
    var chain: [Certificate] { certificates.compactMap { $0.flatMap { try? Certificate(derEncoded: $0) } } }

    /// Whether the signature is the key's: over what was sent, or over another payload below the same header.
    func isSigned(by certificate: Certificate, payload: [UInt8]? = nil) throws -> Bool {
        guard let key = certificate.publicKey else { return false }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        let second = payload.map(Self.text) ?? encodedPayload
        return key.isValidSignature(signature, for: "\(encodedHeader).\(second)".utf8)
    }

    /// Foundation's Base64 in the URL's alphabet.
    static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        let padded =
            text.replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        // One way to write the same bytes, and no other.
        guard let data = Data(base64Encoded: padded), Self.text(Array(data)) == text else { throw NotJWS() }
        return Array(data)
    }

    struct NotJWS: Error {}
}
