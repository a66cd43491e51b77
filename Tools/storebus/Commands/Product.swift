import ArgumentParser
import StoreHTTP
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
            help: ArgumentHelp("The storefront of prices and texts: a country's three letters.", valueName: "country"),
            completion: Completion.storefronts)
        var storefront = "USA"

        @OptionGroup var options: AppCommandOptions

        func run() async throws {
            let context = try await options.context()
            let products = try await DidYouMean.forStorefront(storefront, context) { () throws(CLIError) in
                try await context.api.catalogProducts(context.bundleId, storefront: storefront.uppercased())
            }
            // An empty list may also mean that the app is unknown.
            if products.isEmpty { _ = try await context.app() }
            let option = AppOptions.flag(context.bundleId)
            context.print(
                ProductTable.table(products), items: products.map { JSONText.value($0) },
                names: products.map(\.productIdentifier),
                next: products.first.map { "storebus buy \($0.productIdentifier) --as alice\(option)" }
                    ?? "storebus import App.storekit\(option)",
                ifEmpty: "no products yet")
        }
    }
}

/// `storebus product show`
struct ProductShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one product as a storefront has it, and whether it can be bought there.",
        discussion: """
            storebus product show com.example.pro.monthly --storefront FRA

            Shows a subscription with all its offers: introductory, promotional, offer codes and win-back.
            """)

    @OptionGroup var named: ProductArgument

    @Option(
        help: ArgumentHelp("The storefront of price and texts: a country's three letters.", valueName: "country"),
        completion: Completion.storefronts)
    var storefront = "USA"

    @OptionGroup var options: AppCommandOptions

    func run() async throws {
        let context = try await options.context()
        let storefront = storefront.uppercased()
        let explanation = try await DidYouMean.forStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.call(
                AppRoutes.explain, [.bundleId: context.bundleId, .id: named.product], query: ["storefront": storefront])
        }
        let shown = try await context.api.catalogProducts(context.bundleId, storefront: storefront)
            .first { $0.productIdentifier.isExactly(named.product) }
        if shown == nil, explanation.reasons.contains(.unknown) {
            throw await DidYouMean.productError(
                named.product, bundleId: context.bundleId, storefront: storefront, context)
        }
        // The customer's view lacks codes and win-back offers; only subscriptions have any.
        let offers =
            shown?.type == .autoRenewable
            ? try await context.api.call(
                AppRoutes.offers, [.bundleId: context.bundleId, .id: named.product], query: ["storefront": storefront])
            : nil
        context.print(
            ProductInfo(product: shown, explanation: explanation, bundleId: context.bundleId, offers: offers).result)
    }
}

/// Products as `storebus product list` shows them.
enum ProductTable {
    static func table(_ products: [Product]) -> Table {
        Table(["PRODUCT", "TYPE", .right("PRICE"), "OFFER", "GROUP", "TITLE"], products) { product in
            [
                product.productIdentifier, product.type.rawValue, Format.price(of: product),
                product.introductoryPrice.map(Format.offer) ?? "-", product.subscriptionGroupIdentifier ?? "-",
                product.localizedTitle,
            ]
        }
    }
}

/// One product in one storefront as `storebus product show` and `why` show it.
struct ProductInfo: Sendable {
    /// Nil when the catalogue has no such product.
    let product: Product?
    let explanation: ProductExplanation
    let bundleId: String
    /// The account's eligibility for the introductory offer, when an account was named.
    var eligibility: ProductEligibility?
    /// The account in the suggested purchase. Alice by default.
    var account: String?
    /// All offers of a subscription, when they were requested.
    var offers: ProductOffers?

    var result: CommandResult {
        let members = (product.map { JSONText.value($0) } ?? [:]).with([
            "productIdentifier": .string(explanation.productIdentifier), "bundleId": .string(bundleId),
            "explanation": JSONText.value(explanation), "offers": offers.map { JSONText.value($0) },
            "offerWords": offers.map { JSONText.value(OfferFormat.lines($0).map(\.text)) },
            "eligibility": eligibility.map {
                JSONText.value($0).with(["because": .string(EligibilityFormat.because($0))])
            },
        ])
        return CommandResult(fields, data: members, names: [explanation.productIdentifier], next: next)
    }

    private var fields: FieldList {
        var fields = FieldList()
        fields.add("product", explanation.productIdentifier)
        fields.add("app", bundleId)
        if let product { Self.describe(product, &fields) }
        for line in offers.map(OfferFormat.lines) ?? [] { fields.add(line.name, line.text) }
        fields.add("storefront", explanation.storefront)
        fields.add("available", explanation.available ? "yes" : "no", isState: true)
        for (reason, detail) in zip(explanation.reasons, explanation.details) {
            fields.add("reason", "\(reason.rawValue): \(detail)")
        }
        if let promotion = explanation.promotion {
            fields.add("promoted", promotion.reasons.isEmpty ? "yes" : "no", isState: true)
            for (reason, detail) in zip(promotion.reasons, promotion.details) {
                fields.add("reason", "\(reason.rawValue): \(detail)")
            }
        }
        guard let eligibility else { return fields }
        fields.add("eligibility", eligibility.eligibility.rawValue, isState: true)
        fields.add("because", EligibilityFormat.because(eligibility))
        fields.add("rule", eligibility.rule.rawValue)
        fields.add("decided by", eligibility.transactionIdentifier)
        return fields
    }

    private static func describe(_ product: Product, _ fields: inout FieldList) {
        fields.add("title", product.localizedTitle)
        fields.add("description", product.localizedDescription.isEmpty ? nil : product.localizedDescription)
        fields.add("type", product.type.rawValue)
        fields.add("price", Format.price(of: product))
        fields.add("locale", product.priceLocale)
        fields.add("offer", product.introductoryPrice.map(Format.offer))
        fields.add("content", content(product))
        fields.add("group", product.subscriptionGroupIdentifier)
    }

    /// `version 1.0, 73412 bytes`
    private static func content(_ product: Product) -> String? {
        guard product.isDownloadable else { return nil }
        let lengths = product.downloadContentLengths.map { "\($0) bytes" }
        return (["version \(product.downloadContentVersion)"] + lengths).joined(separator: ", ")
    }

    private var next: Advice {
        let product = explanation.productIdentifier
        return explanation.available
            ? "storebus buy \(product) --as \(account ?? "alice")\(AppOptions.flag(bundleId))"
            : "storebus product availability \(product)\(AppOptions.flag(bundleId))"
    }
}

/// The offers of a subscription besides the introductory one, one a line:
///
/// ```
/// promotional  loyal: 1.99 USD a month for 3 months
/// code         SPRING: 1 month free, for new and expired customers
/// win-back     back: 1 month free, 2 to 24 months after 6 paid ones
/// ```
enum OfferFormat {
    static func lines(_ offers: ProductOffers) -> [(name: String, text: String)] {
        offers.discounts.map { ("promotional", words($0)) }
            + offers.redeemableOffers.map { ($0.type == .code ? "code" : "win-back", words($0)) }
    }

    private static func words(_ discount: ProductDiscount) -> String {
        "\(discount.identifier ?? "-"): \(Format.offer(discount))"
    }

    private static func words(_ offer: RedeemableOffer) -> String {
        ([words(offer.offer)] + conditions(offer)).joined(separator: ", ")
    }

    private static func conditions(_ offer: RedeemableOffer) -> [String] {
        if offer.type == .code {
            let audiences = offer.audiences?.map(\.rawValue).joined(separator: " and ") ?? "all"
            return ["for \(audiences) customers"]
                + (offer.isStackable == true ? ["with the introductory offer besides"] : [])
        }
        guard let winBack = offer.winBack else { return [] }
        if winBack.isOffered == false { return ["for no customer: isEligible is false"] }
        var words: [String] = []
        if winBack.paidMonthsMin > 0 { words.append("after \(Format.count(winBack.paidMonthsMin, "paid month"))") }
        if let most = winBack.monthsSinceExpiryMax {
            words.append("\(winBack.monthsSinceExpiryMin) to \(Format.count(most, "month")) after the end")
        } else if winBack.monthsSinceExpiryMin > 0 {
            words.append("\(Format.count(winBack.monthsSinceExpiryMin, "month")) after the end")
        }
        words.append(winBack.monthsBetweenOffers.map { "again after \(Format.count($0, "month"))" } ?? "once")
        return words
    }
}
