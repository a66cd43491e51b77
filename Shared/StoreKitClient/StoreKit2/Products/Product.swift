internal import StoreHTTP
internal import StoreModels

/// A product of the store, with the texts and prices of the customer's storefront.
///
/// ```swift
/// let products = try await Product.products(for: ["com.example.pro.monthly"])
/// if case .success(let result) = try await products[0].purchase() { await deliver(try result.payloadValue) }
/// ```
public struct Product: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    let model: StoreModels.Product
    let origin: ProductOrigin

    init(_ model: StoreModels.Product, _ origin: ProductOrigin) {
        self.model = model
        self.origin = origin
    }

    /// The product's identifier in the catalogue.
    public var id: String { model.productIdentifier }
    /// The kind of product.
    public var type: ProductType { ProductType(rawValue: model.type.serverName) }
    /// The title in the storefront's language.
    public var displayName: String { model.localizedTitle }
    /// The description in the storefront's language.
    public var description: String { model.localizedDescription }
    /// The price of one piece or period, in the storefront's currency.
    public var price: Decimal { model.price.decimal }
    /// The price as the storefront writes it.
    public var displayPrice: String { model.displayPrice ?? price.formatted(priceFormatStyle) }
    /// Whether family members can use the product.
    public var isFamilyShareable: Bool { model.isFamilyShareable }
    /// The subscription's terms. Nil unless the product is auto-renewable.
    public var subscription: SubscriptionInfo? { SubscriptionInfo(self) }
    /// Whether organisations can buy seats. This store sells none.
    public var supportsMultiSeatPurchase: Bool { false }

    /// The format of the storefront's prices.
    public var priceFormatStyle: Decimal.FormatStyle.Currency {
        Decimal.FormatStyle.Currency(code: model.price.currency.code, locale: locale)
    }
    /// The format of subscription periods.
    public var subscriptionPeriodFormatStyle: SubscriptionPeriod.FormatStyle { .init(locale) }
    /// The format of units of subscription periods.
    public var subscriptionPeriodUnitFormatStyle: SubscriptionPeriod.Unit.FormatStyle { .init(locale) }

    var locale: Locale { Locale(identifier: model.priceLocale) }

    /// The product as JSON, with `attributes.offers` as in the store of Apple.
    public var jsonRepresentation: Data {
        let offers: [JSONValue] = [
            .object([
                "currencyCode": .string(model.price.currency.code), "price": .string(model.price.amount),
                "priceFormatted": .string(displayPrice),
                "discounts": .array(offers.map(\.json)),
                "recurringSubscriptionPeriod": model.subscriptionPeriod.map { .string($0.iso8601) } ?? .null,
            ])
        ]
        let attributes: [String: JSONValue] = [
            "name": .string(displayName), "description": .object(["standard": .string(description)]),
            "isFamilyShareable": .bool(isFamilyShareable), "kind": .string(type.rawValue), "offerName": .string(id),
            "offers": .array(offers),
            "subscriptionFamilyId": model.subscriptionGroupIdentifier.map { .string($0) } ?? .null,
        ]
        let document: [String: JSONValue] = [
            "id": .string(id), "type": "in-apps", "attributes": .object(attributes.filter { $0.value != .null }),
        ]
        return Data((try? StoreJSON.encode(JSONValue.object(document))) ?? [])
    }

    /// The product as JSON.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

    public static func == (left: Product, right: Product) -> Bool { left.model == right.model }
    public func hash(into hasher: inout Hasher) { hasher.combine(model.productIdentifier) }

    /// The kinds of product, by the word of signed transactions.
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Bought any number of times, and used up.
        public static let consumable = ProductType(rawValue: StoreModels.ProductType.consumable.serverName)
        /// Bought once, for good.
        public static let nonConsumable = ProductType(rawValue: StoreModels.ProductType.nonConsumable.serverName)
        /// For a time that the app decides.
        public static let nonRenewable = ProductType(rawValue: StoreModels.ProductType.nonRenewable.serverName)
        /// For periods that the store renews.
        public static let autoRenewable = ProductType(rawValue: StoreModels.ProductType.autoRenewable.serverName)
        /// Subscriptions of several developers. This store has none.
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")
        /// Subscriptions of one developer. This store has none.
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")
        /// The kind's name in English.
        public var localizedDescription: String { rawValue }
    }
}

/// The source of a product: the queue that asked for it, and the purchase that began in the store.
struct ProductOrigin: Sendable {
    let queue: SKPaymentQueue
    /// The storefront when the product was read.
    let storefront: StoreModels.Storefront?
    /// The intent whose product it is. Its first purchase continues the intent.
    var intent: StorePurchaseIntent?
}

extension Product {
    /// Requests products. Unknown identifiers are left out, and no order is promised.
    /// - Throws: ``StoreKitError`` when the store cannot answer.
    public static func products<Identifiers: Collection>(
        for identifiers: Identifiers
    ) async throws -> [Product] where Identifiers.Element == String {
        try await products(Array(identifiers))
    }

    @concurrent private static func products(_ identifiers: [String]) async throws -> [Product] {
        let queue = SKPaymentQueue.current
        let unique = Set(identifiers).sorted()
        return try await StoreKitError.catching {
            var products: [Product] = []
            for start in stride(from: 0, to: unique.count, by: ClientLimits.productsMax) {
                let part = Array(unique[start..<min(start + ClientLimits.productsMax, unique.count)])
                let models = try await queue.core.products(part).products
                let origin = ProductOrigin(queue: queue, storefront: queue.core.sessions.current?.storefront)
                products += models.map { Product($0, origin) }
            }
            return products
        }
    }

    /// The newest transaction of the product, also a refunded or expired one. Nil without any.
    public var latestTransaction: VerificationResult<Transaction>? {
        get async { await Transaction.latest(for: id, origin.queue) }
    }
    /// The transaction that entitles the customer to the product. Nil without one.
    public var currentEntitlement: VerificationResult<Transaction>? {
        get async { await Transaction.currentEntitlement(for: id, origin.queue) }
    }
    /// The transactions that entitle the customer to the product.
    public var currentEntitlements: Transaction.Transactions {
        Transaction.Transactions(.list(.entitlements, product: id, origin.queue))
    }
}

extension Money {
    /// The amount as a decimal number.
    var decimal: Decimal { Decimal(sign: .plus, exponent: -currency.exponent, significand: Decimal(minorUnits)) }
}
