import StoreModels

extension StoreKitFileReader {
    /// Reads `products[]`.
    mutating func readProducts(_ node: JSONNode) {
        readPlain(
            node,
            [
                "Consumable": ProductType.consumable, "NonConsumable": .nonConsumable,
                "NonRenewingSubscription": .nonRenewable,
            ])
    }

    /// Reads `nonRenewingSubscriptions[]`.
    mutating func readNonRenewing(_ node: JSONNode) {
        readPlain(node, ["NonRenewingSubscription": ProductType.nonRenewable])
    }

    private mutating func readPlain(_ list: JSONNode, _ types: KeyValuePairs<String, ProductType>) {
        for node in findings.elements(list) where findings.isObject(node) {
            for name in ["introductoryOffer", "introductoryOffers"] where !isEmpty(node.member(name)) {
                // M110
                findings.refuse(
                    node.member(name).path, "only an auto-renewable subscription can have an introductory offer")
            }
            let type = findings.word(node.member("type"), types)
            noteUnread(node, .product)
            guard let common = readCommonMembers(node), let type else { continue }
            products.append(
                CatalogProduct(
                    productIdentifier: common.identifier, type: type, referenceName: common.referenceName,
                    prices: common.prices, localizations: common.localizations,
                    isFamilyShareable: common.isFamilyShareable, subscription: nil, conditions: common.conditions))
        }
    }

    private func isEmpty(_ node: JSONNode) -> Bool { node.isAbsent || node.value == .array([]) }

    /// The members that all products have.
    struct CommonMembers {
        let identifier: String
        let referenceName: String
        let prices: StorefrontPrices
        let localizations: [CatalogProduct.Localization]
        let isFamilyShareable: Bool
        let conditions: SaleConditions
    }

    /// Reads the members that all products have.
    /// - Returns: The members, or nil after recording the missing ones.
    mutating func readCommonMembers(_ node: JSONNode) -> CommonMembers? {
        let identifier = claim(node.member("productID"))
        let referenceName = findings.optionalText(node.member("referenceName"), atMost: Self.textCharactersMax)
        let prices = readPrices(of: node)
        let localizations = readLocalizations(node.member("localizations"))
        let isFamilyShareable = findings.flag(node.member("familyShareable"))
        let conditions = readConditions(node)
        guard let identifier, let prices else { return nil }
        return CommonMembers(
            identifier: identifier, referenceName: referenceName.isEmpty ? identifier : referenceName, prices: prices,
            localizations: localizations, isFamilyShareable: isFamilyShareable, conditions: conditions)
    }

    /// Reads the texts of a product or a group.
    mutating func readLocalizations(_ list: JSONNode) -> [CatalogProduct.Localization] {
        var localizations: [CatalogProduct.Localization] = []
        for node in findings.elements(list) where findings.isObject(node) {
            noteUnread(node, .localization)
            let title = findings.optionalText(node.member("displayName"), atMost: Self.textCharactersMax)
            let description = findings.optionalText(node.member("description"), atMost: Self.textCharactersMax)
            guard let text = findings.text(node.member("locale"), atMost: 64) else { continue }
            guard let locale = locale(text) else {
                findings.refuse(node.member("locale").path, "is '\(text)'; it must be a locale such as en_US")
                continue
            }
            guard !localizations.contains(where: { $0.locale == locale }) else {
                findings.refuse(node.member("locale").path, "is '\(text)', which the list has already")
                continue
            }
            localizations.append(.init(locale: locale, title: title, description: description))
        }
        return localizations
    }
}
