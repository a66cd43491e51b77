import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus product price`
struct ProductPriceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "price", abstract: "Show a product's price in several storefronts.",
        discussion: """
            storebus product price com.example.pro.monthly --storefront USA,FRA,JPN
            storebus product price com.example.pro.monthly

            Without --storefront, shows all 175 storefronts. A storefront that the catalogue does not mention has the \
            same number in its own currency.
            """)

    @OptionGroup var named: ProductArgument

    @OptionGroup var storefronts: StorefrontOptions
    @OptionGroup var options: AppCommandOptions

    func run() async throws {
        let context = try await options.context()
        let wanted = try await DidYouMean.storefronts(storefronts.names, context)
        let response = try await context.progress.during("asking for prices") { () throws(CLIError) in
            try await context.api.call(
                AppRoutes.prices, [.bundleId: context.bundleId, .id: named.product],
                query: ["storefronts": wanted.isEmpty ? nil : wanted.map(\.countryCode).joined(separator: ",")],
                timeout: .seconds(30))
        }
        if !response.prices.isEmpty, response.prices.allSatisfy({ $0.reasons?.contains("unknown") == true }) {
            throw await DidYouMean.productError(named.product, bundleId: context.bundleId, context)
        }
        context.print(
            PriceTable.table(response.prices), items: response.prices.map { PriceTable.json($0, named.product) },
            names: response.prices.map(\.storefront),
            next: "storebus product availability \(named.product)\(AppOptions.flag(context.bundleId))",
            ifEmpty: "no storefronts")
    }
}

/// Options that select storefronts.
struct StorefrontOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Countries, three letters each, separated by commas. Repeatable.", valueName: "countries"),
        completion: Completion.storefronts)
    var storefront: [String] = []

    var names: [String] {
        storefront.flatMap { $0.split(separator: ",") }.map { $0.trimmingSpaces }.filter { !$0.isEmpty }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// `storebus product availability`
struct ProductAvailabilityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "availability", abstract: "Say where a product can be bought, and why not elsewhere.",
        discussion: """
            storebus product availability com.example.pro.monthly --storefront USA,FRA,JPN
            storebus product availability com.example.pro.monthly

            Without --storefront, checks the United States.
            """)

    @OptionGroup var named: ProductArgument

    @OptionGroup var storefronts: StorefrontOptions
    @OptionGroup var options: AppCommandOptions

    func run() async throws {
        let context = try await options.context()
        let names = storefronts.names.isEmpty ? ["USA"] : storefronts.names
        var explanations: [ProductExplanation] = []
        for storefront in try await DidYouMean.storefronts(names, context) {
            explanations.append(
                try await context.api.call(
                    AppRoutes.explain, [.bundleId: context.bundleId, .id: named.product],
                    query: ["storefront": storefront.countryCode]))
        }
        if explanations.allSatisfy({ $0.reasons.contains(.unknown) }) {
            throw await DidYouMean.productError(named.product, bundleId: context.bundleId, context)
        }
        context.print(
            CommandResult(
                Self.table(explanations), items: explanations.map { JSONText.value($0) },
                names: explanations.filter(\.available).map(\.storefront),
                next: "storebus product show \(named.product)\(AppOptions.flag(context.bundleId))",
                ifEmpty: "no storefronts")
        )
    }

    private static func table(_ explanations: [ProductExplanation]) -> Table {
        Table(["STOREFRONT", .state("AVAILABLE"), "REASON", "WHAT TO DO"], explanations) { explanation in
            [
                explanation.storefront, explanation.available ? "yes" : "no",
                explanation.reasons.map(\.rawValue).joined(separator: ", "),
                explanation.details.joined(separator: " "),
            ]
        }
    }
}

/// A product's prices as `storebus product price` shows them.
enum PriceTable {
    static func table(_ prices: [ProductPrices.Price]) -> Table {
        Table(["STOREFRONT", .right("PRICE"), "OFFER", "LOCALE", .state("AVAILABLE"), "REASON"], prices) { price in
            [
                price.storefront, text(price), price.introductoryPrice.map(Format.offer) ?? "-",
                price.priceLocale ?? "-", price.available ? "yes" : "no",
                price.reasons?.joined(separator: ", ") ?? "",
            ]
        }
    }

    static func json(_ price: ProductPrices.Price, _ product: String) -> JSONValue {
        JSONText.value(price).with(["productIdentifier": .string(product)])
    }

    private static func text(_ price: ProductPrices.Price) -> String {
        guard let money = price.price else { return "-" }
        return price.subscriptionPeriod.map { "\(Format.price(money)) \(Format.every($0))" } ?? Format.price(money)
    }
}
