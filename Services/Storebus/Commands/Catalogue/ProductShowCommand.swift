import ArgumentParser
import StoreModels

/// `storebus product show`
struct ProductShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one product as a storefront has it, and whether it can be bought there.",
        discussion: "storebus product show com.example.pro.monthly --storefront FRA")

    @Argument(
        help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: Completion.products)
    var product: String

    @Option(
        help: ArgumentHelp("Whose price and words: a country's three letters.", valueName: "country"),
        completion: Completion.storefronts)
    var storefront = "USA"

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global, bundleId: app.bundleId)
        let storefront = storefront.uppercased()
        let explanation = try await Known.suggestingStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.explain(product, bundleId: context.bundleId, storefront: storefront)
        }
        let shown = try await context.api.catalogProducts(context.bundleId, storefront: storefront)
            .first { $0.productIdentifier.isExactly(product) }
        if shown == nil, explanation.reasons.contains(.unknown) {
            throw await Known.productError(product, bundleId: context.bundleId, storefront: storefront, context)
        }
        context.print(ProductFacts(product: shown, explanation: explanation, bundleId: context.bundleId).answer)
    }
}
