import Cryptography
import EventLoop
import Foundation
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway

/// Goal: a JWS of the app's server counts for its app, product, offer and customer, and for a day.
@Suite struct OfferTokenTests {
    private static let nonce = "7C9E6679-7425-40DE-944B-E07FC1F90AE7"

    /// A token of the app's server for an offer, valid as it is.
    private func token(
        _ store: GatewayHarness, _ audience: OfferToken.Audience, at instant: Timestamp = .wallClock()
    ) async throws -> ServerToken {
        var token = try await store.serverToken(at: instant)
        token.claims["exp"] = nil
        token.claims["aud"] = .string(audience.rawValue)
        token.claims["nonce"] = .string(Self.nonce)
        token.claims["productId"] = .string(Sample.pro.productIdentifier)
        switch audience {
        case .promotionalOffer: token.claims["offerIdentifier"] = "o1"
        case .introductoryOffer:
            token.claims["allowIntroductoryOffer"] = true
            token.claims["transactionId"] = .string(FakePaymentQueue.appTransaction)
        }
        return token
    }

    /// Pays, and tells what PaymentQueue was asked for.
    private func pay(_ store: GatewayHarness, _ members: [String: JSONValue]) async throws -> AddPaymentRequest {
        let requests = store.payments.recordAdditions()
        var body = members
        body["productIdentifier"] = .string(Sample.pro.productIdentifier)
        let answer = try await store.send(
            .POST, "/v1/payments", token: try await store.session(), headers: [("Idempotency-Key", "k1")],
            bytes: try StoreJSON.encode(JSONValue.object(body)))
        #expect(answer.status == 201)
        return try #require(requests.all.first)
    }

    private func pay(_ store: GatewayHarness, promotional jws: String) async throws -> AddPaymentRequest {
        try await pay(store, ["offer": .object(["promotional": .object(["identifier": "o1", "jws": .string(jws)])])])
    }

    @Test func `a promotional offer that the server has signed is valid, and its nonce is the payment's`() async throws
    {
        try await GatewayHarness.run { store in
            let signed = try await token(store, .promotionalOffer)
            let asked = try await pay(store, promotional: try signed.text())
            #expect(asked.discountCheck == .valid)
            #expect(asked.payment.paymentDiscount?.identifier == "o1")
            #expect(asked.payment.paymentDiscount?.nonce == Self.nonce.lowercased())
            #expect(asked.payment.paymentDiscount?.keyIdentifier == signed.header["kid"]?.stringValue)
            var own = signed
            own.claims["transactionId"] = .string(FakePaymentQueue.appTransaction)
            #expect(try await pay(store, promotional: try own.text()).discountCheck == .valid)
        }
    }

    @Test(arguments: [
        ("aud", "introductory-offer-eligibility"), ("iss", "other"), ("bid", "com.example.other"), ("productId", "p"),
        ("offerIdentifier", "o2"), ("transactionId", "2000000000000999"),
    ])
    func `a token is for one use, issuer, app, product, offer and customer`(claim: String, value: String) async throws {
        try await GatewayHarness.run { store in
            var signed = try await token(store, .promotionalOffer)
            signed.claims[claim] = .string(value)
            #expect(try await pay(store, promotional: try signed.text()).discountCheck == .tokenOfOtherPurchase)
        }
    }

    @Test(arguments: ["iss", "iat", "aud", "bid", "nonce", "productId", "offerIdentifier"])
    func `a token without a claim lacks a parameter`(claim: String) async throws {
        try await GatewayHarness.run { store in
            var signed = try await token(store, .promotionalOffer)
            signed.claims[claim] = nil
            #expect(try await pay(store, promotional: try signed.text()).discountCheck == .missingParameters)
        }
    }

    @Test func `a token of another key, changed, old, or no token at all`() async throws {
        try await GatewayHarness.run { store in
            let signed = try await token(store, .promotionalOffer)
            var unknown = signed
            unknown.header["kid"] = "UNKNOWN"
            #expect(try await pay(store, promotional: try unknown.text()).discountCheck == .keyUnknown)
            let shared = try await store.apple.add(.sharedSecret, of: Sample.bundleId)
            unknown.header["kid"] = .string(shared.key.keyIdentifier)
            #expect(try await pay(store, promotional: try unknown.text()).discountCheck == .keyOfOtherKind)
            var swapped = signed
            swapped.key = try await token(store, .promotionalOffer).key
            #expect(try await pay(store, promotional: try swapped.text()).discountCheck == .invalidSignature)
            var other = signed
            other.header["alg"] = "HS256"
            #expect(try await pay(store, promotional: try other.text()).discountCheck == .signatureMalformed)
            let old = try await token(store, .promotionalOffer, at: .wallClock() + .seconds(-25 * 3600))
            #expect(try await pay(store, promotional: try old.text()).discountCheck == .signatureOutdated)
            #expect(try await pay(store, promotional: "a.b.c").discountCheck == .signatureMalformed)
            var critical = signed
            critical.header["crit"] = .array(["exp"])
            #expect(try await pay(store, promotional: try critical.text()).discountCheck == .signatureMalformed)
        }
    }

    @Test func `a key of another app or of another kind has signed nothing`() async throws {
        try await GatewayHarness.run { store in
            var signed = try await token(store, .promotionalOffer)
            for (kind, app, expected) in [
                (KeyKind.inAppPurchase, "com.example.other", DiscountCheck.keyOfOtherApp),
                (.subscriptionOffer, Sample.bundleId, .keyOfOtherKind),
            ] {
                let made = try await store.apple.add(kind, of: app)
                signed.header["kid"] = .string(made.key.keyIdentifier)
                signed.key = try P256.Signing.PrivateKey(pemRepresentation: made.secret)
                #expect(try await pay(store, promotional: try signed.text()).discountCheck == expected)
            }
        }
    }

    @Test func `a token about a transaction of another customer is not for this one`() async throws {
        try await GatewayHarness.run { store in
            let stranger = "2000000000000777"
            store.payments.contents.withLock { $0.serverReading.owners[stranger] = "c_bob" }
            var promotional = try await token(store, .promotionalOffer)
            promotional.claims["transactionId"] = .string(stranger)
            let bought = try await pay(store, promotional: try promotional.text())
            #expect(bought.discountCheck == .tokenOfOtherPurchase)
            var introductory = try await token(store, .introductoryOffer)
            introductory.claims["transactionId"] = .string(stranger)
            let asked = try await pay(store, ["introductoryEligibility": .string(try introductory.text())])
            #expect(asked.introductoryDecision?.isAllowed == false)
        }
    }

    @Test func `the server's decision about an introductory offer counts, both ways`() async throws {
        try await GatewayHarness.run { store in
            for allows in [true, false] {
                var signed = try await token(store, .introductoryOffer)
                signed.claims["allowIntroductoryOffer"] = .bool(allows)
                let asked = try await pay(store, ["introductoryEligibility": .string(try signed.text())])
                let decision = try #require(asked.introductoryDecision)
                #expect(decision.isAllowed == allows)
                #expect(decision.nonce == Self.nonce.lowercased())
                #expect(asked.discountCheck == nil)
            }
        }
    }

    @Test func `a decision that is not valid allows nothing, and the payment goes on`() async throws {
        try await GatewayHarness.run { store in
            let text = try #require(try await pay(store, ["introductoryEligibility": "x"]).introductoryDecision)
            // SHA-256 of the text.
            let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
            #expect(text == IntroductoryDecision(isAllowed: false, digest: digest))
            var unbound = try await token(store, .introductoryOffer)
            unbound.claims["transactionId"] = nil
            let asked = try await pay(store, ["introductoryEligibility": .string(try unbound.text())])
            #expect(asked.introductoryDecision?.isAllowed == false)
            #expect(asked.introductoryDecision?.nonce == nil)
            #expect(try await pay(store, [:]).introductoryDecision == nil)
        }
    }

    @Test func `a billing plan is the payment's, and without one it is paid up front`() async throws {
        try await GatewayHarness.run { store in
            let monthly = try await pay(store, ["billingPlanType": "MONTHLY"])
            let upFront = try await pay(store, ["billingPlanType": "BILLED_UPFRONT"])
            let plain = try await pay(store, [:])
            #expect(monthly.payment.billingPlanType == .monthly)
            #expect(upFront.payment.billingPlanType == nil && plain.payment.billingPlanType == nil)
        }
    }

    @Test(arguments: [
        #"{"productIdentifier":"p","offer":{}}"#,
        #"{"productIdentifier":"p","offer":{"winBack":"b","promotional":{"identifier":"o","jws":"x"}}}"#,
        #"{"productIdentifier":"p","offer":{"winBack":"b"},"paymentDiscount":{}}"#,
        ##"{"productIdentifier":"p","offer":{"promotional":{"identifier":"b","jws":"x"}},"intentIdentifier":"i"}"##,
        #"{"productIdentifier":"p","introductoryEligibility":"x","intentIdentifier":"i"}"#,
        #"{"productIdentifier":"p","billingPlanType":"MONTHLY","intentIdentifier":"i"}"#,
        #"{"productIdentifier":"p","billingPlanType":"WEEKLY"}"#,
        #"{"productIdentifier":"p","introductoryEligibility":""}"#,
        #"{"productIdentifier":"p","introductoryEligibility":"\#(String(repeating: "x", count: 4097))"}"#,
    ])
    func `a payment has one offer, and none with a promoted purchase`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .POST, "/v1/purchases", token: try await store.session(), headers: [("Idempotency-Key", "k1")],
                body: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }
}
