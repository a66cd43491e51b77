import Cryptography
import EventLoop
import Foundation
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// Promotional offers in payments: a wrong one is passed on and is never an HTTP error.
@Suite struct DiscountTests {
    private static let nonce = "7C9E6679-7425-40DE-944B-E07FC1F90AE7"
    private let key = P256.Signing.PrivateKey()

    /// A payment's body with a discount that `key` has signed.
    private func body(
        _ keyIdentifier: String, key: P256.Signing.PrivateKey? = nil, timestamp: Int64? = nil
    ) throws -> [String: JSONValue] {
        let timestamp = timestamp ?? Timestamp.wallClock().milliseconds
        let parts = [
            Sample.bundleId, keyIdentifier, Sample.pro.productIdentifier, "o1", "", Self.nonce.lowercased(),
            "\(timestamp)",
        ]
        let signature = (key ?? self.key).signature(for: Data(parts.joined(separator: "\u{2063}").utf8))
        return [
            "identifier": "o1", "keyIdentifier": .string(keyIdentifier), "nonce": .string(Self.nonce),
            "signature": .string(signature.derRepresentation.base64EncodedString()),
            "timestamp": .number("\(timestamp)"),
        ]
    }

    /// Pays, and tells what PaymentQueue was asked for.
    private func pay(
        _ store: GatewayHarness, _ discount: [String: JSONValue]?
    ) async throws -> AddPaymentRequest {
        let requests = store.payments.recordAdditions()
        var body: [String: JSONValue] = ["productIdentifier": .string(Sample.pro.productIdentifier), "quantity": 1]
        body["paymentDiscount"] = discount.map { .object($0) }
        let answer = try await send(store, body)
        #expect(answer.status == 201)
        return try #require(requests.all.first)
    }

    private func send(_ store: GatewayHarness, _ body: [String: JSONValue]) async throws -> Answer {
        try await store.send(
            .POST, "/v1/payments", token: try await store.session(), headers: [("Idempotency-Key", "k1")],
            bytes: try StoreJSON.encode(JSONValue.object(body)))
    }

    /// Makes a key at the gateway and reads its private half, as an operator would.
    private func makeKey(_ store: GatewayHarness) async throws -> (identifier: String, key: P256.Signing.PrivateKey) {
        let answer = try await store.send(
            .POST, "/admin/v1/apps/\(Sample.bundleId)/keys", token: Sample.adminKey,
            body: #"{"kind":"subscriptionOffer"}"#)
        let secret = try #require(answer.json["secret"]?.stringValue)
        return (
            try #require(answer.json["keyIdentifier"]?.stringValue),
            try P256.Signing.PrivateKey(pemRepresentation: secret)
        )
    }

    private func importKey(_ store: GatewayHarness, _ keyIdentifier: String) {
        store.catalog.contents.withLock {
            $0.apps[Sample.bundleId]?.subscriptionOfferKeys = [
                SubscriptionOfferKey(keyIdentifier: keyIdentifier, publicKey: key.publicKey.pemRepresentation)
            ]
        }
    }

    @Test func `a payment without a discount has nothing to check`() async throws {
        try await GatewayHarness.run { store in
            let request = try await pay(store, nil)
            #expect(request.discountCheck == nil)
            #expect(request.payment.paymentDiscount == nil)
        }
    }

    @Test func `a key made here and a key of the catalogue both count`() async throws {
        try await GatewayHarness.run { store in
            let made = try await makeKey(store)
            importKey(store, "CATALOGKEY")
            let first = try await pay(store, try body(made.identifier, key: made.key))
            #expect(first.discountCheck == .valid)
            #expect(first.payment.paymentDiscount?.nonce == Self.nonce.lowercased(), "a nonce is known again")
            #expect(try await pay(store, try body("CATALOGKEY")).discountCheck == .valid)
            let swapped = try await pay(store, try body(made.identifier))
            #expect(swapped.discountCheck == .invalidSignature)
        }
    }

    @Test func `an unknown key, a deleted one and another app's have signed nothing`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await pay(store, try body("UNKNOWN")).discountCheck == .keyUnknown)
            let made = try await makeKey(store)
            let path = "/admin/v1/apps/\(Sample.bundleId)/keys/\(made.identifier)"
            #expect(try await store.send(.DELETE, path, token: Sample.adminKey).status == 204)
            #expect(
                try await pay(store, try body(made.identifier, key: made.key)).discountCheck == .keyUnknown)
            let other = try await store.apple.add(.subscriptionOffer, of: "com.example.other")
            let foreign = try body(
                other.key.keyIdentifier, key: try P256.Signing.PrivateKey(pemRepresentation: other.secret))
            #expect(try await pay(store, foreign).discountCheck == .keyOfOtherApp)
            let shared = try await store.apple.add(.sharedSecret, of: Sample.bundleId)
            #expect(
                try await pay(store, try body(shared.key.keyIdentifier)).discountCheck == .keyOfOtherKind)
        }
    }

    @Test(arguments: ["/admin/v1/keys", "/admin/v1/apps/com.example.app/keys"])
    func `an inAppPurchase key signs offers, the account's and the app's`(path: String) async throws {
        try await GatewayHarness.run { store in
            let made = try await store.send(
                .POST, path, token: Sample.adminKey, body: #"{"kind":"inAppPurchase"}"#
            ).decode(NewKeyResponse.self)
            let key = try P256.Signing.PrivateKey(pemRepresentation: made.secret)
            #expect(try await pay(store, try body(made.keyIdentifier, key: key)).discountCheck == .valid)
        }
    }

    @Test func `a signature of yesterday is none`() async throws {
        try await GatewayHarness.run { store in
            let made = try await makeKey(store)
            let signed = try body(made.identifier, key: made.key)
            store.moveClock(to: .wallClock() + .seconds(24 * 3600 + 60))
            #expect(try await pay(store, signed).discountCheck == .signatureOutdated)
        }
    }

    @Test(arguments: ["identifier", "keyIdentifier", "nonce", "signature", "timestamp"])
    func `a part that is missing is missing, and no error`(part: String) async throws {
        try await GatewayHarness.run { store in
            let made = try await makeKey(store)
            let whole = try body(made.identifier, key: made.key)
            let empty: JSONValue = part == "timestamp" ? .number("0") : ""
            for value in [nil, .null, empty] as [JSONValue?] {
                var discount = whole
                discount[part] = value
                let request = try await pay(store, discount)
                #expect(request.discountCheck == .missingParameters)
                #expect(request.payment.paymentDiscount != nil, "the payment keeps what there was")
            }
        }
    }

    @Test func `a nonce that is no UUID is none`() async throws {
        try await GatewayHarness.run { store in
            var discount = try body("K")
            discount["nonce"] = "once"
            #expect(try await pay(store, discount).discountCheck == .missingParameters)
        }
    }

    @Test(arguments: [
        ("identifier", JSONValue.number("1")), ("timestamp", "now"), ("timestamp", .number("99999999999999999999")),
        ("extra", "x"), ("signature", .string(String(repeating: "A", count: 257))),
        ("identifier", .string(String(repeating: "i", count: 256))), ("keyIdentifier", "a\nb"),
    ])
    func `what is no discount at all is 400`(member: String, value: JSONValue) async throws {
        try await GatewayHarness.run { store in
            var discount = try body("K")
            discount[member] = value
            let answer = try await send(
                store,
                [
                    "productIdentifier": .string(Sample.pro.productIdentifier), "quantity": 1,
                    "paymentDiscount": .object(discount),
                ])
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    /// The key may be in a catalogue that cannot be read now: then the signature is neither right nor wrong.
    @Test func `a signature that cannot be checked is not a wrong one`() async throws {
        try await GatewayHarness.run { store in
            // A session of before, at a gateway that was started since and has never seen the app.
            let (token, _) = try store.gateway.tokens.issue(
                Session(
                    identifier: "s", startedAt: .wallClock(), bundleId: Sample.bundleId,
                    customerIdentifier: FakePaymentQueue.customer, account: "alice", deviceId: Sample.deviceId,
                    client: .app, storefront: "USA", platform: .iOS, promotedPurchases: .none))
            store.catalog.service.goAway()
            let answer = try await store.send(
                .POST, "/v1/payments", token: token, headers: [("Idempotency-Key", "k1")],
                bytes: try StoreJSON.encode(
                    JSONValue.object([
                        "productIdentifier": .string(Sample.pro.productIdentifier), "quantity": 1,
                        "paymentDiscount": .object(try body("K")),
                    ])))
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
            #expect(store.payments.contents.withLock { $0.transactions.isEmpty })
        }
    }
}
