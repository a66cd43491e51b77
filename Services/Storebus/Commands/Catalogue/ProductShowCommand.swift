import ArgumentParser
import StoreModels

/// `storebus product show`
struct ProductShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one product as a storefront has it, and whether it can be bought there.",
        discussion: """
            storebus product show com.example.pro.monthly --storefront FRA

            Of a subscription with all its offers: the introductory one, promotional ones, offer codes and win-back offers.
            """)

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
        let context = try await CommandContext.find(global, app: app)
        let storefront = storefront.uppercased()
        let explanation = try await Known.suggestingStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.explain(product, bundleId: context.bundleId, storefront: storefront)
        }
        let shown = try await context.api.catalogProducts(context.bundleId, storefront: storefront)
            .first { $0.productIdentifier.isExactly(product) }
        if shown == nil, explanation.reasons.contains(.unknown) {
            throw await Known.productError(product, bundleId: context.bundleId, storefront: storefront, context)
        }
        // Customers' lists have neither codes nor win-back offers; a product that is no subscription has none at all.
        let offers =
            shown?.type == .autoRenewable
            ? try await context.api.offers(product, bundleId: context.bundleId, storefront: storefront) : nil
        context.print(
            ProductFacts(product: shown, explanation: explanation, bundleId: context.bundleId, offers: offers).answer)
    }
}
