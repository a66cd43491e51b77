import ArgumentParser
import StoreModels

/// `storebus product …`
struct ProductCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product", abstract: "Look at the catalogue.", subcommands: [List.self])

    /// `storebus product list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List an app's products.",
            discussion: "storebus product list --storefront FRA", aliases: ["ls"])

        @Option(help: ArgumentHelp("The app.", valueName: "id"))
        var bundleId = CommandContext.defaultBundleId

        @Option(help: ArgumentHelp("Whose prices and words: a country's three letters.", valueName: "country"))
        var storefront = "USA"

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            let products = try await context.api.catalogProducts(bundleId, storefront: storefront)
            context.print(ProductTable.text(products), json: JSONText.value(products))
        }
    }
}
