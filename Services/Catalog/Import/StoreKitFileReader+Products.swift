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
            guard let facts = commonFacts(place), let type else { continue }
            products.append(
                CatalogProduct(
                    productIdentifier: facts.identifier, type: type, referenceName: facts.referenceName,
                    prices: facts.prices, localizations: facts.localizations,
                    isFamilyShareable: facts.isFamilyShareable, subscription: nil, conditions: facts.conditions))
        }
    }

    private func isEmpty(_ place: JSONPlace) -> Bool { place.isAbsent || place.value == .array([]) }

    /// Members common to all products.
    struct CommonFacts {
        let identifier: String
        let referenceName: String
        let prices: StorefrontPrices
        let localizations: [CatalogProduct.Localization]
        let isFamilyShareable: Bool
        let conditions: SaleConditions
    }

    /// - Returns: Nil after recording what is missing.
    mutating func commonFacts(_ place: JSONPlace) -> CommonFacts? {
        let identifier = claim(place.member("productID"))
        let referenceName = findings.optionalText(place.member("referenceName"), atMost: Self.textCharactersMax)
        let prices = readPrices(of: place)
        let localizations = readLocalizations(place.member("localizations"))
        let isFamilyShareable = findings.flag(place.member("familyShareable"))
        let conditions = readConditions(place)
        guard let identifier, let prices else { return nil }
        return CommonFacts(
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
