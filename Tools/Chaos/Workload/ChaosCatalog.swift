/// The catalogue of a run's own app: one consumable, one non-consumable, and a group of two subscriptions.
package enum ChaosCatalog {
    package struct Item: Hashable, Sendable {
        package var identifier: String
        /// As `RunOptions.Product.type`.
        package var type: String
        package var group: String?
    }

    package static let group = "21900001"
    package static let items = [
        Item(identifier: "chaos.coins", type: "consumable"),
        Item(identifier: "chaos.map", type: "nonConsumable"),
        Item(identifier: "chaos.pro.monthly", type: "autoRenewable", group: group),
        Item(identifier: "chaos.pro.yearly", type: "autoRenewable", group: group),
    ]

    /// The products, as `options.json` has them for the checkers.
    package static var products: [String: RunOptions.Product] {
        items.reduce(into: [:]) { $0[$1.identifier] = RunOptions.Product(type: $1.type, group: $1.group) }
    }

    /// A white PNG of 1024×1024 pixels, one bit each, which lets the operator promote a product.
    package static let image: [UInt8] =
        [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
            0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x57, 0x66, 0x16, 0x2E, 0x00, 0x00, 0x02,
            0x19, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0xED, 0xCE, 0x21, 0x01, 0x00, 0x00, 0x00, 0x02, 0x20, 0xFF, 0x9F,
            0xD6, 0x19, 0x16, 0x58, 0x40, 0x7A, 0x16,
        ] + Array(repeating: 0x01, count: 510) + [
            0x81, 0x77, 0x60, 0x8B, 0xEF, 0x1D, 0xE3, 0x56, 0x06, 0x10, 0x77, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E,
            0x44, 0xAE, 0x42, 0x60, 0x82,
        ]

    /// The file to import, in Xcode's format.
    package static let storekit = #"""
        {"identifier":"21900000","nonRenewingSubscriptions":[],
         "products":[
          {"type":"Consumable","productID":"chaos.coins","referenceName":"Coins","internalID":"21910001",
           "displayPrice":"1.99","familyShareable":false,
           "localizations":[{"locale":"en_US","displayName":"Coins","description":"A handful of coins."}]},
          {"type":"NonConsumable","productID":"chaos.map","referenceName":"Map","internalID":"21910002",
           "displayPrice":"0.99","familyShareable":false,
           "localizations":[{"locale":"en_US","displayName":"Map","description":"The whole map."}]}],
         "settings":{"_locale":"en_US","_storefront":"USA"},
         "subscriptionGroups":[{"id":"21900001","name":"Pro","localizations":[],"subscriptions":[
          {"type":"RecurringSubscription","productID":"chaos.pro.monthly","referenceName":"Pro, monthly",
           "internalID":"21920001","subscriptionGroupID":"21900001","groupNumber":1,"displayPrice":"9.99",
           "recurringSubscriptionPeriod":"P1M","familyShareable":false,
           "introductoryOffer":{"internalID":"21930001","paymentMode":"free","subscriptionPeriod":"P1W",
            "numberOfPeriods":1},"adHocOffers":[],"codeOffers":[],"winbackOffers":[],
           "localizations":[{"locale":"en_US","displayName":"Pro","description":"Everything, by the month."}]},
          {"type":"RecurringSubscription","productID":"chaos.pro.yearly","referenceName":"Pro, yearly",
           "internalID":"21920002","subscriptionGroupID":"21900001","groupNumber":1,"displayPrice":"79.99",
           "recurringSubscriptionPeriod":"P1Y","familyShareable":false,
           "introductoryOffer":{"internalID":"21930002","paymentMode":"free","subscriptionPeriod":"P1W",
            "numberOfPeriods":1},"adHocOffers":[],"codeOffers":[],"winbackOffers":[],
           "localizations":[{"locale":"en_US","displayName":"Pro","description":"Everything, by the year."}]}]}],
         "version":{"major":4,"minor":0}}
        """#
}
