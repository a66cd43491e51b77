import StoreModels

/// Small `.storekit` files for tests, as JSON values that a test changes where it wants.
enum FileBuilder {
    static func file(
        products: [JSONValue] = [], subscriptions: [JSONValue] = [], settings: JSONValue = .object([:])
    ) -> JSONValue {
        [
            "identifier": "A", "version": ["major": 4, "minor": 0], "settings": settings, "products": .array(products),
            "subscriptionGroups": subscriptions.isEmpty
                ? [] : [["id": "G", "name": "Pro", "subscriptions": .array(subscriptions)]],
        ]
    }

    static func product(
        _ identifier: String, price: String = "1.99", type: String = "Consumable", _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        .object(
            [
                "type": .string(type), "productID": .string(identifier), "referenceName": .string("ref \(identifier)"),
                "displayPrice": .string(price),
            ].merging(more) { $1 })
    }

    static func subscription(
        _ identifier: String, period: String = "P1M", price: String = "9.99", _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        .object(
            [
                "type": "RecurringSubscription", "productID": .string(identifier), "groupNumber": 1,
                "displayPrice": .string(price), "recurringSubscriptionPeriod": .string(period),
            ].merging(more) { $1 })
    }

    static func offer(
        _ mode: String, _ period: String, count: Int? = nil, price: String? = nil, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        var members: [String: JSONValue] = ["paymentMode": .string(mode), "subscriptionPeriod": .string(period)]
        members["numberOfPeriods"] = count.map { .integer($0) }
        members["displayPrice"] = price.map { .string($0) }
        return .object(members.merging(more) { $1 })
    }

    static func localization(_ locale: String, _ title: String, _ description: String = "") -> JSONValue {
        ["locale": .string(locale), "displayName": .string(title), "description": .string(description)]
    }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}
