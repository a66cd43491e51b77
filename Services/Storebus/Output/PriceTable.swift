import StoreModels

/// A product's prices as `storebus product price` shows them.
enum PriceTable {
    static func table(_ prices: [ProductPrices.Price]) -> Table {
        var table = Table([
            .init("STOREFRONT"), .init("PRICE", .right), .init("OFFER"), .init("LOCALE"),
            .init("AVAILABLE", isState: true),
            .init("REASON"),
        ])
        for price in prices {
            table.add([
                price.storefront, text(price), price.introductoryPrice.map(Words.offer) ?? "-",
                price.priceLocale ?? "-", price.available ? "yes" : "no",
                price.reasons?.joined(separator: ", ") ?? "",
            ])
        }
        return table
    }

    static func json(_ price: ProductPrices.Price, _ product: String) -> JSONValue {
        var members = JSONText.value(price).objectValue ?? [:]
        members["productIdentifier"] = .string(product)
        return .object(members)
    }

    private static func text(_ price: ProductPrices.Price) -> String {
        guard let money = price.price else { return "-" }
        return price.subscriptionPeriod.map { "\(Words.price(money)) \(Words.every($0))" } ?? Words.price(money)
    }
}
