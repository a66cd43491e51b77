import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal: the operator makes codes of offers that the catalogue has, and a session redeems one as StoreKit 2 buys.
@Suite struct OfferCodeRouteTests {
    private static let path = "/admin/v1/apps/\(Sample.bundleId)/codes"

    private func make(_ store: GatewayHarness, _ body: String, app: String = Sample.bundleId) async throws -> Answer {
        try await store.send(.POST, "/admin/v1/apps/\(app)/codes", token: Sample.adminKey, body: body)
    }

    private func withOffer(_ body: @Sendable (GatewayHarness) async throws -> Void) async throws {
        try await GatewayHarness.run { store in
            var offer = Sample.winBackOffer
            (offer.type, offer.offer.identifier, offer.winBack) = (.code, "LAUNCH", nil)
            store.catalog.contents.withLock { $0.codeOffers = [offer] }
            try await body(store)
        }
    }

    private func redeem(
        _ store: GatewayHarness, _ code: String, key: String? = "k1", body: String? = nil
    ) async throws -> Answer {
        try await store.send(
            .POST, "/v1/codes/\(code)/redeem", token: try await store.session(),
            headers: key.map { [("Idempotency-Key", $0)] } ?? [], body: body)
    }

    @Test func `a custom code is made, listed and deactivated`() async throws {
        try await withOffer { store in
            let made = try await make(
                store,
                #"{"productIdentifier":"com.example.pro","offer":"LAUNCH","code":"SPRING26","redemptionsMax":500}"#)
            #expect(made.status == 201)
            let code = try made.decode(OfferCode.self)
            #expect(code.code == "SPRING26" && code.redemptionsMax == 500 && code.oneTimeCodes == nil)
            let list = try await store.send(.GET, Self.path, token: Sample.adminKey)
            #expect(try list.decode(OfferCodesPage.self) == OfferCodesPage(codes: [code]))
            let stopped = try await store.send(
                .PUT, "\(Self.path)/\(code.codeIdentifier)", token: Sample.adminKey, body: #"{"isActive":false}"#)
            #expect(stopped.status == 200 && stopped.json["isActive"] == false)
            let unknown = try await store.send(
                .PUT, "\(Self.path)/o_9", token: Sample.adminKey, body: #"{"isActive":false}"#)
            #expect(unknown.status == 404)
        }
    }

    @Test func `a batch has its codes in the response that makes it`() async throws {
        try await withOffer { store in
            let made = try await make(
                store, #"{"productIdentifier":"com.example.pro","offer":"LAUNCH","count":2,"expiresInDays":90}"#)
            #expect(try made.decode(OfferCode.self).oneTimeCodes == ["CODE0", "CODE1"])
            let list = try await store.send(.GET, Self.path, token: Sample.adminKey)
            #expect(list.json["codes"]?.arrayValue?.first?["oneTimeCodes"] == nil)
        }
    }

    @Test func `a code of an offer that the catalogue lacks is refused, and the offers are named`() async throws {
        try await withOffer { store in
            let code = #""code":"A","redemptionsMax":1"#
            let wrong = try await make(store, #"{"productIdentifier":"com.example.pro","offer":"BACK",\#(code)}"#)
            #expect(wrong.status == 422)
            #expect(wrong.json["detail"]?.stringValue?.contains("for codes are LAUNCH") == true)
            store.catalog.contents.withLock { $0.codeOffers = [] }
            let none = try await make(store, #"{"productIdentifier":"com.example.pro","offer":"LAUNCH",\#(code)}"#)
            #expect(none.status == 422)
            #expect(none.json["detail"]?.stringValue?.contains("no offers for codes") == true)
            let unknown = try await make(store, #"{"productIdentifier":"nothing","offer":"LAUNCH",\#(code)}"#)
            #expect(unknown.status == 404 && unknown.json["code"] == "productNotFound")
            #expect(store.payments.contents.withLock { $0.newCodes.isEmpty })
        }
    }

    @Test(arguments: [
        ("$.code", #""redemptionsMax":1"#), ("$.code", #""code":"A B","redemptionsMax":1"#),
        ("$.redemptionsMax", #""code":"A""#), ("$.redemptionsMax", #""code":"A","redemptionsMax":0"#),
        ("$.count", #""code":"A","redemptionsMax":1,"count":1"#), ("$.count", #""count":25001,"expiresInDays":1"#),
        ("$.expiresInDays", #""count":1"#), ("$.expiresInDays", #""count":1,"expiresInDays":184"#),
        ("$.redemptionsMax", #""count":1,"expiresInDays":1,"redemptionsMax":1"#),
    ])
    func `a request that no code can come of is 400, with the member`(path: String, members: String) async throws {
        try await withOffer { store in
            let refused = try await make(
                store, #"{"productIdentifier":"com.example.pro","offer":"LAUNCH",\#(members)}"#)
            #expect(refused.status == 400 && refused.json["path"]?.stringValue == path)
        }
    }

    @Test func `a redemption is a payment of the code's product with its offer, and responds with the outcome`()
        async throws
    {
        try await withOffer { store in
            store.payments.contents.withLock { $0.offerCodes[Sample.bundleId] = [Sample.offerCode("o_1")] }
            let requests = store.payments.recordAdditions { _ in
                AddPaymentReply(status: 202, transaction: Sample.purchasing("t"), isReplayed: false)
            }
            let answer = try await redeem(store, "SPRING26", body: #"{"appAccountToken":"u-1"}"#)
            #expect(answer.status == 202 && answer.json["outcome"] == "purchasing")
            let request = try #require(requests.all.first)
            #expect(request.redeemedOffer == RedeemedOffer(type: .code, identifier: "LAUNCH"))
            #expect(request.redeemedCode?.codeIdentifier == "o_1")
            #expect(request.payment.requestIdentifier == "k1" && request.payment.returnsOutcome == true)
            #expect(request.payment.productIdentifier == "com.example.pro" && request.payment.appAccountToken == "u-1")
        }
    }

    @Test func `an unknown code is 404, a refused one 409, and a redemption has a key`() async throws {
        try await withOffer { store in
            #expect(try await redeem(store, "NOSUCH").status == 404)
            store.payments.contents.withLock { $0.offerCodes[Sample.bundleId] = [Sample.offerCode("o_1")] }
            #expect(try await redeem(store, "SPRING26", key: nil).json["code"] == "idempotencyKeyInvalid")
            for code in [StoreErrorCode.codeSpent, .codeExpired, .codeRedeemed, .codeIneligible] {
                store.payments.contents.withLock { $0.adding = { _ in throw StoreError(code, "no") } }
                let refused = try await redeem(store, "SPRING26")
                #expect(refused.status == 409 && refused.json["code"]?.stringValue == code.name)
            }
        }
    }
}
