import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus storefront …`
struct StorefrontCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "storefront", "Look at the countries the store sells in.", "storebus storefront list", subcommands: [List.self])

    /// `storebus storefront list`
    struct List: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List the storefronts, with their currencies and languages.", "storebus storefront list -o names",
            aliases: ["ls"])

        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let storefronts = try await context.api.call(AppRoutes.storefronts).storefronts
            context.print(
                CommandResult(
                    storefronts, ["STOREFRONT", "IDENTIFIER", "NAME", "CURRENCY", "LOCALE", "LANGUAGES"],
                    named: \.countryCode, next: "storebus product list --storefront FRA",
                    ifEmpty: "no storefronts"
                ) { one in
                    [
                        one.countryCode, one.identifier, one.name, "\(one.currency)", one.locale,
                        one.languages.joined(separator: " "),
                    ]
                })
        }
    }
}
