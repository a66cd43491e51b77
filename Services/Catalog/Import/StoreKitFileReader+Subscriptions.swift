import StoreModels

extension StoreKitFileReader {
    /// The periods that App Store Connect offers.
    static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    /// Reads `subscriptionGroups[]`.
    /// - Returns: The number of groups.
    mutating func readGroups(_ list: JSONNode) -> Int {
        var paths: [ExactText: String] = [:]
        let groups = findings.elements(list)
        for node in groups where findings.isObject(node) {
            noteUnread(node, .group)
            let identifierPlace = node.member("id")
            guard let identifier = findings.identifier(identifierPlace) else { continue }
            if let first = paths[ExactText(identifier)] {
                findings.refuse(identifierPlace.path, "is '\(identifier)', which is already used at \(first)")
            }
            paths[ExactText(identifier)] = identifierPlace.path
            let name = findings.optionalText(node.member("name"), atMost: Self.textCharactersMax)
            let group = Group(
                identifier: identifier, referenceName: name.isEmpty ? identifier : name,
                localizations: readLocalizations(node.member("localizations")))
            for subscription in findings.elements(node.member("subscriptions")) where findings.isObject(subscription) {
                readSubscription(subscription, group: group)
            }
        }
        return groups.count
    }

    /// The members of a group that its subscriptions have.
    private struct Group {
        let identifier: String
        let referenceName: String
        let localizations: [CatalogProduct.Localization]
    }

    private mutating func readSubscription(_ node: JSONNode, group: Group) {
        _ = findings.word(node.member("type"), ["RecurringSubscription": ProductType.autoRenewable])
        checkGroup(node.member("subscriptionGroupID"), group.identifier)
        noteUnread(node, .subscription)
        let common = readCommonMembers(node)
        let level = readLevel(node.member("groupNumber"))
        let period = readPeriod(node.member("recurringSubscriptionPeriod"), among: Self.periods)
        let monthly = readBillingPlans(node, of: period)
        let introductory = period.flatMap { readIntroductoryOffer(node, subscription: $0) }
        let promotional = period.map { readPromotionalOffers(node.member("adHocOffers"), subscription: $0) } ?? []
        let redeemable = period.map { readRedeemableOffers(node, subscription: $0) } ?? []
        guard let common, let level, let period else { return }
        products.append(
            CatalogProduct(
                productIdentifier: common.identifier, type: .autoRenewable, referenceName: common.referenceName,
                prices: common.prices, localizations: common.localizations, isFamilyShareable: common.isFamilyShareable,
                subscription: .init(
                    groupIdentifier: group.identifier, groupReferenceName: group.referenceName,
                    groupLocalizations: group.localizations, level: level, period: period,
                    introductoryOffer: introductory, promotionalOffers: promotional, redeemableOffers: redeemable,
                    monthlyPrices: monthly),
                conditions: common.conditions))
    }

    private mutating func checkGroup(_ node: JSONNode, _ group: String) {
        guard !node.isAbsent, let named = findings.text(node, atMost: Self.identifierCharactersMax) else { return }
        if !named.isExactly(group) {
            findings.refuse(node.path, "is '\(named)', but the subscription is in group '\(group)'")
        }
    }

    private mutating func readLevel(_ node: JSONNode) -> Int? {
        if node.isAbsent { findings.note("\(node.path) is missing; the subscription is at level 1.") }
        return findings.integer(node, in: 1...10_000, orElse: 1)
    }

    /// Reads an ISO 8601 duration. With `allowed`, it must be one of these.
    mutating func readPeriod(_ node: JSONNode, among allowed: [String] = []) -> SubscriptionPeriod? {
        guard let text = node.value?.stringValue else {
            findings.refuse(node.path, node.mustBe("an ISO 8601 duration such as \"P1M\""), allowed: allowed)
            return nil
        }
        guard let period = SubscriptionPeriod(iso8601: text),
            allowed.isEmpty || allowed.contains(period.canonical.iso8601)
        else {
            findings.refuse(
                node.path, "is '\(text.prefix(40))', which is not a subscription period",
                allowed: allowed.isEmpty ? ["P3D", "P1W", "P1M", "P1Y"] : allowed)
            return nil
        }
        return period.canonical
    }
}
