import NIOHTTP1
import StoreModels
import Synchronization
import Testing

@testable import Gateway

@Suite struct StorePageTests {
    private func owned(_ answer: Answer) -> [String: JSONValue] {
        Dictionary(
            (answer.json["promotions"]?.arrayValue ?? []).map {
                ($0["product"]?["productIdentifier"]?.stringValue ?? "?", $0["owned"] ?? "absent")
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `the page has this device's products, ownership and eligibility, for app and store`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            for client in ["app", "store"] {
                let answer = try await store.send(
                    .GET, "/v1/store-page", token: try await store.session(client: client))
                #expect(answer.status == 200)
                #expect(answer.json["degraded"] == .array([]))
                #expect(owned(answer) == ["com.example.pro": false, "com.example.hiddenBeaches": true])
                let first = answer.json["promotions"]?.arrayValue?.first?["product"]
                #expect(first?["productIdentifier"] == "com.example.pro")
                #expect(first?["introductoryOfferEligibility"] == "eligible")
            }
        }
    }

    @Test func `a subscription is owned until it expires by the business clock`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let payment = Sample.payment("s", product: Sample.pro.productIdentifier)
            let end = Timestamp(milliseconds: 1_800_000_000_000)
            store.payments.commit(Sample.purchased("s", payment: payment, expires: end))
            store.payments.contents.withLock { $0.businessNow = end + .milliseconds(-1) }
            #expect(owned(try await store.send(.GET, "/v1/store-page", token: token))["com.example.pro"] == true)
            store.payments.contents.withLock { $0.businessNow = end }
            #expect(owned(try await store.send(.GET, "/v1/store-page", token: token))["com.example.pro"] == false)
        }
    }

    @Test func `what was refunded is no longer owned`() {
        var refunded = Sample.purchased("a")
        refunded.revocationDate = Timestamp(milliseconds: 1)
        let ownership = Ownership(transactions: [refunded], isComplete: true, now: Timestamp(milliseconds: 2))
        #expect(ownership.owns(Sample.hiddenBeaches) == false)
        #expect(ownership.owns(Sample.fishing) == false)
        let partial = Ownership(transactions: [], isComplete: false, now: Timestamp(milliseconds: 2))
        #expect(partial.owns(Sample.hiddenBeaches) == nil, "not found in a part of the history is not known")
    }

    @Test func `with each service away the page comes with what is left`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.promotions.goAway()
            let withoutPromotions = try await store.send(.GET, "/v1/store-page", token: token)
            #expect(withoutPromotions.json["degraded"] == .array(["promotions"]))
            #expect(withoutPromotions.json["promotions"]?.arrayValue?.count == 3, "the operator's order")
            store.payments.service.goAway()
            store.eligibility.goAway()
            let bare = try await store.send(.GET, "/v1/store-page", token: token)
            #expect(bare.status == 200)
            #expect(bare.json["degraded"] == .array(["eligibility", "payments", "promotions"]))
            #expect(owned(bare).values.allSatisfy { $0 == .null })
            store.catalog.service.goAway()
            #expect(try await store.send(.GET, "/v1/store-page", token: token).status == 503)
        }
    }
}
