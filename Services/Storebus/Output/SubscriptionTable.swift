import StoreModels

/// Subscriptions as `storebus sub list` and `sub show` show them.
enum SubscriptionTable {
    static func table(_ subscriptions: [Subscription]) -> Table {
        let hasSeveralApps = Set(exactly: subscriptions.compactMap(\.bundleId)).count > 1
        var table = Table(
            [.init("SUBSCRIPTION"), .init("ACCOUNT")] + (hasSeveralApps ? [.init("APP")] : []) + [
                .init("PRODUCT"), .init("STATE", isState: true), .init("RENEWS"),
                .init("UNTIL"), .init("PRICE", .right), .init("REMARKS"),
            ])
        for one in subscriptions {
            table.add(
                [one.originalTransactionIdentifier, one.account ?? "-"]
                    + (hasSeveralApps ? [one.bundleId ?? "-"] : []) + [
                        one.productIdentifier, one.state.rawValue,
                        one.willAutoRenew ? "yes" : "no", Words.time(one.expiresDate),
                        one.renewalPrice.map(Words.price) ?? "-", remarks(one),
                    ])
        }
        return table
    }

    private static func remarks(_ one: Subscription) -> String {
        var remarks = one.offer.map { [SubscriptionWords.offer($0)] } ?? []
        if !one.autoRenewProductIdentifier.isExactly(one.productIdentifier) {
            remarks.append("then \(one.autoRenewProductIdentifier)")
        }
        if let until = one.gracePeriodExpiresDate { remarks.append("access until \(Words.time(until))") }
        if let reason = one.expirationReason { remarks.append(SubscriptionWords.reason(reason)) }
        if !one.eligibleWinBackOfferIdentifiers.isEmpty {
            remarks.append("win-back \(one.eligibleWinBackOfferIdentifiers.joined(separator: ", "))")
        }
        return remarks.joined(separator: ", ")
    }

    /// The subscription's own members, and what its remarks and sentences say.
    static func json(_ one: Subscription) -> JSONValue {
        var members = JSONText.value(one).objectValue ?? [:]
        members["summary"] = .string([SubscriptionWords.standing(one), remarks(one)].joined(separator: "; "))
        return .object(members)
    }

    /// One of them, a fact a line.
    static func answer(_ one: Subscription) -> Answer {
        var facts = Facts()
        facts.add("subscription", one.originalTransactionIdentifier)
        facts.add("account", one.account)
        facts.add("app", one.bundleId)
        facts.add("group", one.subscriptionGroupIdentifier)
        facts.add("product", one.productIdentifier)
        facts.add("state", one.state.rawValue, isState: true)
        facts.add("standing", SubscriptionWords.standing(one))
        facts.add("period", "from \(Words.time(one.purchaseDate)) to \(Words.time(one.expiresDate))")
        facts.add("offer", one.offer.map(SubscriptionWords.offer))
        facts.add(
            "win-back",
            one.eligibleWinBackOfferIdentifiers.isEmpty
                ? nil : one.eligibleWinBackOfferIdentifiers.joined(separator: ", "))
        facts.add("transaction", one.transactionIdentifier)
        let shown = facts
        return Answer(
            data: json(one), names: [one.originalTransactionIdentifier], next: next(one)
        ) { shown.text($0) }
        .about(one.bundleId)
    }

    /// What is useful after having seen it.
    static func next(_ one: Subscription) -> String {
        "storebus sub timeline \(one.originalTransactionIdentifier)"
    }
}
