import StoreModels

extension StoreKitFileReader {
    private static let audiences = RedeemableOffer.Audience.allCases.map { (key: $0.rawValue, value: $0) }
    private static let monthsRange = 0...1_200

    /// Reads `codeOffers[]` and `winbackOffers[]` of a subscription.
    mutating func readRedeemableOffers(
        _ subscription: JSONNode, subscription period: SubscriptionPeriod
    ) -> [CatalogRedeemableOffer] {
        let codes = readNamedOffers(
            subscription.member("codeOffers"), names: ["referenceName"], .offerCode, subscription: period)
        let winBacks = readNamedOffers(
            subscription.member("winbackOffers"), names: ["offerID", "referenceName"], .winBackOffer,
            subscription: period)
        return codes.map { readCode($0.node, $0.offer) } + winBacks.map { readWinBack($0.node, $0.offer) }
    }

    /// Reads an offer code. Without `eligibility` it is for all customers.
    private mutating func readCode(_ node: JSONNode, _ offer: CatalogOffer) -> CatalogRedeemableOffer {
        var audiences: [RedeemableOffer.Audience] = []
        for element in findings.elements(node.member("eligibility")) {
            guard let audience = findings.word(element, Self.audiences), !audiences.contains(audience) else { continue }
            audiences.append(audience)
        }
        return CatalogRedeemableOffer(
            type: .code, offer: offer, audiences: audiences.isEmpty ? nil : audiences,
            isStackable: findings.flag(node.member("isStackable")))
    }

    /// Reads a win-back offer. The conditions have the names of App Store Connect's API: no public file shows Xcode's
    /// names, except `isEligible`, its switch for all customers. Without conditions, every former subscriber may have
    /// the offer, once.
    private mutating func readWinBack(_ node: JSONNode, _ offer: CatalogOffer) -> CatalogRedeemableOffer {
        let since = node.member("customerEligibilityTimeSinceLastSubscribedInMonths")
        let isRange = !since.isAbsent && findings.isObject(since)
        let minimum = isRange ? months(since.member("minimum")) : nil
        let maximum = isRange ? months(since.member("maximum")) : nil
        if let minimum, let maximum, maximum < minimum {
            findings.refuse(since.member("maximum").path, "is \(maximum), less than the minimum, \(minimum)")
        }
        let conditions = RedeemableOffer.WinBackConditions(
            paidMonthsMin: months(node.member("customerEligibilityPaidSubscriptionDurationInMonths")) ?? 0,
            monthsSinceExpiryMin: minimum ?? 0, monthsSinceExpiryMax: maximum,
            monthsBetweenOffers: months(node.member("customerEligibilityWaitBetweenOffersInMonths")),
            isOffered: findings.flag(node.member("isEligible"), orElse: true) ? nil : false)
        return CatalogRedeemableOffer(type: .winBack, offer: offer, winBack: conditions)
    }

    private mutating func months(_ node: JSONNode) -> Int? {
        node.isAbsent ? nil : findings.integer(node, in: Self.monthsRange)
    }
}
