import StoreModels

extension StoreKitFileReader {
    /// Reads `displayPrice`, and `prices` of the storefronts with a separate price.
    mutating func readPrices(of node: JSONNode) -> StorefrontPrices? {
        let base = findings.price(node.member("displayPrice"))
        let own = readOwnPrices(node.member("prices"))
        return base.map { StorefrontPrices($0, own: own) }
    }

    /// Reads `{"FRA":"2.29","JPN":{"amount":"300","currency":"JPY"}}`.
    mutating func readOwnPrices(_ node: JSONNode) -> [String: Money] {
        guard !node.isAbsent, findings.isObject(node) else { return [:] }
        var prices: [String: Money] = [:]
        for (code, price) in node.members {
            guard let entry = storefront(code, at: price.path) else { continue }
            prices[code] = readOwnPrice(price, in: entry)
        }
        return prices
    }

    private mutating func readOwnPrice(_ node: JSONNode, in entry: StorefrontEntry) -> Money? {
        guard case .object? = node.value else { return money(node, in: entry) }
        let currency = node.member("currency")
        if currency.value != .string(entry.currency.code) {
            let found = currency.value?.stringValue.map { "is '\($0.prefix(20))'" } ?? currency.mustBe("a currency")
            findings.refuse(currency.path, "\(found); \(entry.name) sells in \(entry.currency)")
        }
        for (name, member) in node.members where !["amount", "currency"].contains(name) {
            findings.refuse(member.path, "is unknown", allowed: ["amount", "currency"])
        }
        return money(node.member("amount"), in: entry)
    }

    private mutating func money(_ node: JSONNode, in entry: StorefrontEntry) -> Money? {
        guard let amount = findings.price(node) else { return nil }
        guard let money = Money(amount: amount.text, currency: entry.currency) else {
            findings.refuse(
                node.path,
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
