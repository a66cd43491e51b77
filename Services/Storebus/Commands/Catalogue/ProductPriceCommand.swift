import ArgumentParser
import StoreModels

/// `storebus product price`
struct ProductPriceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "price", abstract: "Show what a product costs in several storefronts.",
        discussion: """
            storebus product price com.example.pro.monthly --storefront USA,FRA,JPN
            storebus product price com.example.pro.monthly

            Without --storefront, all 175 of them. A catalogue that says nothing of a storefront has the same number \
            there, in its currency.
            """)

    @Argument(
        help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: Completion.products)
    var product: String

    @OptionGroup var storefronts: StorefrontOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        let wanted = try await Known.storefronts(storefronts.names, context)
        let answer = try await context.progress.during("asking for prices") { () throws(CLIError) in
            try await context.api.prices(
                product, bundleId: context.bundleId, storefronts: wanted.map(\.countryCode))
        }
        if !answer.prices.isEmpty, answer.prices.allSatisfy({ $0.reasons?.contains("unknown") == true }) {
            throw await Known.productError(product, bundleId: context.bundleId, context)
        }
        context.print(
            Answer(
                PriceTable.table(answer.prices), items: answer.prices.map { PriceTable.json($0, product) },
                names: answer.prices.map(\.storefront),
                next: "storebus product availability \(product)\(Known.option(context.bundleId))",
                ifEmpty: "no storefronts"))
    }
}

/// Which storefronts are asked about.
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
