import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: introductory offers are billed as their mode says, and the regular price afterwards (M114–M118, S4).
@Suite(.slow) struct OfferRenewalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var mode: ProductDiscount.PaymentMode
        var unit: SubscriptionPeriod.Unit
        /// Of the offer's period, and how many of them.
        var count: Int
        var periods: Int
        var length: SubscriptionPeriod
        var testDescription: String { "\(mode) \(periods) × \(count) \(unit), then every \(length)" }
    }

    /// The durations of §2.7.
    static let cases: [Case] = {
        func month(_ count: Int) -> SubscriptionPeriod { SubscriptionPeriod(numberOfUnits: count, unit: .month) }
        let week = SubscriptionPeriod(numberOfUnits: 1, unit: .week)
        let year = SubscriptionPeriod(numberOfUnits: 1, unit: .year)
        var all: [Case] = []
        for periods in [1, 5, 12] {
            all.append(Case(mode: .payAsYouGo, unit: .week, count: 1, periods: periods, length: week))
            all.append(Case(mode: .payAsYouGo, unit: .month, count: 1, periods: periods, length: month(1)))
        }
        all.append(Case(mode: .payAsYouGo, unit: .month, count: 2, periods: 3, length: month(2)))
        all.append(Case(mode: .payAsYouGo, unit: .month, count: 3, periods: 4, length: month(3)))
        all.append(Case(mode: .payAsYouGo, unit: .month, count: 6, periods: 2, length: month(6)))
        all.append(Case(mode: .payAsYouGo, unit: .year, count: 1, periods: 1, length: year))
        for count in [1, 2, 3, 6, 12] {
            all.append(Case(mode: .payUpFront, unit: .month, count: count, periods: 1, length: month(1)))
        }
        all.append(Case(mode: .payUpFront, unit: .year, count: 1, periods: 1, length: week))
        let trials: [(SubscriptionPeriod.Unit, Int)] = [
            (.day, 3), (.week, 1), (.week, 2), (.month, 1), (.month, 2), (.month, 3), (.month, 6), (.year, 1),
        ]
        for (unit, count) in trials {
            all.append(Case(mode: .freeTrial, unit: unit, count: count, periods: 1, length: month(1)))
        }
        return all
    }()

    @Test(arguments: cases, Engine.allCases)
    func `M114, M115, M116, M117, M118, S4: the offer's charges, then the regular price`(
        _ offer: Case, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            var product = Product.subscription(
                "p", group: "g",
                intro: .discount(
                    offer.mode, offer.mode == .freeTrial ? "0.00" : "1.99", offer.count, offer.unit,
                    periods: offer.periods))
            product.subscriptionPeriod = offer.length
            store.catalogue.sell(product, level: 1)
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("p")
            // Through the offer, and three periods behind it.
            let renewals = (offer.mode == .payAsYouGo ? offer.periods - 1 : 0) + 3
            try await store.jump(next: renewals)
            let bought = try await alice.history().transactions
            #expect(bought.count == renewals + 1)
            check(bought, offer)
            let charged = try await store.charges().filter { $0.outcome == .approved }
            #expect(charged.compactMap(\.amount) == bought.compactMap(\.price).filter { $0.minorUnits > 0 })
            #expect(Set(charged.map(\.chargeKey)).count == charged.count)
        }
    }

    private func check(_ bought: [PaymentTransaction], _ offer: Case) {
        let inOffer = offer.mode == .payAsYouGo ? offer.periods : 1
        for (index, value) in bought.enumerated() {
            let isInOffer = index < inOffer
            let price: Money = isInOffer ? .usd(offer.mode == .freeTrial ? "0.00" : "1.99") : .usd("9.99")
            #expect(value.price == price)
            #expect(value.isTrialPeriod == (isInOffer && offer.mode == .freeTrial))
            #expect(value.isInIntroOfferPeriod == (isInOffer && offer.mode != .freeTrial))
            #expect((value.offer != nil) == isInOffer)
            #expect((value.original == nil) == (index == 0))
            guard index > 0 else { continue }
            // S2: contiguous.
            #expect(value.transactionDate == bought[index - 1].expiresDate)
            #expect(value.originalTransactionIdentifier == bought[0].transactionIdentifier)
        }
    }

    @Test(arguments: [ProductDiscount.PaymentMode.payAsYouGo, .payUpFront, .freeTrial], Engine.allCases)
    func `a year of monthly renewals, with every charge`(_ mode: ProductDiscount.PaymentMode, _ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let intro: ProductDiscount =
                switch mode {
                case .payAsYouGo: .discount(.payAsYouGo, "1.99", 1, .month, periods: 3)
                case .payUpFront: .discount(.payUpFront, "1.99", 2, .month)
                case .freeTrial: .discount(.freeTrial, "0.00", 1, .month)
                }
            store.catalogue.sell(.subscription("p", group: "g", intro: intro), level: 1)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("p")
            try await store.jump(by: "1y")
            let months = [
                "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30", "2027-07-31", "2027-08-31",
                "2027-09-30", "2027-10-31", "2027-11-30", "2027-12-31", "2028-01-31",
            ]
            let prices: [String] =
                switch mode {
                case .payAsYouGo: ["1.99", "1.99"] + Array(repeating: "9.99", count: 10)
                case .payUpFront, .freeTrial: Array(repeating: "9.99", count: 12)
                }
            var expected = zip(months, prices).map { "\($0) renewed \($1)" }
            if mode == .payUpFront { expected.removeFirst() }
            let first = mode == .freeTrial ? "0.00" : "1.99"
            #expect(try await store.lines(original) == ["2027-01-31 subscribed \(first)"] + expected)
            #expect(try await store.renewals().count == expected.count)
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2028-02-29"))
        }
    }
}
