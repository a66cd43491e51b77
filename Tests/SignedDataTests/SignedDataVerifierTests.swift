import Foundation
import Signing
import StoreModels
import Testing

@testable import SignedData

/// Goal: what the store signs is accepted, and each fault gets StoreKit's name for it.
@Suite struct SignedDataVerifierTests {
    private let signer: JWSSigner
    private let verifier: SignedDataVerifier
    private let good: SignedDocument

    init() throws {
        let authority = try CertificateAuthority.appStore(
            root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        signer = JWSSigner(authority)
        verifier = SignedDataVerifier(roots: [authority.rootDER])
        good = try #require(SignedDocument(signer.sign(Self.transaction)))
    }

    private static let transaction = Array(
        #"{"bundleId":"com.example.app","environment":"Sandbox","price":4990,"signedDate":1795600000000}"#.utf8)
    private static let signedAt = Timestamp(milliseconds: 1_795_600_000_000)

    private func fault(_ text: String) -> SignedDataFault? {
        guard let document = SignedDocument(text) else { return .invalidEncoding }
        return verifier.fault(in: document, signedAt: Self.signedAt)
    }

    /// The good document with other parts. A header or signature that is nil stays.
    private func document(header: String? = nil, signature: [UInt8]? = nil) -> String {
        let parts = [
            header.map { Array($0.utf8) } ?? good.header, good.payload, signature ?? good.signature,
        ]
        return parts.map { Base64URL.encode($0) }.joined(separator: ".")
    }

    /// The certificates of the good document, base64.
    private func chain() throws -> [String] {
        try #require(try StrictJSON.parse(good.header)["x5c"]?.arrayValue?.compactMap(\.stringValue))
    }

    private func fault(ofChain chain: [String]) -> SignedDataFault? {
        let list = chain.map { "\"\($0)\"" }.joined(separator: ",")
        return fault(document(header: #"{"alg":"ES256","x5c":[\#(list)]}"#))
    }

    @Test func `what the store signs is accepted, byte for byte`() {
        #expect(verifier.fault(in: good, signedAt: Self.signedAt) == nil)
        #expect(good.payload == Self.transaction)
        #expect(good.signedBytes + [0x2E] + Array(Base64URL.encode(good.signature).utf8) == Array(good.text.utf8))
    }

    @Test(arguments: BrokenSignature.allCases)
    func `each fault has StoreKit's name`(_ broken: BrokenSignature) throws {
        let expected: SignedDataFault? =
            switch broken {
            case .signature, .tampered: .invalidSignature
            case .noX5C, .algorithm: .invalidEncoding
            case .root, .leafOID, .intermediateOID, .expired, .notYetValid, .chainOfTwo, .chainOfFour,
                .corruptCertificate:
                .invalidCertificateChain
            // Good signatures: the responder knows of the first, the claims tell the others.
            case .revoked, .bundle, .environment: nil
            }
        #expect(fault(try signer.sign(Self.transaction, broken: broken)) == expected)
    }

    @Test(arguments: ["", ".", "..", "a.b", "e30.e30.e30.e30", "e30=.e30.e30", "e30.e30.?", "e31.e30.e30", " .e30.e30"])
    func `text that is not three parts of base64url has no encoding`(_ text: String) {
        #expect(fault(text) == .invalidEncoding)
    }

    @Test(arguments: [
        "[]", "{}", #"{"alg":"ES256"}"#, #"{"alg":"none","x5c":[]}"#, #"{"alg":"es256","x5c":[]}"#,
        #"{"alg":"ES384","x5c":[]}"#, #"{"alg":"HS256","x5c":[]}"#, #"{"alg":"ES256","x5c":"MII"}"#,
        #"{"alg":"ES256","x5c":["_-8="]}"#, #"{"alg":"ES256","alg":"ES256","x5c":[]}"#,
        #"{"alg":"ES256","crit":["b64"],"x5c":[]}"#, "\u{FEFF}{}",
    ])
    func `a header without ES256 and certificates has no encoding`(_ header: String) {
        #expect(fault(document(header: header)) == .invalidEncoding)
    }

    /// The order of P-256's group, and half of it.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// left − right, of 32 bytes each.
    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var (result, borrow) = ([UInt8](repeating: 0, count: 32), 0)
        for index in (0..<32).reversed() {
            let digit = Int(left[index]) - Int(right[index]) - borrow
            (result[index], borrow) = (UInt8(truncatingIfNeeded: digit), digit < 0 ? 1 : 0)
        }
        return result
    }

    @Test func `numbers outside the group are no signature`() {
        let (r, s) = (Array(good.signature[..<32]), Array(good.signature[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let one = Array(zero.dropLast()) + [1]
        let most = [UInt8](repeating: 0xFF, count: 32)
        let wrong: [[UInt8]] = [
            [], zero + zero, r + zero, zero + s, Array(one + one), Self.order + s, r + Self.order,
            Self.order + Self.order,
            most + most, s + r, Array(good.signature.dropLast()), good.signature + [0], good.signature + good.signature,
            // The form of certificates' signatures.
            [0x30, 0x44] + DER.integer(r[...]) + DER.integer(s[...]),
        ]
        for signature in wrong { #expect(fault(document(signature: signature)) == .invalidSignature, "\(signature)") }
        // ECDSA itself accepts the mirrored number.
        #expect(fault(document(signature: r + Self.difference(Self.order, s))) == nil)
    }

    @Test func `numbers with leading zeros are read`() throws {
        var seen = Set<Bool>()
        // One of 256 signatures has a number that begins with a zero byte, and half have one with its first bit set.
        for index in 0..<2000 where seen.count < 2 {
            let document = try #require(SignedDocument(signer.sign(Array("{\"n\":\(index)}".utf8))))
            let isShort = document.signature[0] == 0 || document.signature[32] == 0
            guard isShort || index == 0 else { continue }
            seen.insert(isShort)
            #expect(verifier.fault(in: document, signedAt: nil) == nil)
        }
        #expect(seen.contains(true))
    }

    @Test func `certificates in another order, twice, or with other bytes are no chain`() throws {
        let chain = try chain()
        let (leaf, intermediate, root) = (chain[0], chain[1], chain[2])
        for list in [
            [], [leaf], [root, root, root], [intermediate, intermediate, root], [leaf, leaf, root], [leaf, root, root],
            [root, intermediate, leaf], [leaf, intermediate, intermediate], [leaf, intermediate, root, root],
        ] { #expect(fault(ofChain: list) == .invalidCertificateChain) }
        let bytes = Array(try #require(Data(base64Encoded: leaf)))
        // With a byte less, one more, and one changed at each place.
        let changed = bytes.indices.map { index in
            var other = bytes
            other[index] ^= 1
            return other
        }
        for other in [Array(bytes.dropLast()), bytes + [0]] + changed {
            #expect(
                fault(ofChain: [Data(other).base64EncodedString(), intermediate, root]) == .invalidCertificateChain)
        }
    }

    @Test func `only trusted roots end a chain`() throws {
        #expect(SignedDataVerifier(roots: []).fault(in: good, signedAt: nil) == .invalidCertificateChain)
        let other = try CertificateAuthority().rootDER
        #expect(SignedDataVerifier(roots: [other]).fault(in: good, signedAt: nil) == .invalidCertificateChain)
        #expect(SignedDataVerifier(roots: [other] + verifier.roots).fault(in: good, signedAt: nil) == nil)
    }

    /// The last millisecond before 2000, and the first of 2200.
    @Test(arguments: [
        Timestamp.earliest.milliseconds, 946_684_799_999, 7_258_118_400_000, Timestamp.latest.milliseconds,
    ])
    func `a date outside the certificates' years is no chain`(_ milliseconds: Int64) {
        let date = Timestamp(milliseconds: milliseconds)
        #expect(verifier.fault(in: good, signedAt: date) == .invalidCertificateChain)
    }

    @Test func `roots are read from DER and from PEM, several from one file`() throws {
        let authority = try CertificateAuthority()
        let (der, pem) = (authority.rootDER, authority.rootPEM)
        let other = try CertificateAuthority()
        #expect(SignedDataVerifier.certificates(in: der) == [der])
        let both = Array("comment\n\(pem)\n\(other.rootPEM)".utf8)
        #expect(SignedDataVerifier.certificates(in: both) == [der, other.rootDER])
        for text in [
            "", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", pem.replacing("A", with: "!"),
        ] { #expect(SignedDataVerifier.certificates(in: Array(text.utf8)) == nil) }
    }

    @Test func `the proof of a device is the digest of nonce and identifier in lower case`() throws {
        let nonce = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
        let device = try #require(UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"))
        let proof = DeviceProof.make(nonce: nonce, device: device)
        #expect(
            proof.map { String($0, radix: 16) }.count == 48
                && proof
                    == Data(
                        ECDSA.sha384(
                            Array("00000000-0000-0000-0000-00000000000affffffff-ffff-ffff-ffff-ffffffffffff".utf8)))
        )
        // FIPS 180-4's own example.
        #expect(Data(ECDSA.sha384(Array("abc".utf8))).base64EncodedString().hasPrefix("ywB1P0WjXou1"))
    }
}

/// Goal: the reader of DER accepts one form of each value, and never reads beyond its bytes.
@Suite struct DERTests {
    @Test(arguments: [
        [], [0x30], [0x30, 0x80], [0x30, 0x81, 0x7F], [0x30, 0x82, 0x00, 0x80], [0x30, 0x01], [0x30, 0x84, 1, 0, 0, 0],
        [0x1F, 0x01, 0x00], [0x30, 0xFF], [0x31, 0x00],
    ])
    func `long, indefinite and missing lengths are refused`(_ bytes: [UInt8]) {
        var rest = bytes[...]
        #expect(DER(taking: &rest, DER.Tag.sequence) == nil)
        #expect(rest == bytes[...])
    }

    @Test func `times of both forms sort as texts`() {
        func time(_ tag: UInt8, _ text: String) -> String? {
            var bytes = ([tag, UInt8(text.utf8.count)] + text.utf8)[...]
            return DER(taking: &bytes)?.time
        }
        #expect(time(DER.Tag.utcTime, "491231235959Z") == "20491231235959")
        #expect(time(DER.Tag.utcTime, "500101000000Z") == "19500101000000")
        #expect(time(DER.Tag.generalizedTime, "22000101000000Z") == "22000101000000")
        for text in ["", "Z", "4912312359Z", "491231235959", "491231235959+0000", "-91231235959Z"] {
            #expect(time(DER.Tag.utcTime, text) == nil && time(DER.Tag.generalizedTime, text) == nil)
        }
    }

    @Test func `numbers are as short as they can be, and never negative`() {
        #expect(DER.integer([0, 0, 1]) == [2, 1, 1])
        #expect(DER.integer([0, 0x80]) == [2, 2, 0, 0x80])
        #expect(DER.integer([0, 0]) == [2, 1, 0])
    }
}
