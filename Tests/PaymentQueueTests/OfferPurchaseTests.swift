import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: signed promotional offers, win-back offers and offer codes are sold on their own terms, once where they count
/// once, and never use up the introductory offer.
@Suite(.serialized) struct OfferPurchaseTests {
    private func withStore(_ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(engine) { store in
            var free = ProductDiscount.discount(.freeTrial, "0.00", 1, .month)
            (free.identifier, free.type) = ("back", .subscription)
            var half = ProductDiscount.discount(.payUpFront, "4.99", 1, .month)
            (half.identifier, half.type) = ("HALF", .subscription)
            store.catalogue.sell(
                .star, level: 1,
                redeemable: [
                    RedeemableOffer(
                        type: .winBack, offer: free, winBack: .init(paidMonthsMin: 1, monthsSinceExpiryMin: 1)),
                    RedeemableOffer(type: .code, offer: half, audiences: [.new]),
                ])
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            try await body(store, alice)
        }
    }

    @Test(arguments: Engine.allCases)
    func `18, then 9.99 and 1.99: a promotional offer is for subscribers, and charges its own price`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let none = try await alice.buy(
                "star.monthly", key: "0", discount: .offer("loyal", nonce: "n0"), check: .valid)
            #expect(none.error?.code == 18)
            _ = try await alice.subscribe("star.monthly")
            // At once, in the place of the trial.
            let bought = try await alice.buy(
                "star.monthly", key: "1", discount: .offer("loyal", nonce: "n1"), check: .valid)
            #expect(bought.price == .usd("1.99"))
            #expect(
                bought.offer
                    == AppliedOffer(
                        type: .subscription, paymentMode: .payAsYouGo, identifier: "loyal",
                        period: SubscriptionPeriod(numberOfUnits: 2, unit: .month)))
            #expect(bought.isInIntroOfferPeriod == false)
            #expect(bought.isTrialPeriod == false)
            try await store.jump(to: "2027-05-01")
            #expect(try await store.renewals().map(\.amount) == [.usd("1.99"), .usd("9.99")])
        }
    }

    @Test(arguments: Engine.allCases) func `11, 12 and 13 are what StoreKit says`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            for (number, check, offer, code) in [
                (1, DiscountCheck.missingParameters, "loyal", 13), (2, .invalidSignature, "loyal", 12),
                (3, .valid, "unknown", 11),
            ] {
                let failed = try await alice.buy(
                    "star.monthly", key: "\(number)", discount: .offer(offer, nonce: "n\(number)"), check: check)
                #expect(failed.error?.code == code)
                #expect(failed.transactionState == .failed)
            }
            let unchecked = try await alice.buy("star.monthly", key: "4", discount: .offer("loyal", nonce: "n4"))
            #expect(unchecked.error?.code == 12)
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.offers().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the app's decision about the introductory offer overrides the store's, both ways and once`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let full = try await alice.buy("star.monthly", key: "1", introductory: .decision(false, nonce: "n1"))
            #expect(full.price == .usd("9.99"))
            try await store.jump(to: "2027-03-10")
            _ = try await store.operate(full.id, .expire)
            // The store's own rule gives none to a former subscriber of the offer.
            let first = try await alice.buy("star.monthly", key: "2")
            #expect(first.isTrialPeriod == true)
            _ = try await store.operate(first.id, .expire)
            let allowed = IntroductoryDecision.decision(true, nonce: "n2")
            let trial = try await alice.buy("star.monthly", key: "3", introductory: allowed)
            #expect(trial.isTrialPeriod == true)
            #expect(trial.offer?.type == .introductory)
            _ = try await store.operate(trial.id, .expire)
            let used = try await alice.buy("star.monthly", key: "4", introductory: allowed)
            #expect(used.price == .usd("9.99"))
            // The same key has the same answer, and another decision is another payment.
            #expect(try await alice.buy("star.monthly", key: "3", introductory: allowed).id == trial.id)
            let reused = try await refusal { try await alice.buy("star.monthly", key: "3") }
            #expect(reused?.code == .keyReused)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a repeated key has its answer when the decision has become too old, and another text is another payment`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let decision = IntroductoryDecision.decision(true, nonce: "n1")
            let first = try await alice.buy("star.monthly", key: "1", introductory: decision)
            #expect(first.isTrialPeriod == true)
            var outdated = decision
            (outdated.isAllowed, outdated.nonce) = (false, nil)
            #expect(try await alice.buy("star.monthly", key: "1", introductory: outdated) == first)
            let reused = try await refusal {
                try await alice.buy("star.monthly", key: "1", introductory: .decision(true, nonce: "n2"))
            }
            #expect(reused?.code == .keyReused)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a nonce counts once in an app, from any customer; the same payment has the same answer`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("star.monthly")
            let first = try await alice.buy(
                "star.monthly", key: "1", discount: .offer("loyal", nonce: "AB"), check: .valid)
            let again = try await alice.buy(
                "star.monthly", key: "1", discount: .offer("loyal", nonce: "AB"), check: .valid)
            #expect(again.id == first.id)
            let second = try await alice.buy(
                "star.monthly", key: "2", discount: .offer("loyal", nonce: "ab"), check: .valid)
            #expect(second.error?.code == 12)
            let bob = try await store.customerApp("bob", device: "pad")
            let other = try await bob.buy(
                "star.monthly", key: "1", discount: .offer("loyal", nonce: "ab"), check: .valid)
            #expect(other.error?.code == 12)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a payment may have one nonce in both of its offers, which no other payment gets`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("star.monthly")
            let both = try await alice.buy(
                "star.monthly", key: "1", discount: .offer("loyal", nonce: "AB"), check: .valid,
                introductory: .decision(true, nonce: "ab"))
            #expect(both.price == .usd("1.99"))
            let other = try await alice.buy(
                "star.monthly", key: "2", discount: .offer("loyal", nonce: "ab"), check: .valid)
            #expect(other.error?.code == 12)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a decision's nonce is taken by the purchase of another type, too`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let decision = IntroductoryDecision.decision(true, nonce: "n")
            let coins = try await alice.buy("coins", key: "1", introductory: decision)
            #expect(coins.transactionState == .purchased)
            _ = try await alice.subscribe("star.monthly")
            let refused = try await alice.buy(
                "star.monthly", key: "2", discount: .offer("loyal", nonce: "n"), check: .valid)
            #expect(refused.error?.code == 12)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a nonce of eight customers who buy at once counts for one of them`(_ engine: Engine) async throws {
        try await withStore(engine) { store, _ in
            var customerApps: [CustomerApp] = []
            for number in 0..<8 {
                customerApps.append(try await store.customerApp("shopper \(number)"))
                _ = try await customerApps[number].subscribe("star.monthly")
            }
            let codes = try await withThrowingTaskGroup(of: Int?.self) { group in
                for customerApp in customerApps {
                    group.addTask {
                        try await customerApp.buy(
                            "star.monthly", key: "1", discount: .offer("loyal", nonce: "n"), check: .valid
                        ).error?.code
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == 12 } == 7 && codes.count { $0 == nil } == 1, "\(codes)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `an interrupted purchase keeps its offer and its nonce`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("star.monthly")
            try await store.set("alice", TesterSettings(interruptPurchases: true))
            let failed = try await alice.buy(
                "star.monthly", key: "1", discount: .offer("loyal", nonce: "n"), check: .valid)
            #expect(failed.error?.reason == "interrupted")
            let bought = try await store.resolve(failed.id)
            #expect(bought.transactionState == .purchased)
            #expect(bought.offer?.identifier == "loyal")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a win-back offer is for customers who paid long enough and have been away long enough`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let back = RedeemedOffer(type: .winBack, identifier: "back")
            #expect(try await alice.buy("star.monthly", key: "1", redeeming: back).error?.code == 18)
            let original = try await alice.subscribe("star.monthly")
            try await store.jump(to: "2027-03-09")
            #expect(try await alice.buy("star.monthly", key: "2", redeeming: back).error?.code == 18)
            try await alice.update(original, renews: false)
            try await store.jump(to: "2027-04-20")
            // Eleven days after the end.
            #expect(try await alice.buy("star.monthly", key: "3", redeeming: back).error?.code == 18)
            try await store.jump(by: "P30D")
            let bought = try await alice.buy("star.monthly", key: "4", redeeming: back)
            #expect(bought.price == .usd("0.00"))
            #expect(bought.offer?.type == .winBack)
            #expect(bought.originalTransactionIdentifier == original)
            // The introductory offer stays the first one's.
            #expect(try await alice.offers().first?.introductoryOfferTransaction == original)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an offer code is for its audience, and another offer under the key is another request`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let code = RedeemedOffer(type: .code, identifier: "HALF")
            let wrong = RedeemedOffer(type: .code, identifier: "OTHER")
            #expect(try await alice.buy("star.monthly", key: "0", redeeming: wrong).error?.code == 11)
            let bought = try await alice.buy("star.monthly", key: "1", redeeming: code)
            #expect(bought.price == .usd("4.99"))
            #expect(
                bought.offer
                    == AppliedOffer(
                        type: .code, paymentMode: .payUpFront, identifier: "HALF",
                        period: SubscriptionPeriod(numberOfUnits: 1, unit: .month)))
            #expect(
                try await refusal { try await alice.buy("star.monthly", key: "1", redeeming: wrong) }?.code
                    == .keyReused)
            #expect(try await alice.buy("star.monthly", key: "2", redeeming: code).error?.code == 18)
            // The code has left the introductory offer alone, but a subscriber has none (M126).
            #expect(try await alice.offers().first?.introductoryOfferTransaction == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a tester's rate compresses the periods of what is bought under it`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            try await store.set("alice", TesterSettings(subscriptionRenewalRate: .monthlyRenewalEveryThirtySeconds))
            let bought = try await alice.add("news.weekly", key: "1").transaction
            #expect(bought.expiresDate == Timestamp("2027-03-01T10:00:10.000Z"))
        }
    }
}
