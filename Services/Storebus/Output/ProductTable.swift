import StoreModels

/// Products as `storebus product list` shows them.
enum ProductTable {
    static func table(_ products: [Product]) -> Table {
        var table = Table([
            .init("PRODUCT"), .init("TYPE"), .init("PRICE", .right), .init("OFFER"), .init("GROUP"), .init("TITLE"),
        ])
        for product in products {
            table.add([
                product.productIdentifier, product.type.rawValue, Words.price(of: product),
                product.introductoryPrice.map(Words.offer) ?? "-", product.subscriptionGroupIdentifier ?? "-",
                product.localizedTitle,
            ])
        }
        return table
    }
}
