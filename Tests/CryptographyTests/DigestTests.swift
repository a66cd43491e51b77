import Testing

@testable import Cryptography

/// Goal: digests, codes and derived keys are those of the standards' own examples.
@Suite struct DigestTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func `digests are those of FIPS 180`() {
        #expect(hexadecimal(Insecure.SHA1.hash(data: "abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            hexadecimal(SHA256.hash(data: "abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hexadecimal(SHA384.hash(data: "abc".utf8))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
        #expect(
            hexadecimal(SHA256.hash(data: []))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test(arguments: [0, 1, 55, 56, 64, 1000])
    func `a digest part by part is that of the whole`(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var hash = SHA256()
        var rest = bytes[...]
        while !rest.isEmpty {
            hash.update(data: rest.prefix(13))
            rest = rest.dropFirst(13)
        }
        hash.update(data: AnySequence<UInt8>([]))
        #expect(hash.finalize() == SHA256.hash(data: bytes))
    }

    @Test func `a code is that of RFC 4231, and no other is valid`() {
        let key = SymmetricKey(data: Array("Jefe".utf8))
        let text = "what do ya want for nothing?".utf8
        let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
        #expect(hexadecimal(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text, using: key))
        for index in code.indices {
            var other = code
            other[index] ^= 1
            #expect(!HMAC<SHA256>.isValidAuthenticationCode(other, authenticating: text, using: key))
        }
        #expect(!HMAC<SHA256>.isValidAuthenticationCode(code.dropLast(), authenticating: text, using: key))
        #expect(!HMAC<SHA256>.isValidAuthenticationCode([], authenticating: text, using: key))
        let empty = SymmetricKey(data: [])
        #expect(!HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text, using: empty))
    }

    @Test func `a derived key begins as that of RFC 5869`() {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0x0B, count: 22)), salt: Array(0x00...0x0C),
            info: Array(0xF0...0xF9))
        #expect(hexadecimal(key.bytes) == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
    }

    @Test func `a secret's description shows none of it`() {
        let key = SymmetricKey(data: [1, 2, 3])
        #expect("\(key)" == "3 secret bytes")
        #expect(SymmetricKey().bytes.count == 32)
        #expect(SymmetricKey().bytes != SymmetricKey().bytes)
    }
}
