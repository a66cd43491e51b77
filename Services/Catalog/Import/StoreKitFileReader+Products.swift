import StoreModels

extension StoreKitFileReader {
    /// Reads `products[]`.
    mutating func readProducts(_ place: JSONPlace) {
        readPlain(
            place,
            [
                "Consumable": ProductType.consumable, "NonConsumable": .nonConsumable,
                "NonRenewingSubscription": .nonRenewable,
            ])
    }

    /// Reads `nonRenewingSubscriptions[]`.
    mutating func readNonRenewing(_ place: JSONPlace) {
        readPlain(place, ["NonRenewingSubscription": ProductType.nonRenewable])
    }

    private mutating func readPlain(_ list: JSONPlace, _ types: KeyValuePairs<String, ProductType>) {
        for place in findings.elements(list) where findings.isObject(place) {
            for name in ["introductoryOffer", "introductoryOffers"] where !isEmpty(place.member(name)) {
                // M110
                findings.refuse(
                    place.member(name).path, "only an auto-renewable subscription can have an introductory offer")
            }
            let type = findings.word(place.member("type"), types)
            noteUnread(place, .product)
            guard let common = readCommonMembers(place), let type else { continue }
            products.append(
                CatalogProduct(
                    productIdentifier: common.identifier, type: type, referenceName: common.referenceName,
                    prices: common.prices, localizations: common.localizations,
                    isFamilyShareable: common.isFamilyShareable, subscription: nil, conditions: common.conditions))
        }
    }

    private func isEmpty(_ place: JSONPlace) -> Bool { place.isAbsent || place.value == .array([]) }

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
    mutating func readCommonMembers(_ place: JSONPlace) -> CommonMembers? {
        let identifier = claim(place.member("productID"))
        let referenceName = findings.optionalText(place.member("referenceName"), atMost: Self.textCharactersMax)
        let prices = readPrices(of: place)
        let localizations = readLocalizations(place.member("localizations"))
        let isFamilyShareable = findings.flag(place.member("familyShareable"))
        let conditions = readConditions(place)
        guard let identifier, let prices else { return nil }
        return CommonMembers(
            identifier: identifier, referenceName: referenceName.isEmpty ? identifier : referenceName, prices: prices,
            localizations: localizations, isFamilyShareable: isFamilyShareable, conditions: conditions)
    }

    private mutating func readLocalizations(_ list: JSONPlace) -> [CatalogProduct.Localization] {
        var localizations: [CatalogProduct.Localization] = []
        for place in findings.elements(list) where findings.isObject(place) {
            noteUnread(place, .localization)
            let title = findings.optionalText(place.member("displayName"), atMost: Self.textCharactersMax)
            let description = findings.optionalText(place.member("description"), atMost: Self.textCharactersMax)
            guard let text = findings.text(place.member("locale"), atMost: 64) else { continue }
            guard let locale = locale(text) else {
                findings.refuse(place.member("locale").path, "is '\(text)'; it must be a locale such as en_US")
                continue
            }
            guard !localizations.contains(where: { $0.locale == locale }) else {
                findings.refuse(place.member("locale").path, "is '\(text)', which the product has already")
                continue
            }
            localizations.append(.init(locale: locale, title: title, description: description))
        }
        return localizations
    }
}
