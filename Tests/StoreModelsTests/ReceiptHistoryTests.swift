import StoreModels
import Testing

/// Goal: a receipt says of each group what PaymentQueue would say (O5), in any order and with any source of the group.
@Suite struct ReceiptHistoryTests {
    private let now = Timestamp(milliseconds: 1_000)

    @Test func `M121: one trial or introductory period counts for its whole group and for no other`() {
        for (trial, introductory) in [(true, false), (false, true)] {
            let groups = receipt([
                item(1, "pro.month", group: "pro", trial: trial, introductory: introductory, expires: 100),
                item(2, "news", group: "news", expires: 200),
            ]).groups(ofProducts: [:])
            #expect(groups["pro"]?.introductoryOfferTransaction == "1")
            #expect(groups["news"]?.introductoryOfferTransaction == nil)
        }
    }

    @Test func `M122: a purchase counts in the groups that the renewal, the item and the catalogue say`() {
        let ofItem = item(1, "a", group: "item", expires: 100)
        let bare = item(2, "b", expires: 100)
        let renewal = ReceiptRenewal(originalTransactionIdentifier: "1", subscriptionGroupIdentifier: "renewal")
        #expect(
            Set(receipt([ofItem, bare]).groups(ofProducts: ["a": "x", "b": "catalogue"]).keys)
                == ["item", "x", "catalogue"])
        #expect(Set(receipt([ofItem], renewals: [renewal]).groups(ofProducts: [:]).keys) == ["renewal", "item"])
        #expect(receipt([bare]).groups(ofProducts: [:]).isEmpty)
    }

    @Test func `other purchases say nothing of a group, even if the catalogue should know one`() {
        var coins = item(1, "coins", trial: true)
        coins.type = .consumable
        #expect(receipt([coins]).groups(ofProducts: ["coins": "pro"]).isEmpty)
    }

    @Test func `M126: subscribed while a period that was neither cancelled nor replaced has not ended`() {
        let running = item(1, "a", group: "g", expires: 1_001)
        #expect(state(receipt([running])) == .subscribed)
        #expect(state(receipt([with(running) { $0.expiresDate = Timestamp(milliseconds: 1_000) }])) == .expired)
        #expect(state(receipt([with(running) { $0.cancellationDate = Timestamp(milliseconds: 500) }])) == .revoked)
        #expect(state(receipt([with(running) { $0.isUpgraded = true }])) == .expired)
    }

    @Test func `an upgraded year and the month in its place: the month counts, until it ends`() {
        let year = with(item(1, "year", group: "g", expires: 9_000)) { $0.isUpgraded = true }
        let month = item(2, "month", group: "g", expires: 2_000)
        #expect(receipt([month, year]).groups(ofProducts: [:])["g"]?.activeTransaction == "2")
        #expect(state(receipt([year, with(month) { $0.expiresDate = now }])) == .expired)
    }

    @Test func `M127: a failed renewal counts if the renewals say so; grace only until its end`() {
        let ended = item(1, "a", group: "g", expires: 900)
        func renewal(retry: Bool, grace: Int64?) -> ReceiptRenewal {
            ReceiptRenewal(
                originalTransactionIdentifier: "1", isInBillingRetryPeriod: retry,
                gracePeriodExpiresDate: grace.map(Timestamp.init(milliseconds:)))
        }
        #expect(state(receipt([ended], renewals: [renewal(retry: true, grace: 1_001)])) == .inGracePeriod)
        #expect(state(receipt([ended], renewals: [renewal(retry: true, grace: 1_000)])) == .inBillingRetryPeriod)
        #expect(state(receipt([ended], renewals: [renewal(retry: true, grace: nil)])) == .inBillingRetryPeriod)
        #expect(state(receipt([ended], renewals: [renewal(retry: false, grace: nil)])) == .expired)
    }

    @Test func `M129: of several offers the first one bought decides, in any order of the items`() {
        let first = item(9, "a", group: "g", trial: true, expires: 100)
        let second = item(10, "b", group: "g", introductory: true, expires: 200)
        for items in [[first, second], [second, first]] {
            #expect(receipt(items).groups(ofProducts: [:])["g"]?.introductoryOfferTransaction == "9")
        }
    }

    @Test func `O3: a purchase of an unknown group is reported when it would make the customer ineligible`() {
        let used = item(1, "gone", trial: true, expires: 100)
        let running = item(2, "gone", expires: 1_001)
        let past = item(3, "gone", expires: 100)
        #expect(receipt([past, used]).unplaced(ofProducts: [:])?.transactionIdentifier == "1")
        #expect(receipt([past, running]).unplaced(ofProducts: [:])?.transactionIdentifier == "2")
        #expect(receipt([past]).unplaced(ofProducts: [:]) == nil)
        #expect(receipt([used]).unplaced(ofProducts: ["gone": "g"]) == nil)
        #expect(receipt([with(used) { $0.type = .consumable }]).unplaced(ofProducts: [:]) == nil)
    }

    private func receipt(_ items: [ReceiptItem], renewals: [ReceiptRenewal]? = nil) -> ReceiptHistory {
        ReceiptHistory(items: items, now: now, renewals: renewals)
    }

    private func state(_ receipt: ReceiptHistory) -> SubscriptionState? {
        receipt.groups(ofProducts: [:])["g"]?.state
    }

    private func with(_ item: ReceiptItem, _ change: (inout ReceiptItem) -> Void) -> ReceiptItem {
        var item = item
        change(&item)
        return item
    }

    private func item(
        _ number: Int, _ product: String, group: String? = nil, trial: Bool = false, introductory: Bool = false,
        expires: Int64? = nil
    ) -> ReceiptItem {
        let date = Timestamp(milliseconds: Int64(number))
        return with(
            ReceiptItem(
                transactionIdentifier: "\(number)", originalTransactionIdentifier: "\(number)",
                productIdentifier: product, type: .autoRenewable, quantity: 1, purchaseDate: date,
                originalPurchaseDate: date, expiresDate: expires.map(Timestamp.init(milliseconds:)),
                subscriptionGroupIdentifier: group)
        ) {
            $0.isTrialPeriod = trial
            $0.isInIntroOfferPeriod = introductory
        }
    }
}

extension ReceiptHistory {
    /// What it says of every group, for any product.
    /// - Parameter catalogue: product → group, of today.
    fileprivate func groups(ofProducts catalogue: [String: String]) -> [String: SubscriptionGroupHistory] {
        let named = items.compactMap(\.subscriptionGroupIdentifier)
        let renewed = (renewals ?? []).compactMap(\.subscriptionGroupIdentifier)
        var found: [String: SubscriptionGroupHistory] = [:]
        for group in named + renewed + catalogue.values {
            let question = SubscriptionHistory.Question(of: "", inGroup: group) { catalogue[$0] == group }
            found[group] = history.group(of: question, at: now)
        }
        return found
    }

    fileprivate func unplaced(ofProducts catalogue: [String: String]) -> ReceiptItem? {
        unplaced { catalogue[$0] != nil }
    }
}
