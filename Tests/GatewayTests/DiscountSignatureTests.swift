import Cryptography
import Foundation
import StoreModels
import Testing

@testable import AppAPI

/// The signature of a promotional offer, with a real key.
@Suite struct DiscountSignatureTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let nonce = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    private let key = P256.Signing.PrivateKey()

    /// Signs as Apple's text says, in words of this test's own.
    private func discount(
        username: String = "", product: String = "com.example.pro", offer: String = "o1", keyIdentifier: String = "K1",
        bundleId: String = Sample.bundleId, nonce: String = nonce, timestamp: Int64 = now.milliseconds
    ) throws -> PaymentDiscount {
        let parts = [bundleId, keyIdentifier, product, offer, username, nonce.lowercased(), String(timestamp)]
        let signed = key.signature(for: Data(parts.joined(separator: "\u{2063}").utf8))
        return PaymentDiscount(
            identifier: offer, keyIdentifier: keyIdentifier, nonce: nonce,
            signature: signed.derRepresentation.base64EncodedString(), timestamp: timestamp)
    }

    private func isValid(
        _ discount: PaymentDiscount, username: String? = nil, token: String? = nil, publicKey: String? = nil
    ) -> Bool {
        check(discount, username: username, token: token, publicKey: publicKey) == .valid
    }

    private func check(
        _ discount: PaymentDiscount, username: String? = nil, token: String? = nil, publicKey: String? = nil
    ) -> DiscountCheck {
        let payment = Payment(
            requestIdentifier: "k", productIdentifier: "com.example.pro", applicationUsername: username,
            appAccountToken: token)
        return DiscountSignature(bundleId: Sample.bundleId, payment: payment, discount: discount)
            .check(publicKey: publicKey ?? key.publicKey.pemRepresentation, now: Self.now)
    }

    @Test func `what the key has signed is valid`() throws {
        #expect(isValid(try discount()))
        #expect(isValid(try discount(nonce: Self.nonce.uppercased())), "the nonce is signed in lower case")
    }

    @Test func `the name that was signed for has to be the payment's`() throws {
        #expect(isValid(try discount(username: "Anna"), username: "Anna"))
        #expect(isValid(try discount(username: "anna"), username: "Anna"), "as Apple's libraries sign it")
        #expect(isValid(try discount(username: "ab-1"), token: "AB-1"), "a token is signed in lower case")
        #expect(!isValid(try discount(username: "AB-1"), token: "AB-1"))
        #expect(!isValid(try discount(username: "anna")))
        #expect(!isValid(try discount(), username: "anna"))
        #expect(!isValid(try discount(username: "otto"), username: "anna"))
    }

    @Test func `the verdict names age, bytes, user or what is signed`() throws {
        let day: Int64 = 86_400_000
        #expect(check(try discount(timestamp: Self.now.milliseconds - day - 1)) == .signatureOutdated)
        var bytes = try discount()
        bytes.signature = "AAAA"
        #expect(check(bytes) == .signatureMalformed)
        #expect(check(try discount(), username: "anna") == .signatureOfOtherUser)
        #expect(check(try discount(username: "otto"), username: "anna") == .invalidSignature)
        #expect(check(try discount(product: "com.example.other")) == .invalidSignature)
    }

    @Test func `every part is signed`() throws {
        let good = try discount()
        func changed(_ change: (inout PaymentDiscount) -> Void) -> PaymentDiscount {
            var discount = good
            change(&discount)
            return discount
        }
        #expect(!isValid(changed { $0.identifier = "o2" }))
        #expect(!isValid(changed { $0.keyIdentifier = "K2" }))
        #expect(!isValid(changed { $0.nonce = "7c9e6679-7425-40de-944b-e07fc1f90ae8" }))
        #expect(!isValid(changed { $0.timestamp += 1 }))
        #expect(!isValid(try discount(product: "com.example.other")))
        #expect(!isValid(try discount(bundleId: "com.example.other")))
        for signature in ["", "nonsense", "AAAA", String(good.signature.dropLast(8)), good.signature + "AAAA"] {
            #expect(!isValid(changed { $0.signature = signature }), "\(signature)")
        }
    }

    @Test func `another key has signed nothing`() throws {
        let other = P256.Signing.PrivateKey().publicKey.pemRepresentation
        #expect(!isValid(try discount(), publicKey: other))
        #expect(!isValid(try discount(), publicKey: "no key"))
    }

    @Test func `a signature counts for a day`() throws {
        let day: Int64 = 86_400_000
        let now = Self.now.milliseconds
        for (timestamp, expected) in [
            (now - day, true), (now - day - 1, false), (now + 300_000, true), (now + 300_001, false),
            (Int64.max, false), (1, false),
        ] {
            #expect(isValid(try discount(timestamp: timestamp)) == expected, "\(timestamp)")
        }
    }
}
