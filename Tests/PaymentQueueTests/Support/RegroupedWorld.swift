import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// A customer of a developer who regroups subscriptions at random.
struct RegroupedWorld {
    private let store: TestStore
    private let customerApp: CustomerApp
    private var random: SplitMix64
    /// Product → group, of today.
    private var groups: [String: String] = [:]
    private var count = 0
    private var trials: Set<String> = []

    init(_ store: TestStore, _ customerApp: CustomerApp, _ random: SplitMix64) {
        (self.store, self.customerApp, self.random) = (store, customerApp, random)
    }

    mutating func begin() async throws {
        for (product, group) in [("p0", "A"), ("p1", "A"), ("p2", "B"), ("p3", "B"), ("p4", "C")] {
            sell(product, in: group)
        }
        try await customerApp.forgetQuotes()
    }

    mutating func step() async throws {
        count += 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: try await regroup()
        case 3...6: try await buy()
        case 7: try await cancel()
        case 8: try await refund()
        default: try await store.jump(by: "\(Int.random(in: 1...45, using: &random))d")
        }
        for product in groups.keys.sorted() {
            let rules = try await customerApp.doors(product, groups)
            #expect(rules[0].eligibility == rules[1].eligibility, "step \(count), \(product): \(rules), \(groups)")
            if rules[0].eligibility == .ineligible { #expect(rules[0] == rules[1], "step \(count), \(product)") }
        }
    }

    private mutating func sell(_ product: String, in group: String) {
        groups[product] = group
        store.catalogue.sell(
            .subscription(product, group: group, intro: .discount(.freeTrial, "0.00", 1, .week)),
            level: product == "p1" ? 2 : 1)
    }

    private mutating func regroup() async throws {
        let present = Set(groups.values).sorted()
        let (from, to) = (present.randomElement(using: &random) ?? "A", present.randomElement(using: &random) ?? "B")
        let products = groups.keys.sorted()
        let one = products.randomElement(using: &random) ?? "p0"
        switch Int.random(in: 0..<5, using: &random) {
        // A new name, or an old one again; all of one group; half of a group; one product; away and back.
        case 0: for product in products where groups[product] == from { sell(product, in: newGroup()) }
        case 1: for product in products where groups[product] == from { sell(product, in: to) }
        case 2:
            for product in products where groups[product] == from && product > one { sell(product, in: "S\(count)") }
        case 3: sell(one, in: to)
        default:
            if products.count > 2 {
                groups[one] = nil
                store.catalogue.remove(one)
            }
            let gone = ["p0", "p1", "p2", "p3", "p4"].filter { groups[$0] == nil && $0 != one }
            if let back = gone.randomElement(using: &random) { sell(back, in: to) }
        }
        try await customerApp.forgetQuotes()
    }

    private func newGroup() -> String { count.isMultiple(of: 2) ? "N\(count)" : "A" }

    /// What the doors said is what the purchase does.
    private mutating func buy() async throws {
        guard let product = groups.keys.sorted().randomElement(using: &random) else { return }
        let before = try await customerApp.doors(product, groups)[0]
        let active = try await customerApp.subscriptions().filter(\.state.isExisting)
        let isSubscribed = active.contains {
            $0.productIdentifier == product && $0.autoRenewProductIdentifier == product
        }
        let bought = try await customerApp.add(product, key: "\(count)").transaction
        if isSubscribed {
            #expect(bought.error?.underlying == 3532, "step \(count): \(product) is subscribed to, \(groups)")
        }
        guard bought.transactionState == .purchased else { return }
        if bought.effectiveDate == nil {
            let now = try await customerApp.subscriptions().filter {
                $0.state.isExisting && $0.productIdentifier == product
            }
            #expect(now.count == 1, "step \(count): \(product) is subscribed to \(now.count) times")
        }
        #expect((bought.isTrialPeriod == true) == (before.eligibility == .eligible), "step \(count): \(product)")
        if bought.isTrialPeriod == true {
            #expect(trials.insert(product).inserted, "step \(count): a second trial of \(product)")
        }
    }

    private mutating func cancel() async throws {
        let active = try await customerApp.subscriptions().filter(\.state.isExisting)
        guard let one = active.randomElement(using: &random) else { return }
        try await customerApp.update(one.originalTransactionIdentifier, renews: false)
    }

    private mutating func refund() async throws {
        let active = try await customerApp.subscriptions().filter(\.state.isExisting)
        guard let one = active.randomElement(using: &random) else { return }
        _ = try await store.refund(one.transactionIdentifier)
    }
}

extension CustomerApp {
    /// What is sold is asked for anew, as after an import: an answer about any other product shows the newer catalogue.
    func forgetQuotes() async throws {
        _ = try await add("probe\(store.catalogue.requests)", key: "probe\(store.catalogue.requests)")
    }

    /// Returns two rules for a product's offer: by PaymentQueue's history, and by the receipt.
    func doors(
        _ product: String, _ groups: [String: String]
    ) async throws -> [IntroductoryOfferPolicy.Rule] {
        let summary = try await offerSummary()
        let page = try await receipt()
        let receipt = ReceiptHistory(items: page.items, now: page.businessNow)
        #expect(receipt.unplaced { groups[$0] != nil } == nil)
        let group = groups[product] ?? ""
        let question = SubscriptionHistory.Question(of: product, inGroup: group) { groups[$0] == group }
        return [summary.history, receipt.history].map { history in
            IntroductoryOfferPolicy.decide(
                history: history.group(of: question, at: summary.businessNow), now: summary.businessNow
            ).rule
        }
    }
}

extension IntroductoryOfferPolicy.Rule {
    /// The eligibility that each rule implies.
    var eligibility: OfferEligibility {
        switch self {
        case .newSubscriber, .lapsedWithoutOffer: .eligible
        case .offerUsed, .offerReserved, .subscribed, .inGracePeriod, .inBillingRetryPeriod: .ineligible
        case .historyUnavailable: .unknown
        }
    }
}
