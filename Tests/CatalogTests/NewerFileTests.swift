import StoreModels
import Testing

@testable import Catalog

/// Files of Xcode's newer versions: what has a meaning here is sold, everything else is named with its place.
@Suite struct NewerFileTests {
    private func read(_ file: JSONValue) throws -> StoreKitFileReader.Result {
        try StoreKitFileReader.read(try StoreJSON.encode(file), fileName: "App.storekit")
    }

    private func file(
        version: Int = 6, subscription: [String: JSONValue] = [:], more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let built = FileBuilder.file(
            products: [FileBuilder.product("coins")], subscriptions: [FileBuilder.subscription("s", subscription)])
        return .object(
            (built.objectValue ?? [:]).merging(["version": ["major": .integer(version), "minor": 3]]) { $1 }
                .merging(more) { $1 })
    }

    private func plan(_ type: String, _ price: String, isEnabled: Bool = true) -> JSONValue {
        [
            "billingPlanType": .string(type), "commitmentDisplayPrice": .string(price), "displayPrice": .string(price),
            "internalID": "B1", "isEnabled": .bool(isEnabled),
        ]
    }

    private func notes(_ subscription: [String: JSONValue]) throws -> [String] {
        try read(file(subscription: subscription)).notes.filter { $0.contains("subscriptions[0]") }
    }

    @Test func `version 6 is read as version 5 is, its introductory offer included`() throws {
        let subscription: [String: JSONValue] = [
            "introductoryOffers": [FileBuilder.offer("free", "P1W", ["billingPlanType": "BILLED_UPFRONT"])],
            "billingPlans": [plan("BILLED_UPFRONT", "9.99")], "internalID": "A1", "winbackOffers": [],
        ]
        let six = try read(
            file(
                subscription: subscription,
                more: ["subscriptionBundleGroups": [], "subscriptionSuiteGroups": [], "appPolicies": policies("")]))
        let five = try read(file(version: 5, subscription: subscription))
        #expect(six.catalog == five.catalog)
        #expect(six.notes == five.notes)
        #expect(six.fileVersion == "6.3")
        #expect(six.catalog.introductoryOfferCount == 1)
    }

    @Test func `a version of the future is read with a note and never refused for its number`() throws {
        let future = try read(file(version: 9))
        #expect(future.catalog.products.count == 2)
        #expect(future.fileVersion == "9.3")
        #expect(future.notes.filter { $0.contains("version") }.count == 1)
        #expect(future.notes.first { $0.contains("version 9.3") }?.contains("version 6") == true)
        #expect(try read(file(version: 6)).notes.allSatisfy { !$0.contains("version") })
    }

    @Test func `a suite and a bundle of subscriptions are named with their place and not sold`() throws {
        let suite: JSONValue = [
            "type": "SubscriptionSuite", "productID": "all.of.it", "displayPrice": "99.99", "duration": "P1Y",
            "members": ["s"],
        ]
        let read = try read(
            file(
                more: [
                    "subscriptionSuiteGroups": [["id": "S", "subscriptions": [suite]]],
                    "subscriptionBundleGroups": [["id": "B", "bundle": [suite]]],
                ]))
        #expect(read.catalog.products.map(\.productIdentifier) == ["coins", "s"])
        let sold = read.notes.filter { $0.hasPrefix("$.subscriptionSuiteGroups[0].subscriptions[0] 'all.of.it'") }
        #expect(sold.count == 1 && sold[0].contains("is not sold"))
        #expect(read.notes.contains { $0.hasPrefix("$.subscriptionBundleGroups[0] has no effect") })
    }

    @Test func `a plan of paying up front at the subscription's own price says nothing`() throws {
        #expect(try notes(["billingPlans": [plan("BILLED_UPFRONT", "9.990")]]) == [])
    }

    @Test func `another price in a billing plan is named with the one that is charged`() throws {
        let place = "$.subscriptionGroups[0].subscriptions[0].billingPlans[0]"
        #expect(
            try notes(["billingPlans": [plan("BILLED_UPFRONT", "0.99")]]) == [
                "\(place).displayPrice is 0.99 and has no effect: the subscription is sold for its displayPrice, 9.99.",
                "\(place).commitmentDisplayPrice is 0.99 and has no effect: "
                    + "the subscription is sold for its displayPrice, 9.99.",
            ])
    }

    @Test func `an offer for monthly payments is named and not sold, nor is a plan of another name`() throws {
        let other = ["offerID": "month", "billingPlanType": "MONTHLY"] as [String: JSONValue]
        let subscription: [String: JSONValue] = [
            "recurringSubscriptionPeriod": "P1Y",
            "billingPlans": [plan("BILLED_UPFRONT", "9.99"), plan("WEEKLY", "0.99")],
            // Each month of a year's subscription: no offer that is sold here may be so.
            "adHocOffers": [FileBuilder.offer("payAsYouGo", "P1M", count: 3, price: "0.50", other)],
            "introductoryOffers": [FileBuilder.offer("payAsYouGo", "P1M", count: 3, price: "0.50", other)],
        ]
        let read = try read(file(subscription: subscription))
        #expect(read.catalog.promotionalOfferCount == 0)
        #expect(read.catalog.introductoryOfferCount == 0)
        for (place, plan) in [
            ("billingPlans[1]", "WEEKLY"), ("adHocOffers[0]", "MONTHLY"), ("introductoryOffers[0]", "MONTHLY"),
        ] {
            let named = read.notes.filter { $0.contains(".\(place) is kept and has no effect") }
            #expect(named.count == 1 && named[0].contains("'\(plan)'"), "\(read.notes)")
        }
        #expect(try notes(["billingPlans": [plan("MONTHLY", "0.99", isEnabled: false)]]) == [])
    }

    @Test func `a misspelt member of Xcode's is noted wherever it is`() throws {
        let offer = FileBuilder.offer("free", "P1W", ["paymentmode": "free", "offerID": "o"])
        let read = try read(
            file(
                subscription: [
                    "familySharable": true, "adHocOffers": [offer],
                    "localizations": [["locale": "en_US", "displayname": "Pro"]],
                    "billingPlans": [["billingPlantype": "MONTHLY"]],
                ],
                more: [
                    "subscriptionGroup": [], "settings": ["_timerate": 15],
                    "products": [FileBuilder.product("coins", ["familySharable": true])],
                ]))
        let meant = read.notes.filter { $0.contains("did you mean") }.map { note in
            note.replacing(" is unknown and has no effect; did you mean", with: "")
        }
        let place = "$.subscriptionGroups[0].subscriptions[0]"
        #expect(
            Set(meant) == [
                "\(place).familySharable familyShareable?", "\(place).adHocOffers[0].paymentmode paymentMode?",
                "\(place).localizations[0].displayname displayName?",
                "\(place).billingPlans[0].billingPlantype billingPlanType?",
                "$.products[0].familySharable familyShareable?", "$.subscriptionGroup subscriptionGroups?",
                "$.settings._timerate _timeRate?",
            ])
    }

    @Test func `what has no effect is named once for all places of its kind, and empty things are not`() throws {
        let read = try read(
            file(
                more: [
                    "products": [
                        FileBuilder.product("a", ["adoptingMetadata": ["x": 1], "promotionalImageID": ""]),
                        FileBuilder.product("b", ["adoptingMetadata": ["x": 2]]),
                        FileBuilder.product("c", ["adoptingMetadata": ["x": 3]]),
                    ], "nonRenewableSubscriptions": [["productID": "lost"]], "appPolicies": policies("Be kind."),
                ]))
        let kept = read.notes.filter { $0.contains("is kept and has no effect") }
        #expect(
            kept == [
                "$.appPolicies is kept and has no effect.", "$.nonRenewableSubscriptions is kept and has no effect.",
                "$.products[0].adoptingMetadata is kept and has no effect, as in 2 other places.",
            ])
    }

    private func policies(_ text: String) -> JSONValue {
        ["eula": "", "policies": [["locale": "en_US", "policyText": .string(text), "policyURL": ""]]]
    }

    @Test(arguments: [(JSONValue.bool(false), WinBackOfferPolicy.Rule.notOffered), (.bool(true), .conditionsMet)])
    func `a win-back offer whose customer is not eligible is never given`(
        isEligible: JSONValue, expected: WinBackOfferPolicy.Rule
    ) throws {
        let offer = FileBuilder.offer("free", "P1M", ["offerID": "back", "isEligible": isEligible])
        let read = try read(file(subscription: ["winbackOffers": [offer]]))
        let conditions = try #require(read.catalog.products.last?.subscription?.redeemableOffers.first?.winBack)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let facts = WinBackFacts(
            history: SubscriptionGroupHistory(
                subscriptionGroupIdentifier: "G", activeUntil: now, activeTransaction: "7", state: .expired),
            paidMonths: 1, expiredAt: now)
        #expect(WinBackOfferPolicy.decide(conditions, facts: facts, now: now).rule == expected)
    }
}
