import EventLoop
import StoreModels

/// A stand-in for Catalog: the products a test sells.
final class Catalogue: Sendable {
    static let bundleId = "com.example.app"

    private struct Contents {
        var version: Int64 = 1
        var quotes: [ExactText: Quote] = [:]
        var requests = 0
        var lastStorefront: String?
        var testerDefaults: TesterSettings?
        var billingGracePeriod: Bool?
    }

    private let contents = Locked(Contents())

    init() {
        sell(.product("coins", .consumable, "0.99"))
        sell(.product("beaches", .nonConsumable, "1.99"))
        sell(.product("gift", .consumable, "0.00"))
        sell(.product("season", .nonRenewable, "4.99"))
        sell(.hosted("guide", "2.99"))
        sell(.subscription("pro.monthly", intro: .discount(.freeTrial, "0.00", 1, .week, periods: 2)), level: 1)
        sell(.subscription("pro.yearly", unit: .year, intro: .discount(.payUpFront, "1.99", 2, .month)), level: 1)
        sell(.subscription("basic.monthly", intro: .discount(.payAsYouGo, "0.49", 1, .month, periods: 3)), level: 2)
        sell(.subscription("news.weekly", unit: .week, group: "news"), level: 1)
    }

    func sell(
        _ product: Product, level: Int? = nil, availability: Quote.Availability = .available,
        unfinishedLimit: Int? = nil, redeemable: [RedeemableOffer]? = nil
    ) {
        contents.withLock { contents in
            contents.version += 1
            contents.quotes[product.productIdentifier] = Quote(
                catalogVersion: contents.version, settingsRevision: 1, availability: availability, product: product,
                subscriptionLevel: level, unfinishedLimit: unfinishedLimit, redeemableOffers: redeemable)
        }
    }

    /// As an import without the product does.
    func remove(_ productIdentifier: String) {
        contents.withLock { contents in
            contents.version += 1
            contents.quotes[productIdentifier] = nil
        }
    }

    func quote(_ request: QuoteRequest) -> Quote {
        contents.withLock { contents in
            contents.requests += 1
            contents.lastStorefront = request.storefront
            var quote =
                contents.quotes[request.productIdentifier]
                ?? Quote(catalogVersion: 0, settingsRevision: 1, availability: .unknown)
            quote.catalogVersion = contents.version
            if let group = quote.product?.subscriptionGroupIdentifier {
                quote.subscriptionGroupProducts = contents.quotes.values.compactMap(\.product).filter {
                    $0.subscriptionGroupIdentifier.isExactly(group)
                }.map(\.productIdentifier)
            }
            quote.testerDefaults = contents.testerDefaults
            quote.billingGracePeriod = contents.billingGracePeriod
            // For a test URL's purchase a product is sold before it is available (M109).
            if request.isTest == true, quote.availability == .notForSale { quote.availability = .available }
            return quote
        }
    }

    /// As the `settings` of an imported file do.
    func set(testerDefaults: TesterSettings?) {
        contents.withLock { contents in
            contents.version += 1
            contents.testerDefaults = testerDefaults
        }
    }

    /// As the app's settings do.
    func set(billingGracePeriod: Bool) {
        contents.withLock { contents in
            contents.version += 1
            contents.billingGracePeriod = billingGracePeriod
        }
    }

    func app(_ request: AppRequest) throws -> App {
        guard request.bundleId == Self.bundleId else { throw StoreError(.notFound, "no such app") }
        return contents.withLock { contents in
            App(
                bundleId: request.bundleId, settings: AppSettings(name: "Example"), catalogVersion: contents.version,
                testerDefaults: contents.testerDefaults)
        }
    }

    var storefronts: StorefrontsReply {
        StorefrontsReply(
            storefronts: [("USA", "143441"), ("FRA", "143442"), ("DEU", "143443")].map {
                Storefront(countryCode: $0.0, identifier: $0.1)
            })
    }

    /// Where the last quote was asked for.
    var lastStorefront: String? { contents.withLock { $0.lastStorefront } }

    /// How often a quote was asked for.
    var requests: Int { contents.withLock { $0.requests } }
}

extension Product {
    /// The subscription `star.monthly` with a free week, and two months for 1.99 as the promotional offer `loyal`.
    static var star: Product {
        var product = subscription("star.monthly", group: "star", intro: .discount(.freeTrial, "0.00", 1, .week))
        var loyal = ProductDiscount.discount(.payAsYouGo, "1.99", 1, .month, periods: 2)
        (loyal.identifier, loyal.type) = ("loyal", .subscription)
        product.discounts = [loyal]
        return product
    }

    static func product(_ identifier: String, _ type: ProductType, _ price: String) -> Product {
        Product(
            productIdentifier: identifier, type: type, localizedTitle: identifier, localizedDescription: "",
            price: .usd(price), priceLocale: "en_US@currency=USD")
    }

    /// A non-consumable with hosted content.
    static func hosted(_ identifier: String, _ price: String) -> Product {
        var product = product(identifier, .nonConsumable, price)
        (product.isDownloadable, product.downloadContentLengths) = (true, [73_412])
        product.downloadContentVersion = "1.0"
        return product
    }

    static func subscription(
        _ identifier: String, _ price: String = "9.99", unit: SubscriptionPeriod.Unit = .month, group: String = "pro",
        intro: ProductDiscount? = nil
    ) -> Product {
        var product = product(identifier, .autoRenewable, price)
        product.subscriptionPeriod = SubscriptionPeriod(numberOfUnits: 1, unit: unit)
        product.subscriptionGroupIdentifier = group
        product.introductoryPrice = intro
        return product
    }
}

extension ProductDiscount {
    static func discount(
        _ mode: PaymentMode, _ price: String, _ count: Int, _ unit: SubscriptionPeriod.Unit, periods: Int = 1
    ) -> ProductDiscount {
        ProductDiscount(
            identifier: nil, type: .introductory, price: .usd(price), priceLocale: "en_US@currency=USD",
            paymentMode: mode,
            subscriptionPeriod: SubscriptionPeriod(numberOfUnits: count, unit: unit), numberOfPeriods: periods)
    }
}

extension Money {
    static func usd(_ amount: String) -> Money {
        guard let currency = Currency(code: "USD"), let money = Money(amount: amount, currency: currency) else {
            preconditionFailure("\(amount) is no amount")
        }
        return money
    }
}
