import Foundation
import Testing

@testable import Cryptography

/// Goal: a key is on P-256 or refused, and a signature has one form in each encoding.
@Suite struct P256Tests {
    private let key = P256.Signing.PrivateKey()

    @Test func `a signature is the key's, of these bytes, in both encodings`() throws {
        let signature = key.signature(for: "text".utf8)
        let (raw, der) = (signature.rawRepresentation, signature.derRepresentation)
        #expect(raw.count == 64)
        for again in [
            try P256.Signing.ECDSASignature(rawRepresentation: raw),
            try P256.Signing.ECDSASignature(derRepresentation: der),
        ] {
            #expect(again.rawRepresentation == raw)
            #expect(again.derRepresentation == der)
            #expect(key.publicKey.isValidSignature(again, for: "text".utf8))
            #expect(!key.publicKey.isValidSignature(again, for: "Text".utf8))
            #expect(!P256.Signing.PrivateKey().publicKey.isValidSignature(again, for: "text".utf8))
        }
    }

    @Test func `a key is the same in every form`() throws {
        for again in [
            try P256.Signing.PrivateKey(rawRepresentation: key.rawRepresentation),
            try P256.Signing.PrivateKey(derRepresentation: key.derRepresentation),
            try P256.Signing.PrivateKey(pemRepresentation: key.pemRepresentation),
        ] {
            #expect(again.rawRepresentation == key.rawRepresentation)
            #expect(again.publicKey == key.publicKey)
            #expect(key.publicKey.isValidSignature(again.signature(for: [1]), for: [1]))
        }
        #expect(key.pemRepresentation.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(key.pemRepresentation.hasSuffix("\n-----END PRIVATE KEY-----"))
        let shown = try P256.Signing.PublicKey(pemRepresentation: key.publicKey.pemRepresentation)
        #expect(shown == key.publicKey)
        #expect(shown.x963Representation.first == 4 && shown.x963Representation.count == 65)
    }

    @Test func `a number outside the curve's range is no key`() {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        for bytes in [[], [1], order, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32)] {
            #expect(throws: CryptographyError.self) { try P256.Signing.PrivateKey(rawRepresentation: bytes) }
        }
    }

    @Test func `bytes that are more or less than a key are refused`() {
        let der = key.derRepresentation
        for bytes in [[], Array(der.dropLast()), der + [0], Array(repeating: 0x30, count: 100)] {
            #expect(throws: CryptographyError.self) { try P256.Signing.PrivateKey(derRepresentation: bytes) }
        }
    }

    @Test(arguments: [
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB3Ooh6W3+VdjTQec/e
        aIb8zQujgh/IDZUU6+aq8jGnSrB9D51/bS8F9d1emMiGRNihZANiAAS+bqZivSfr
        52zkXCmll5FPJesoDK5/OotDhjZQwa3EzqEW3rQL35R1okEssKde5uM4FJHrQSSb
        yCRuGZgyGQ5W+32oPMJQCuGbg3ABGpMQ1oyTM6u2wZRksa1qSpk0IHo=
        -----END PRIVATE KEY-----
        """,
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgE3QAlEAdoKQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEEm6Z5Abd9LsLQ1pg6EeLmYEgZAq
        gwQa6Xnn3pj33CdZc0fUYwdBESqe9sW6XyfvZfdo+/7qozHsooO3kW5N91NDgjdM
        Lu2UlculxvFYlDBZDKo3IHcqRagcT/Q9iuAQZqgYbFlAT74ZCmM7U+ubGdq5eRW0
        qV3lQfphmRuaDGp0VHeXVZ/MdR3fKTWoie6zMWgyijDXUdnhIDKRTgko2Nf+A1s=
        -----END ENCRYPTED PRIVATE KEY-----
        """,
        "", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    ])
    func `a key on another curve, with a password or in no form is refused`(_ text: String) {
        #expect(throws: CryptographyError.self) { try P256.Signing.PrivateKey(pemRepresentation: text) }
    }

    @Test func `a private key in a public key's place and a compressed point are refused`() {
        let compressed = """
            -----BEGIN PUBLIC KEY-----
            MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgACz/nP4G49ysh4i+HpAyDulCWunZRL
            biOqm+iD86JeBWw=
            -----END PUBLIC KEY-----
            """
        for text in [key.pemRepresentation, compressed, "", "no key"] {
            #expect(throws: CryptographyError.self) { try P256.Signing.PublicKey(pemRepresentation: text) }
        }
    }

    @Test func `a signature in another form is refused`() {
        let good = Array(key.signature(for: [1]).derRepresentation)
        let long = [0x30, 0x81, UInt8(good.count - 2)] + good.dropFirst(2)
        let zeros: [UInt8] = [0x30, 8, 0x02, 2, 0, 1, 0x02, 2, 0, 1]
        let negative: [UInt8] = [0x30, 6, 0x02, 1, 0x81, 0x02, 1, 1]
        let wide: [UInt8] = [0x30, 0x26, 0x02, 0x21, 1] + [UInt8](repeating: 0, count: 32) + [0x02, 1, 1]
        for bytes in [[], [0x30, 0], good + [0], Array(good.dropLast()), long, zeros, negative, wide] {
            #expect(throws: CryptographyError.self, "\(bytes)") {
                try P256.Signing.ECDSASignature(derRepresentation: bytes)
            }
        }
        for count in [0, 63, 65] {
            #expect(throws: CryptographyError.self) {
                try P256.Signing.ECDSASignature(rawRepresentation: [UInt8](repeating: 1, count: count))
            }
        }
    }

    @Test func `numbers that no signature has are read, and are not the key's`() throws {
        for byte in [0, 0xFF] as [UInt8] {
            let bytes = [UInt8](repeating: byte, count: 64)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
            #expect(signature.rawRepresentation == bytes)
            #expect(!key.publicKey.isValidSignature(signature, for: [1]))
        }
    }

    @Test func `keys sign and verify from many threads`() async {
        let key = key
        let isValid = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let text = [UInt8](repeating: UInt8(number), count: number)
                    return key.publicKey.isValidSignature(key.signature(for: text), for: text)
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(isValid)
    }
}
