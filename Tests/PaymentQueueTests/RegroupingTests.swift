import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an introductory offer and a subscription count for their product, and for every group it was bought in, also
/// when an import changes the groups.
@Suite(.serialized) struct RegroupingTests {
    private func sell(_ product: String, in group: String, _ store: TestStore, level: Int = 1) async throws {
        store.catalogue.sell(
            .subscription(product, group: group, intro: .discount(.freeTrial, "0.00", 1, .week)), level: level)
        try await store.customerApp().forgetQuotes()
    }

    @Test(arguments: Engine.allCases)
    func `M119, M125: a group's new name gives no customer a second trial, by any path`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            try await sell("p", in: "A", store)
            let original = try await alice.subscribe("p")
            try await alice.update(original, renews: false)
            try await store.jump(by: "40d")
            try await sell("p", in: "A2", store)
            let groups = ["p": "A2"]
            for rule in try await alice.doors("p", groups) { #expect(rule == .offerUsed) }
            let again = try await alice.add("p", key: "again").transaction
            #expect(again.price == .usd("9.99"))
            #expect(again.isTrialPeriod == false)
            // The subscription goes on under its first name, in its new group.
            #expect(again.originalTransactionIdentifier == original)
            #expect(again.subscriptionGroupIdentifier == "A2")
            #expect(try await alice.subscription().subscriptionGroupIdentifier == "A2")
            #expect(try await store.timeline(original).events.suffix(2).map(\.kind) == [.groupChanged, .resubscribed])
            // Another product of the group it was used in, and of the one it is in now.
            try await sell("q", in: "A", store)
            try await sell("r", in: "A2", store)
            let all = ["p": "A2", "q": "A", "r": "A2"]
            for product in ["q", "r"] {
                for rule in try await alice.doors(product, all) { #expect(rule == .offerUsed) }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `M126: a product that is subscribed to is so in its new group, and renews there`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("p", group: "A"), level: 1)
            let original = try await alice.subscribe("p")
            try await sell("p", in: "A2", store)
            try await sell("q", in: "A2", store)
            let again = try await alice.add("p", key: "again").transaction
            #expect(again.error?.underlying == 3532)
            for rule in try await alice.doors("q", ["p": "A2", "q": "A2"]) { #expect(rule == .subscribed) }
            // Not a second subscription beside the first: the same one, of another product.
            let changed = try await alice.add("q", key: "change").transaction
            #expect(changed.originalTransactionIdentifier == original)
            #expect(changed.isTrialPeriod == false)
            try await store.jump(by: "40d")
            let subscription = try await alice.subscription()
            #expect(subscription.state == .subscribed)
            #expect(subscription.productIdentifier == "q")
            #expect(subscription.subscriptionGroupIdentifier == "A2")
            #expect(try await store.renewals().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a renewal goes on when the group was renamed meanwhile`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("p", group: "A"), level: 1)
            let original = try await alice.subscribe("p")
            try await sell("p", in: "A2", store)
            try await store.jump(by: "40d")
            #expect(try await alice.subscription().subscriptionGroupIdentifier == "A2")
            let events = try await store.timeline(original).events
            #expect(events.map(\.kind) == [.subscribed, .groupChanged, .renewed])
            #expect(events[1].detail == "from A to A2")
            #expect(try await alice.receipt().items.map(\.subscriptionGroupIdentifier) == ["A", "A2"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M119, M125, O5: random imports and purchases are answered the same by history, receipt and purchase`(
        _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded("regrouping on \(engine)")
        for _ in 0..<4 {
            let life = SplitMix64(seed: random.next())
            try await TestStore.with(engine) { store in
                var world = RegroupedWorld(store, try await store.customerApp(), life)
                try await store.putClock("2027-03-01", frozen: true)
                try await world.begin()
                for _ in 0..<30 { try await world.step() }
            }
        }
    }
}
