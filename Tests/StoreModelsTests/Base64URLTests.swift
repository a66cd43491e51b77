import Foundation
import StorebusTesting
import Testing

@testable import StoreModels

@Suite struct Base64URLTests {
    private func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64URL.append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("\u{F8FF}?>", "76O_Pz4"),
    ])
    func `text is that of RFC 4648, without padding`(plain: String, text: String) {
        #expect(encoded(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test func `every byte has its digits, and what was there before stays`() {
        let bytes = (0...255).map { UInt8($0) }
        var text = Array("before.".utf8)
        Base64URL.append(bytes, to: &text)
        let expected = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        #expect(String(decoding: text, as: UTF8.self) == "before." + expected.replacing("=", with: ""))
        #expect(encoded([0xFB, 0xFF, 0xBF]) == "-_-_")
    }

    @Test func `any bytes are the same again, in one text only`() {
        var random = SplitMix64.seeded()
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = encoded(bytes)
            #expect(Base64URL.decode(text) == bytes)
            #expect(text.utf8.allSatisfy { $0 != UInt8(ascii: "=") })
            for other in [
                "\(text)=", "\(text)==", "\(text)A", text.replacing("-", with: "+"), text.replacing("_", with: "/"),
            ]
            where other != text { #expect(Base64URL.decode(other) != bytes) }
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AA A", "AA\nA", "ÄÄ", "A.AA", "AA*A", "=", "====", "Zg==", "Zm8=", "Zh", "Zm9", "Zm8+", "Zm8/",
    ])
    func `what is not Base64 is nothing`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
