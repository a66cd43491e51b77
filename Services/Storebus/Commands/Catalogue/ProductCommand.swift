import ArgumentParser
import StoreModels

/// `storebus product …`
struct ProductCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product", abstract: "Look at the catalogue, and upload hosted content.",
        discussion: """
            storebus product list --storefront FRA
            storebus product content put com.example.guide guide.zip
            storebus product price com.example.pro.monthly --storefront USA,FRA,JPN
            """,
        subcommands: [
            List.self, ProductShowCommand.self, ProductPriceCommand.self, ProductAvailabilityCommand.self,
            ProductContentCommand.self,
        ])

    /// `storebus product list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List an app's products.",
            discussion: "storebus product list --storefront FRA", aliases: ["ls"])

        @Option(
            help: ArgumentHelp("Whose prices and words: a country's three letters.", valueName: "country"),
            completion: Completion.storefronts)
        var storefront = "USA"

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let products = try await Known.suggestingStorefront(storefront, context) { () throws(CLIError) in
                try await context.api.catalogProducts(context.bundleId, storefront: storefront.uppercased())
            }
            // An app without products has an empty list too; one that is not there has none.
            if products.isEmpty { _ = try await Known.app(context) }
            let option = Known.option(context.bundleId)
            context.print(
                Answer(
                    ProductTable.table(products), items: products.map { JSONText.value($0) },
                    names: products.map(\.productIdentifier),
                    next: products.first.map { "storebus buy \($0.productIdentifier) --as alice\(option)" }
                        ?? "storebus import App.storekit\(option)",
                    ifEmpty: "no products yet"))
        }
    }
}
