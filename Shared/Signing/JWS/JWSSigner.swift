import Cryptography
import FoundationEssentials
import StoreModels

/// Signs messages of the App Store's server: compact JWS, ES256, with the chain in the header.
///
/// The header is the same for all payloads of a signer, so it is written once. Payloads get no `iat`, `exp` or `nbf`,
/// which verifiers would judge.
package struct JWSSigner: Sendable {
    /// The header's content besides the algorithm.
    enum Kind: Sendable {
        /// The whole chain.
        case appStore
        /// One self-signed certificate, as in data of Xcode. Apple's libraries do not look at it.
        case xcode
    }

    let authority: CertificateAuthority
    let kind: Kind
    let header: JWSHeader
    private let encodedHeader: [UInt8]

    /// Creates a signer that signs with the authority's leaf.
    package init(_ authority: CertificateAuthority) {
        self.init(authority, .appStore, header: JWSHeader(chain: authority.chainDER))
    }

    /// Creates a signer for the environment Xcode.
    ///
    /// The key is the leaf's. The certificate is made for it at each call, so its bytes differ between processes.
    /// - Throws: An error of libcrypto, which would be a fault in the template.
    package static func xcode(_ authority: CertificateAuthority) throws -> JWSSigner {
        let certificate = try CertificateTemplate.xcode.certificate(
            for: authority.leafKey.publicKey, issuer: nil, issuerKey: authority.leafKey)
        var header = JWSHeader(chain: [certificate.bytes])
        header.keyIdentifier = "Apple_Xcode_Key"
        header.type = "JWT"
        return JWSSigner(authority, .xcode, header: header)
    }

    /// The certificate that a verifier has to trust, DER: the root, or Xcode's only one.
    package var trusted: [UInt8] { header.chain?.last ?? [] }

    private init(_ authority: CertificateAuthority, _ kind: Kind, header: JWSHeader) {
        self.authority = authority
        self.kind = kind
        self.header = header
        encodedHeader = header.encoded
    }

    /// Signs a payload.
    ///
    /// - Parameter payload: JSON as it is to be read. The signer changes no byte.
    /// - Returns: Header, payload and signature in base64url, with periods between.
    package func sign(_ payload: [UInt8]) -> String {
        var text = Self.input(encodedHeader, payload)
        Self.append(Self.signature(of: text, authority.leafKey), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes to be signed, with room for the signature behind them.
    static func input(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(header.count + payload.count / 3 * 4 + 4 + 88)
        text.append(contentsOf: header)
        Base64URL.append(payload, to: &text)
        return text
    }

    /// The two numbers of the signature, 32 bytes each.
    static func signature(of input: [UInt8], _ key: P256.Signing.PrivateKey) -> [UInt8] {
        key.signature(for: input).rawRepresentation
    }

    static func append(_ signature: [UInt8], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
    }
}

/// The header of a JWS, members in the order of their names.
struct JWSHeader {
    var algorithm = "ES256"
    var keyIdentifier: String?
    var type: String?
    /// DER, leaf first. Nil leaves the member out.
    var chain: [[UInt8]]?

    /// Base64url of the JSON, and the period behind it. No text in it needs an escape sequence.
    var encoded: [UInt8] {
        var members = [#""alg":"\#(algorithm)""#]
        if let keyIdentifier { members.append(#""kid":"\#(keyIdentifier)""#) }
        if let type { members.append(#""typ":"\#(type)""#) }
        if let chain {
            // RFC 7515 §4.1.6: certificates are in standard base64, unlike everything else.
            let texts = chain.map { "\"\(Data($0).base64EncodedString())\"" }
            members.append(#""x5c":[\#(texts.joined(separator: ","))]"#)
        }
        var text: [UInt8] = []
        Base64URL.append(Array("{\(members.joined(separator: ","))}".utf8), to: &text)
        text.append(UInt8(ascii: "."))
        return text
    }
}
