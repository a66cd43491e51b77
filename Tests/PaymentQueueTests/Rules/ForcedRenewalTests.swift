import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a forced renewal and a requested consent take no paid period away, and pass over no answer about a price.
@Suite struct ForcedRenewalTests {
    private static let begin = Timestamp(milliseconds: 1_800_000_000_000)
    private static let end = begin + .seconds(30 * 86_400)
    private static let now = begin + .seconds(86_400)

    private static func increase(_ status: PriceIncrease.Status, to price: String = "12.99") -> PriceIncrease {
        PriceIncrease(status: status, price: .usd(price), formerPrice: .usd("9.99"))
    }

    /// A subscription at 9.99 in its period.
    private func subscription(_ increase: PriceIncrease? = nil) -> StoredSubscription {
        var value = StoredSubscription.stored("a", until: Self.end)
        value.period.start = Self.begin
        value.agreedPrice = .usd("9.99")
        value.priceIncrease = increase
        return value
    }

    private func quote(_ price: String) -> Quote {
        let catalogue = Catalogue()
        catalogue.sell(.subscription("a", price), level: 1)
        return catalogue.quote(QuoteRequest(bundleId: Catalogue.bundleId, productIdentifier: "a", storefront: "USA"))
    }

    /// Returns the subscription after an event, with the actions.
    private func after(
        _ event: SubscriptionTransition, _ value: StoredSubscription, at: Timestamp = Self.now
    ) throws -> (value: StoredSubscription, actions: [SubscriptionAction]) {
        var machine = SubscriptionStateMachine(value, at: at)
        let actions = try machine.handle(event)
        return (machine.value, actions)
    }

    @Test func `a period that is paid and has not begun is not cut`() throws {
        var value = subscription()
        (value.period.start, value.period.end) = (Self.end, Self.end + .seconds(30 * 86_400))
        let error = #expect(throws: StoreError.self) { try after(.cutShort, value) }
        #expect(error?.code == .transactionStateInvalid)
        let cut = try after(.cutShort, value, at: Self.end).value
        #expect(cut.period.end == Self.end)
        #expect(cut.dueAt == Self.end)
    }

    @Test func `forced to renew, only a question about the price is dropped`() throws {
        for status in PriceIncrease.Status.allCases {
            let increase = Self.increase(status)
            let (value, actions) = try after(.cutShort, subscription(increase))
            #expect(value.priceIncrease == (status == .pending ? nil : increase))
            #expect(actions.contains(.withdrawConsent(about: "t_1")) == (status == .pending))
            #expect(value.period.end == Self.now)
        }
        let (raised, context) = (quote("12.99"), TesterSettings.PriceConsent.interactive)
        let agreed = try after(.cutShort, subscription(Self.increase(.agreed))).value
        #expect(PriceConsentPolicy.renewal(of: agreed, raised, context) == .charge)
        let declined = try after(.cutShort, subscription(Self.increase(.declined))).value
        #expect(PriceConsentPolicy.renewal(of: declined, raised, context) == .refuse)
    }

    @Test func `a requested consent replaces no question about a price that has risen, and no answer`() throws {
        let pending = Self.increase(.pending)
        let (kept, actions) = try after(.consentRequested, subscription(pending))
        #expect(kept.priceIncrease == pending)
        #expect(actions.isEmpty)
        for status in [PriceIncrease.Status.agreed, .declined] {
            let answered = subscription(Self.increase(status))
            let error = #expect(throws: StoreError.self) { try after(.consentRequested, answered) }
            #expect(error?.code == .transactionStateInvalid)
        }
        let requested = Self.increase(.pending, to: "9.99")
        #expect(try after(.consentRequested, subscription()).value.priceIncrease == requested)
        // A request may be repeated after its answer.
        let refused = subscription(Self.increase(.declined, to: "9.99"))
        #expect(try after(.consentRequested, refused).value.priceIncrease == requested)
    }

    @Test func `an agreement to the present price is none to a higher one`() {
        let agreed = subscription(Self.increase(.agreed, to: "9.99"))
        let (same, raised) = (quote("9.99"), quote("12.99"))
        for consent in [TesterSettings.PriceConsent.agree, .decline, .interactive] {
            #expect(PriceConsentPolicy.renewal(of: agreed, same, consent) == .charge)
            #expect(PriceConsentPolicy.change(of: agreed, same, consent) == nil)
            for status in [PriceIncrease.Status.pending, .declined] {
                let open = subscription(Self.increase(status, to: "9.99"))
                #expect(PriceConsentPolicy.renewal(of: open, raised, consent) == .refuse)
            }
        }
        #expect(PriceConsentPolicy.renewal(of: agreed, raised, .agree) == .charge)
        #expect(PriceConsentPolicy.renewal(of: agreed, raised, .decline) == .refuse)
        let question = Self.increase(.pending)
        #expect(PriceConsentPolicy.renewal(of: agreed, raised, .interactive) == .askFirst(question))
        // Before the renewal is due the subscriber is asked about the real price.
        #expect(PriceConsentPolicy.change(of: agreed, raised, .agree) == nil)
        #expect(PriceConsentPolicy.change(of: agreed, raised, .decline) == .priceRaised(Self.increase(.declined)))
        #expect(PriceConsentPolicy.change(of: agreed, raised, .interactive) == .priceRaised(question))
    }

    @Test func `an operator's expiry after twelve renewals is not the sandbox's`() throws {
        var value = subscription()
        (value.rate, value.renewals) = (.monthlyRenewalEveryThirtySeconds, 13)
        let (_, actions) = try after(.expired(.other), value)
        let details = actions.compactMap { action -> String? in
            guard case .record(let event) = action else { return nil }
            return event.detail
        }
        #expect(details == ["other"])
    }
}
