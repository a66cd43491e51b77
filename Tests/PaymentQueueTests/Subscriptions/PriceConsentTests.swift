import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a higher price is charged to those who have agreed to it, and to no others who are asked.
@Suite(.serialized) struct PriceConsentTests {
    private static let increase = PriceIncrease(status: .pending, price: .usd("12.99"), formerPrice: .usd("9.99"))

    /// Runs a body on a store where Alice's subscription rises from 9.99 to 12.99. It began on 1 March, and
    /// the next renewal has the higher price.
    private func withRaised(
        _ engine: Engine, _ consent: TesterSettings.PriceConsent?, looks: Bool = true,
        _ body: (TestStore, CustomerApp, _ original: String) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            if let consent { try await store.set("alice", with(TesterSettings()) { $0.priceConsent = consent }) }
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("gym", "9.99", group: "gym"), level: 1)
            let original = try await alice.subscribe("gym")
            try await sell("12.99", store, alice, looks: looks)
            try await body(store, alice, original)
        }
    }

    private func sell(_ price: String, _ store: TestStore, _ alice: CustomerApp, looks: Bool = true) async throws {
        store.catalogue.sell(.subscription("gym", price, group: "gym"), level: 1)
        try await alice.forgetQuotes()
        if looks { try await store.current.service.priceConsents.sweep() }
    }

    @Test(arguments: [TesterSettings.PriceConsent.agree, nil], Engine.allCases)
    func `by default all agree: the renewal costs the new price, and no person is asked`(
        _ consent: TesterSettings.PriceConsent?, _ engine: Engine
    ) async throws {
        try await withRaised(engine, consent) { store, alice, original in
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await alice.subscription().priceIncrease == nil)
            try await store.jump(to: "2027-04-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("12.99")])
            #expect(try await store.timeline(original).events.map(\.kind) == [.subscribed, .priceChanged, .renewed])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a person who agrees is charged the new price`(_ engine: Engine) async throws {
        try await withRaised(engine, .interactive) { store, alice, original in
            let prompt = try await store.prompt()
            #expect(prompt.kind == .priceConsent)
            #expect(prompt.priceIncrease == Self.increase)
            #expect(prompt.transaction?.transactionIdentifier == original)
            #expect(prompt.answers == [.approve, .decline])
            #expect(try await alice.subscription().priceIncrease == Self.increase)
            // Looked at again, nothing is asked twice.
            #expect(try await store.current.service.priceConsents.sweep() == 0)
            let answered = try await store.answer(prompt.id, .approve)
            #expect(answered.priceIncrease?.status == .agreed)
            try await store.jump(to: "2027-04-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("12.99")])
            #expect(try await alice.subscription().priceIncrease == nil)
            #expect(
                try await store.timeline(original).events.map(\.kind)
                    == [.subscribed, .priceIncreasePending, .priceIncreaseAgreed, .priceChanged, .renewed])
        }
    }

    @Test(arguments: [Prompt.Answer.decline, nil], Engine.allCases)
    func `without consent it expires at the renewal, uncharged, as a price that was refused`(
        _ answer: Prompt.Answer?, _ engine: Engine
    ) async throws {
        try await withRaised(engine, .interactive) { store, alice, _ in
            if let answer { try await store.answer(try await store.prompt().id, answer) }
            try await store.jump(to: "2027-04-02")
            #expect(try await store.renewals().isEmpty)
            #expect(try await store.prompts().prompts.isEmpty)
            let subscription = try await alice.subscription()
            #expect(subscription.state == .expired)
            #expect(subscription.expirationReason == .priceIncreaseRefused)
            #expect(subscription.priceIncrease == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a tester who declines is asked nothing and expires`(_ engine: Engine) async throws {
        try await withRaised(engine, .decline) { store, alice, _ in
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await alice.subscription().priceIncrease?.status == .declined)
            try await store.jump(to: "2027-04-02")
            #expect(try await alice.subscription().expirationReason == .priceIncreaseRefused)
        }
    }

    @Test(arguments: Engine.allCases)
    func `who was not asked before the renewal pays the old price once more, and is asked then`(
        _ engine: Engine
    ) async throws {
        try await withRaised(engine, .interactive, looks: false) { store, alice, original in
            try await store.jump(to: "2027-04-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("9.99")])
            #expect(try await alice.subscription().priceIncrease == Self.increase)
            #expect(try await store.timeline(original).events.map(\.kind).last == .priceIncreasePending)
            try await store.answer(try await store.prompt().id, .approve)
            try await store.jump(to: "2027-05-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("9.99"), .usd("12.99")])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a price that falls again is no question any more, and a higher one is a new one`(
        _ engine: Engine
    ) async throws {
        try await withRaised(engine, .interactive) { store, alice, original in
            try await store.answer(try await store.prompt().id, .approve)
            try await sell("14.99", store, alice)
            #expect(try await store.prompt().priceIncrease?.price == .usd("14.99"))
            try await sell("9.99", store, alice)
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await alice.subscription().priceIncrease == nil)
            #expect(try await store.timeline(original).events.map(\.kind).last == .priceIncreaseWithdrawn)
            try await store.jump(to: "2027-04-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("9.99")])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a question without an answer is replaced when the price rises once more`(_ engine: Engine) async throws {
        try await withRaised(engine, .interactive) { store, alice, _ in
            let first = try await store.prompt()
            try await sell("14.99", store, alice)
            let second = try await store.prompt()
            #expect(second.id != first.id)
            #expect(second.priceIncrease?.price == .usd("14.99"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the app gets it live and with each launch, may put it off, and have it shown`(
        _ engine: Engine
    ) async throws {
        try await withRaised(engine, .interactive) { store, alice, original in
            let question = PriceConsentQuestion(
                originalTransactionIdentifier: original, productIdentifier: "gym", price: .usd("12.99"),
                formerPrice: .usd("9.99"))
            let change = try #require(try await alice.changes().changes.last)
            #expect(change.isVisible(to: "phone"))
            #expect(change.transaction.flatMap(PriceConsentQuestion.init) == question)
            for _ in 0..<2 { #expect(try await alice.snapshot(launches: true).priceConsents == [question]) }
            #expect(try await alice.snapshot().priceConsents == nil)
            for _ in 0..<2 {
                #expect(try await alice.show(original, false).priceIncrease == Self.increase)
                #expect(try await store.prompts().prompts.isEmpty)
            }
            for _ in 0..<2 {
                try await alice.show(original, true)
                #expect(try await store.prompts().prompts.count == 1)
            }
            try await store.answer(try await store.prompt().id, .decline)
            try await alice.show(original, true)
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await alice.snapshot(launches: true).priceConsents == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an offer that goes on costs what was agreed with it, and the question comes after`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", with(TesterSettings()) { $0.priceConsent = .interactive })
            try await store.putClock("2027-03-01", frozen: true)
            let offer = ProductDiscount.discount(.payAsYouGo, "0.49", 1, .month, periods: 2)
            store.catalogue.sell(.subscription("gym", "9.99", group: "gym", intro: offer), level: 1)
            _ = try await alice.subscribe("gym")
            store.catalogue.sell(.subscription("gym", "12.99", group: "gym", intro: offer), level: 1)
            try await alice.forgetQuotes()
            try await store.current.service.priceConsents.sweep()
            try await store.jump(to: "2027-04-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("0.49")])
            let prompt = try await store.prompt()
            #expect(prompt.priceIncrease == Self.increase)
            try await store.answer(prompt.id, .approve)
            try await store.jump(to: "2027-05-02")
            #expect(try await store.renewals().map(\.amount) == [.usd("0.49"), .usd("12.99")])
        }
    }
}

extension CustomerApp {
    @discardableResult
    func show(_ original: String, _ show: Bool) async throws -> Subscription {
        try await store.caller.call(
            SubscriptionEndpoints.showPriceConsent,
            ShowPriceConsentRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, originalTransactionIdentifier: original,
                show: show))
    }
}
