import StoreModels

extension StoreKitFileReader {
    /// Reads `displayPrice`, and `prices` of the storefronts with a separate price.
    mutating func readPrices(of place: JSONPlace) -> StorefrontPrices? {
        let base = findings.price(place.member("displayPrice"))
        let own = readOwnPrices(place.member("prices"))
        return base.map { StorefrontPrices($0, own: own) }
    }

    /// Reads `{"FRA":"2.29","JPN":{"amount":"300","currency":"JPY"}}`.
    mutating func readOwnPrices(_ place: JSONPlace) -> [String: Money] {
        guard !place.isAbsent, findings.isObject(place) else { return [:] }
        var prices: [String: Money] = [:]
        for (code, price) in place.members {
            guard let entry = storefront(code, at: price.path) else { continue }
            prices[code] = readOwnPrice(price, in: entry)
        }
        return prices
    }

    private mutating func readOwnPrice(_ place: JSONPlace, in entry: StorefrontEntry) -> Money? {
        guard case .object? = place.value else { return money(place, in: entry) }
        let currency = place.member("currency")
        if currency.value != .string(entry.currency.code) {
            let found = currency.value?.stringValue.map { "is '\($0.prefix(20))'" } ?? currency.mustBe("a currency")
            findings.refuse(currency.path, "\(found); \(entry.name) sells in \(entry.currency)")
        }
        for (name, member) in place.members where !["amount", "currency"].contains(name) {
            findings.refuse(member.path, "is unknown", allowed: ["amount", "currency"])
        }
        return money(place.member("amount"), in: entry)
    }

    private mutating func money(_ place: JSONPlace, in entry: StorefrontEntry) -> Money? {
        guard let amount = findings.price(place) else { return nil }
        guard let money = Money(amount: amount.text, currency: entry.currency) else {
            findings.refuse(
                place.path,
                "is '\(amount.text)'; \(entry.currency) has \(entry.currency.exponent) digits behind the point")
            return nil
        }
        return money
    }

    /// Finds the storefront of a code. For an unknown one it records a problem and returns nil.
    mutating func storefront(_ code: String, at path: String) -> StorefrontEntry? {
        if let entry = storefronts[code] { return entry }
        findings.refuse(path, storefronts.objection(to: code))
        return nil
    }
}
