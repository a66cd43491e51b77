import Cryptography
import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Signing

@Suite struct JWSSignerTests {
    private let authority: CertificateAuthority
    private let signer: JWSSigner

    init() throws {
        authority = try .appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        signer = JWSSigner(authority)
    }

    @Test func `the header names the algorithm and the chain, and nothing else`() throws {
        let read = try ReadJWS(signer.sign(Array(#"{"a":1}"#.utf8)))
        #expect(read.header.objectValue.map { Set($0.keys) } == ["alg", "x5c"])
        #expect(read.header["alg"] == "ES256")
        #expect(read.certificates == authority.chain.map(\.bytes), "leaf first, in standard Base64")
    }

    @Test func `the signature is the leaf's, of 64 bytes`() throws {
        let read = try ReadJWS(signer.sign(Array(#"{"a":1}"#.utf8)))
        #expect(read.signature.count == 64)
        #expect(try read.isSigned(by: authority.leaf))
        #expect(try !read.isSigned(by: authority.intermediate))
        #expect(try !read.isSigned(by: authority.leaf, payload: Array(#"{"a":2}"#.utf8)))
        #expect(try !read.isSigned(by: CertificateAuthority().leaf))
    }

    @Test(arguments: [
        #"{"a":1}"#, #"{ "b" : 1.50,"a":[ ] }"# + "\n", #"{"a":"\u00e4\/ä😀"}"#, "", "x", "xy", "xyz", "not JSON \u{0}",
    ])
    func `no byte of a payload is changed`(payload: String) throws {
        let read = try ReadJWS(signer.sign(Array(payload.utf8)))
        #expect(read.payload == Array(payload.utf8))
        #expect(try read.isSigned(by: authority.leaf))
    }

    @Test func `any bytes of any length are signed as they are`() throws {
        var random = SplitMix64.seeded()
        for count in Array(0...64) + [10_000] {
            let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let read = try ReadJWS(signer.sign(payload))
            #expect(read.payload == payload)
            #expect(try read.isSigned(by: authority.leaf))
        }
    }

    @Test func `after a rotation another leaf signs`() throws {
        let rotated = try authority.rotated(.leaf)
        let read = try ReadJWS(JWSSigner(rotated).sign([]))
        #expect(try read.isSigned(by: rotated.leaf))
        #expect(try !read.isSigned(by: authority.leaf))
        #expect(read.chain == rotated.chain)
    }

    @Test func `Xcode's header names its key, with one certificate that is self-signed`() throws {
        let read = try ReadJWS(JWSSigner.xcode(authority).sign(Array(#"{"a":1}"#.utf8)))
        #expect(read.header.objectValue.map { Set($0.keys) } == ["alg", "kid", "typ", "x5c"])
        #expect(read.header["alg"] == "ES256")
        #expect(read.header["kid"] == "Apple_Xcode_Key")
        #expect(read.header["typ"] == "JWT")
        #expect(read.certificates.count == 1)
        let certificate = try #require(read.chain.first)
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.subjectText == "StoreKit Testing in Xcode")
        #expect(certificate.serialNumber == [1])
        #expect(certificate.isSigned(by: certificate))
        #expect(try read.isSigned(by: certificate))
        #expect(read.payload == Array(#"{"a":1}"#.utf8))
    }

    @Test func `Xcode's key is the same in every process`() throws {
        let certificates = try (0..<2).map { _ in
            try #require(try ReadJWS(JWSSigner.xcode(CertificateAuthority(authority.stored())).sign([])).chain.first)
        }
        #expect(certificates[0].publicKey == certificates[1].publicKey)
        #expect(certificates[0].publicKey == authority.leaf.publicKey)
    }
}
