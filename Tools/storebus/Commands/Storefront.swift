import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus storefront …`
struct StorefrontCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storefront", abstract: "Look at the countries the store sells in.",
        discussion: "storebus storefront list", subcommands: [List.self])

    /// `storebus storefront list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the storefronts, with their currencies and languages.",
            discussion: "storebus storefront list -o names", aliases: ["ls"])

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            let storefronts = try await context.api.call(AppRoutes.storefronts).storefronts
            let columns: [Table.Column] = ["STOREFRONT", "IDENTIFIER", "NAME", "CURRENCY", "LOCALE", "LANGUAGES"]
            let table = Table(columns, storefronts) { storefront in
                [
                    storefront.countryCode, storefront.identifier, storefront.name, "\(storefront.currency)",
                    storefront.locale, storefront.languages.joined(separator: " "),
                ]
            }
            context.print(
                table, items: storefronts.map { JSONText.value($0) }, names: storefronts.map(\.countryCode),
                next: "storebus product price PRODUCT --storefront USA,FRA", ifEmpty: "no storefronts")
        }
    }
}
