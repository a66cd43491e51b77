import ArgumentParser
import StoreModels

/// `storebus promo featured`
struct PromoFeaturedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "featured", abstract: "The featured tab: see it, or say which products of an app are on it.",
        discussion: """
            storebus promo featured
            storebus promo featured com.example.pro.monthly com.example.hiddenBeaches
            storebus promo featured --none

            The tab is one for all apps. Products take the place of those their app had there; other apps' stay. A \
            device shows of it what stands on its page too: storebus page --featured.
            """)

    @Argument(
        help: ArgumentHelp("The app's featured products, the first one first.", valueName: "product"),
        completion: Completion.products)
    var products: [String] = []

    @Flag(help: "Feature none of the app's products.")
    var none = false

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if none, !products.isEmpty { throw ValidationError("--none names no products") }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        var featured = try await context.api.featured()
        if none || !products.isEmpty {
            let changed = Self.replacing(context.bundleId, in: featured, with: products)
            featured = try await Known.suggestingProduct(products, context) { () throws(CLIError) in
                try await context.api.putFeatured(changed)
            }
        }
        context.print(Self.answer(featured, context.bundleId))
    }

    /// The new ones stand where the first of the old ones stood, else at the end.
    static func replacing(
        _ bundleId: String, in featured: [ProductReference], with products: [String]
    ) -> [ProductReference] {
        let place = featured.firstIndex { $0.bundleId.isExactly(bundleId) } ?? featured.count
        let others = { (part: ArraySlice<ProductReference>) in part.filter { !$0.bundleId.isExactly(bundleId) } }
        return others(featured[..<place])
            + products.map { ProductReference(bundleId: bundleId, productIdentifier: $0) } + others(featured[place...])
    }

    private static func answer(_ featured: [ProductReference], _ bundleId: String) -> Answer {
        var table = Table([.init("PLACE", .right), .init("PRODUCT"), .init("APP")])
        for (index, product) in featured.enumerated() {
            table.add(["\(index + 1)", product.productIdentifier, product.bundleId])
        }
        let items = featured.enumerated().map { index, product -> JSONValue in
            var members = JSONText.value(product).objectValue ?? [:]
            members["place"] = .integer(index + 1)
            return .object(members)
        }
        let option = Known.option(bundleId)
        return Answer(
            table, items: items, names: featured.map(\.productIdentifier),
            next: featured.isEmpty
                ? "storebus promo featured PRODUCT…\(option)" : "storebus page --featured --as alice\(option)",
            ifEmpty: "nothing is featured")
    }
}
