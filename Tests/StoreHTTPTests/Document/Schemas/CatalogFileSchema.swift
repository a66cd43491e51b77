import StoreHTTP
import StoreModels

extension Schema {
    /// A `.storekit` file. Catalog reads it by hand, because it keeps unknown members and names every problem with its path.
    static let catalogFile: Schema = [
        "type": "object",
        "properties": [
            "version": .any(
                [
                    "type": "object",
                    "properties": [
                        "major": Schema.integer(1...999).merging([
                            "description":
                                "1 to 6 are known; a newer file is read as far as 6 goes, with a note."
                        ]),
                        "minor": optional(.integer(0...999)),
                    ], "required": ["major"],
                ], ["type": "null"]),
            "products": products, "nonRenewingSubscriptions": products,
            "subscriptionGroups": optional(.list(of: group, max: 10_000)),
            "settings": optional(["type": "object"]).merging([
                "description":
                    "Defaults of the app's testers; the report lists the settings that were applied and ignored."
            ]),
        ],
        "anyOf": [
            ["required": ["products"]], ["required": ["nonRenewingSubscriptions"]],
            ["required": ["subscriptionGroups"]],
        ],
        "description":
            """
        A .storekit file as Xcode writes it, and the members that are Storebus's own (docs/catalogue.md). \
        Unknown members are kept. Each identifier occurs once; every problem is reported with its path.
        """,
        "examples": [
            [
                "version": ["major": 4, "minor": 0],
                "products": [
                    [
                        "type": "Consumable", "productID": "com.example.coins", "referenceName": "Coins",
                        "displayPrice": "0.99", "prices": ["FRA": "1.19", "JPN": "160"],
                        "availability": ["CHN": false],
                        "localizations": [
                            ["locale": "en_US", "displayName": "Coins", "description": "A handful of coins."]
                        ],
                    ]
                ],
                "subscriptionGroups": [
                    [
                        "id": "1", "name": "Pro",
                        "subscriptions": [
                            [
                                "type": "RecurringSubscription", "productID": "com.example.monthly",
                                "displayPrice": "4.99", "groupNumber": 1, "recurringSubscriptionPeriod": "P1M",
                                "introductoryOffer": [
                                    "paymentMode": "free", "subscriptionPeriod": "P1W", "numberOfPeriods": 1,
                                ],
                            ]
                        ],
                    ]
                ],
            ]
        ],
    ]

    private static let products = optional(.list(of: product, max: 10_000))

    private static let group: Schema = .component(
        "CatalogGroup",
        [
            "type": "object",
            "properties": [
                "id": ["type": "string", "minLength": 1, "maxLength": 100],
                "subscriptions": optional(.list(of: subscription)),
            ], "required": ["id"],
        ])

    private static let product: Schema = .component(
        "CatalogProduct",
        item(
            type: ["enum": ["Consumable", "NonConsumable", "NonRenewingSubscription"]],
            lengths: ["description": "Bytes of the product's one package."], lengthMax: 268_435_456, count: 1,
            required: [], [:]))

    private static let subscription: Schema = .component(
        "CatalogSubscription",
        item(
            type: ["const": "RecurringSubscription"], lengths: ["description": "Bytes of each package."],
            lengthMax: 2_147_483_647, count: 100, required: ["recurringSubscriptionPeriod"],
            [
                "subscriptionGroupID": optional(["type": "string"]),
                "groupNumber": optional(.integer(1...10_000)).merging([
                    "description": "The level in the group, 1 the highest."
                ]),
                "recurringSubscriptionPeriod": period.merging(["description": "P1W, P1M, P2M, P3M, P6M or P1Y."]),
                "introductoryOffer": .any(offer, ["type": "null"]),
                "introductoryOffers": optional(.list(of: offer)).merging([
                    "description": "Of version 5 and later."
                ]),
                "adHocOffers": optional(.list(of: offer, max: 100)).merging(["description": "Promotional offers."]),
            ]))

    private static func item(
        type: Schema, lengths: Schema, lengthMax: Int, count: Int, required: Schema, _ more: Schema
    ) -> Schema {
        let properties: Schema = [
            "type": type, "productID": ["type": "string", "minLength": 1, "maxLength": 100],
            "referenceName": longText, "displayPrice": price(places: 2),
            "familyShareable": optional(["type": "boolean"]),
            "localizations": optional(
                .list(of: [
                    "type": "object",
                    "properties": [
                        "locale": ["type": "string", "maxLength": 64, "description": "en_US"],
                        "displayName": longText, "description": longText,
                    ], "required": ["locale"],
                ])),
            "prices": prices,
            "availability": Schema.any(
                Schema.list(of: storefrontCode).merging(["uniqueItems": true]),
                [
                    "type": "object", "propertyNames": storefrontCode,
                    "additionalProperties": ["type": "boolean"],
                ], ["type": "null"]
            ).merging(["description": "The only storefronts, or exceptions: {\"CHN\": false}."]),
            "state": [
                "enum": [
                    "missingMetadata", "readyToSubmit", "waitingForReview", "inReview", "developerActionNeeded",
                    "pendingBinaryApproval", "approved", "removedFromSale", "developerRemovedFromSale", "rejected", nil,
                ], "default": "approved",
            ],
            "clearedForSale": optional(["type": "boolean"]).merging(["description": "true unless set."]),
            "availableFrom": optional(["type": "string", "format": "date-time"]),
            "hostedContent": .any(
                [
                    "type": "object",
                    "properties": [
                        "version": ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)*$", "maxLength": 32],
                        "lengths": Schema.list(of: .integer(1...lengthMax), max: count, min: 1).merging(lengths),
                    ], "required": ["version", "lengths"], "additionalProperties": false,
                ], ["type": "null"]),
        ]
        guard case .list(let names) = required else { return properties }
        return [
            "type": "object", "properties": properties.merging(more),
            "required": .list(["type", "productID", "displayPrice"] + names),
        ]
    }

    private static let offer: Schema = .component(
        "CatalogOffer",
        [
            "type": "object",
            "properties": [
                "paymentMode": ["enum": ["free", "payAsYouGo", "payUpFront"]],
                "displayPrice": .any(price(places: 2), ["type": "null"]), "prices": prices,
                "subscriptionPeriod": period, "numberOfPeriods": optional(.integer(1...999)),
                "offerID": ["type": "string", "maxLength": 100, "description": "Of a promotional offer."],
            ], "required": ["paymentMode", "subscriptionPeriod"],
        ])

    private static let prices: Schema = .component(
        "StorefrontPrices",
        [
            "type": ["object", "null"], "propertyNames": storefrontCode,
            "additionalProperties": .any(
                price(places: 2),
                [
                    "type": "object", "properties": ["amount": price(places: 2), "currency": ["type": "string"]],
                    "required": ["amount", "currency"], "additionalProperties": false,
                ]),
            "description": "Prices of single storefronts, in their own currency: {\"FRA\": \"2.29\"}.",
        ])

    private static let period = text(matching: "^P[1-9][0-9]{0,2}[DWMY]$")
    private static let longText = optional(["type": "string", "maxLength": 4000])

    private static func price(places: Int) -> Schema {
        text(matching: "^[0-9]{1,9}(\\.[0-9]{1,\(places)})?$")
    }

    /// The same, or null, of a schema with one type.
    private static func optional(_ schema: Schema) -> Schema {
        guard case .members(let members) = schema, let type = members.first(where: { $0.0 == "type" })?.1 else {
            return .any(schema, ["type": "null"])
        }
        return schema.merging(["type": .list([type, "null"])])
    }
}
