import ArgumentParser
import StoreModels

/// `storebus product availability`
struct ProductAvailabilityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "availability", abstract: "Say where a product can be bought, and why not elsewhere.",
        discussion: """
            storebus product availability com.example.pro.monthly --storefront USA,FRA,JPN
            storebus product availability com.example.pro.monthly

            Without --storefront, the United States.
            """)

    @Argument(
        help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: Completion.products)
    var product: String

    @OptionGroup var storefronts: StorefrontOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        let names = storefronts.names.isEmpty ? ["USA"] : storefronts.names
        var explanations: [ProductExplanation] = []
        for storefront in try await Known.storefronts(names, context) {
            explanations.append(
                try await context.api.explain(
                    product, bundleId: context.bundleId, storefront: storefront.countryCode))
        }
        if explanations.allSatisfy({ $0.reasons.contains(.unknown) }) {
            throw await Known.productError(product, bundleId: context.bundleId, context)
        }
        context.print(
            Answer(
                Self.table(explanations), items: explanations.map { JSONText.value($0) },
                names: explanations.filter(\.available).map(\.storefront),
                next: "storebus product show \(product)\(Known.option(context.bundleId))", ifEmpty: "no storefronts"))
    }

    private static func table(_ explanations: [ProductExplanation]) -> Table {
        var table = Table([
            .init("STOREFRONT"), .init("AVAILABLE", isState: true), .init("REASON"), .init("WHAT TO DO"),
        ])
        for explanation in explanations {
            table.add([
                explanation.storefront, explanation.available ? "yes" : "no",
                explanation.reasons.map(\.rawValue).joined(separator: ", "),
                explanation.details.joined(separator: " "),
            ])
        }
        return table
    }
}
