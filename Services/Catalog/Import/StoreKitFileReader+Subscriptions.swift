import StoreModels

extension StoreKitFileReader {
    /// The periods that App Store Connect offers.
    static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    /// Reads `subscriptionGroups[]`.
    /// - Returns: The number of groups.
    mutating func readGroups(_ list: JSONPlace) -> Int {
        var places: [ExactText: String] = [:]
        let groups = findings.elements(list)
        for place in groups where findings.isObject(place) {
            noteUnread(place, .group)
            let identifierPlace = place.member("id")
            guard let identifier = findings.identifier(identifierPlace) else { continue }
            if let first = places[ExactText(identifier)] {
                findings.refuse(identifierPlace.path, "is '\(identifier)', which is already used at \(first)")
            }
            places[ExactText(identifier)] = identifierPlace.path
            for subscription in findings.elements(place.member("subscriptions")) where findings.isObject(subscription) {
                readSubscription(subscription, group: identifier)
            }
        }
        return groups.count
    }

    private mutating func readSubscription(_ place: JSONPlace, group: String) {
        _ = findings.word(place.member("type"), ["RecurringSubscription": ProductType.autoRenewable])
        checkGroup(place.member("subscriptionGroupID"), group)
        noteUnread(place, .subscription)
        let common = readCommonMembers(place)
        noteBillingPlans(place)
        let level = readLevel(place.member("groupNumber"))
        let period = readPeriod(place.member("recurringSubscriptionPeriod"), among: Self.periods)
        let introductory = period.flatMap { readIntroductoryOffer(place, subscription: $0) }
        let promotional = period.map { readPromotionalOffers(place.member("adHocOffers"), subscription: $0) } ?? []
        let redeemable = period.map { readRedeemableOffers(place, subscription: $0) } ?? []
        guard let common, let level, let period else { return }
        products.append(
            CatalogProduct(
                productIdentifier: common.identifier, type: .autoRenewable, referenceName: common.referenceName,
                prices: common.prices, localizations: common.localizations, isFamilyShareable: common.isFamilyShareable,
                subscription: .init(
                    groupIdentifier: group, level: level, period: period, introductoryOffer: introductory,
                    promotionalOffers: promotional, redeemableOffers: redeemable),
                conditions: common.conditions))
    }

    private mutating func checkGroup(_ place: JSONPlace, _ group: String) {
        guard !place.isAbsent, let named = findings.text(place, atMost: Self.identifierCharactersMax) else { return }
        if !named.isExactly(group) {
            findings.refuse(place.path, "is '\(named)', but the subscription is in group '\(group)'")
        }
    }

    private mutating func readLevel(_ place: JSONPlace) -> Int? {
        if place.isAbsent { findings.note("\(place.path) is missing; the subscription is at level 1.") }
        return findings.integer(place, in: 1...10_000, orElse: 1)
    }

    /// Reads an ISO 8601 duration. With `allowed`, it must be one of these.
    mutating func readPeriod(_ place: JSONPlace, among allowed: [String] = []) -> SubscriptionPeriod? {
        guard let text = place.value?.stringValue else {
            findings.refuse(place.path, place.mustBe("an ISO 8601 duration such as \"P1M\""), allowed: allowed)
            return nil
        }
        guard let period = SubscriptionPeriod(iso8601: text),
            allowed.isEmpty || allowed.contains(period.canonical.iso8601)
        else {
            findings.refuse(
                place.path, "is '\(text.prefix(40))', which is no subscription period",
                allowed: allowed.isEmpty ? ["P3D", "P1W", "P1M", "P1Y"] : allowed)
            return nil
        }
        return period.canonical
    }
}
