import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus product …`
struct ProductCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "product", "Look at the catalogue, and upload hosted content.",
        """
        storebus product list --storefront FRA
        storebus product content put com.example.guide guide.zip
        storebus product price com.example.pro.monthly --storefront USA,FRA,JPN
        """,
        subcommands: [
            List.self, ProductShowCommand.self, ProductPriceCommand.self, ProductAvailabilityCommand.self,
            ProductContentCommand.self,
        ])

    /// `storebus product list`
    struct List: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List an app's products.", "storebus product list --storefront FRA", aliases: ["ls"])

        @OptionGroup var shown: ShownStorefront
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let storefront = shown.code
            let products = try await DidYouMean.forStorefront(storefront, context) { () throws(CLIError) in
                try await context.api.catalogProducts(context.bundleId, storefront: storefront)
            }
            // An empty list may also mean that the app is unknown.
            if products.isEmpty { _ = try await context.app() }
            let option = AppOptions.flag(context.bundleId)
            let facts =
                products.contains { $0.type == .autoRenewable }
                ? try await context.api.subscriptionFacts(context.bundleId) : [:]
            context.print(
                CommandResult(
                    ProductTable.table(products, facts), items: products.map { ProductTable.json($0, facts) },
                    names: products.map(\.productIdentifier),
                    next: products.first.map { "storebus buy \($0.productIdentifier) --as alice\(option)" }
                        ?? "storebus import App.storekit\(option)",
                    ifEmpty: "no products yet"))
        }
    }
}

/// `storebus product show`
struct ProductShowCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "show", "Show one product as a storefront has it, and whether it can be bought there.",
        """
        storebus product show com.example.pro.monthly --storefront FRA

        Shows a subscription with all its offers: introductory, promotional, offer codes and win-back.
        """)

    @OptionGroup var named: ProductArgument
    @OptionGroup var shown: ShownStorefront
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let storefront = shown.code
        let explanation = try await DidYouMean.forStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.call(
                AppRoutes.explain, [.bundleId: context.bundleId, .id: named.product], query: ["storefront": storefront])
        }
        let product = try await context.api.catalogProducts(context.bundleId, storefront: explanation.storefront)
            .first { $0.productIdentifier.isExactly(named.product) }
        if product == nil, explanation.reasons.contains(.unknown) {
            throw await DidYouMean.productError(
                named.product, bundleId: context.bundleId, storefront: storefront, context)
        }
        // The customer's view lacks codes and win-back offers; only subscriptions have any.
        let isSubscription = product?.type == .autoRenewable
        let offers =
            isSubscription
            ? try await context.api.call(
                AppRoutes.offers, [.bundleId: context.bundleId, .id: named.product], query: ["storefront": storefront])
            : nil
        let facts =
            isSubscription ? try await context.api.subscriptionFacts(context.bundleId)[named.product] : nil
        context.print(
            ProductInfo(
                product: product, explanation: explanation, bundleId: context.bundleId, offers: offers, facts: facts
            ).result)
    }
}

/// The storefront whose prices and texts are shown.
struct ShownStorefront: ParsableArguments {
    @Option(
        "The storefront of prices and texts: a country's three letters. The app's unless given.", "country",
        Completion.storefronts)
    var storefront: String?

    var code: String? { storefront?.uppercased() }
}

/// Products as `storebus product list` shows them.
enum ProductTable {
    /// - Parameter facts: Those of subscriptions, by product.
    static func table(_ products: [Product], _ facts: [ExactText: SubscriptionFacts]) -> Table {
        Table(["PRODUCT", "TYPE", .right("PRICE"), "OFFERS", "GROUP", .right("LEVEL"), "TITLE"], products) { product in
            let fact = facts[product.productIdentifier]
            let offers = product.introductoryPrice.map { [Format.offer($0)] } ?? []
            let named = offers + (fact?.offers.map(\.text) ?? [])
            return [
                product.productIdentifier, product.type.rawValue, Format.price(of: product),
                named.isEmpty ? "-" : named.joined(separator: ", "),
                fact?.group ?? product.subscriptionGroupIdentifier ?? "-", fact.map { "\($0.level)" } ?? "-",
                product.localizedTitle,
            ]
        }
    }

    /// The product's members with its group's name, its level and its offers.
    static func json(_ product: Product, _ facts: [ExactText: SubscriptionFacts]) -> JSONValue {
        let fact = facts[product.productIdentifier]
        return JSONText.value(product).with(fact?.json ?? [:])
            .with(["offers": fact.map { JSONText.value($0.offers.map(\.text)) }])
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
    /// The subscription's group and level, when they were requested.
    var facts: SubscriptionFacts?
    /// The account's purchase, when an account was named.
    var forecast: PurchaseForecast?

    var result: CommandResult {
        let members = (product.map { JSONText.value($0) } ?? [:]).with([
            "productIdentifier": .string(explanation.productIdentifier), "bundleId": .string(bundleId),
            "explanation": JSONText.value(explanation), "offers": offers.map { JSONText.value($0) },
            "offerWords": offers.map { JSONText.value(OfferFormat.lines($0).map(\.text)) },
            "eligibility": eligibility.map {
                JSONText.value($0).with(["because": .string(EligibilityFormat.because($0))])
            }, "forecast": forecast.map(\.json),
        ]).with(facts?.json ?? [:])
        return CommandResult(fields, data: members, names: [explanation.productIdentifier], next: next)
    }

    private var fields: FieldList {
        var fields: FieldList = ["product": explanation.productIdentifier, "app": bundleId]
        if let product { fields += description(of: product) }
        for line in offers.map(OfferFormat.lines) ?? [] { fields.add(line.name, line.text) }
        fields += ["storefront": explanation.storefront, "available": explanation.available ? "yes" : "no"]
        for (reason, detail) in zip(explanation.reasons, explanation.details) {
            fields.add("reason", "\(reason.rawValue): \(detail)")
        }
        if let promotion = explanation.promotion {
            fields.add("promoted", promotion.reasons.isEmpty ? "yes" : "no")
            for (reason, detail) in zip(promotion.reasons, promotion.details) {
                fields.add("reason", "\(reason.rawValue): \(detail)")
            }
        }
        if let eligibility {
            fields += [
                "eligibility": eligibility.eligibility.rawValue, "because": EligibilityFormat.because(eligibility),
                "rule": eligibility.rule.rawValue, "decided by": eligibility.transactionIdentifier,
            ]
        }
        if let forecast { fields += forecast.fields }
        return fields
    }

    private func description(of product: Product) -> FieldList {
        [
            "title": product.localizedTitle,
            "description": product.localizedDescription.isEmpty ? nil : product.localizedDescription,
            "type": product.type.rawValue, "price": Format.price(of: product), "locale": product.priceLocale,
            "family": product.isFamilyShareable == true ? "shared with its members" : nil,
            "plan": product.monthlyTerms.map(Format.plan), "offer": product.introductoryPrice.map(Format.offer),
            "content": Self.content(product),
            "group": group(product),
        ]
    }

    private func group(_ product: Product) -> String? {
        guard let group = product.subscriptionGroupIdentifier else { return nil }
        return facts?.text(of: group) ?? group
    }

    /// `version 1.0, 73412 bytes`
    private static func content(_ product: Product) -> String? {
        guard product.isDownloadable else { return nil }
        let lengths = product.downloadContentLengths.map { "\($0) bytes" }
        return (["version \(product.downloadContentVersion)"] + lengths).joined(separator: ", ")
    }

    private var next: Advice {
        let product = explanation.productIdentifier
        // A present subscriber cannot buy it again.
        if let decider = eligibility?.transactionIdentifier { return "storebus sub timeline \(decider)" }
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

/// `storebus product price`
struct ProductPriceCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "price", "Show a product's price in several storefronts.",
        """
        storebus product price com.example.pro.monthly --storefront USA,FRA,JPN
        storebus product price com.example.pro.monthly

        Without --storefront, shows all 175 storefronts. A storefront that the catalogue does not mention has the \
        same number in its own currency.
        """)

    @OptionGroup var named: ProductArgument
    @OptionGroup var storefronts: StorefrontOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let wanted = try await DidYouMean.storefronts(storefronts.names, context)
        let response = try await context.progress.during("asking for prices") { () throws(CLIError) in
            try await context.api.call(
                AppRoutes.prices, [.bundleId: context.bundleId, .id: named.product],
                query: ["storefronts": wanted.isEmpty ? nil : wanted.map(\.countryCode).joined(separator: ",")],
                timeout: .seconds(30))
        }
        if !response.prices.isEmpty, response.prices.allSatisfy({ $0.reasons?.contains("unknown") == true }) {
            throw await DidYouMean.productError(named.product, bundleId: context.bundleId, context)
        }
        context.print(result(response.prices, context.bundleId))
    }

    private func result(_ prices: [ProductPrices.Price], _ bundleId: String) -> CommandResult {
        CommandResult(
            prices, ["STOREFRONT", .right("PRICE"), "OFFER", "LOCALE", .state("AVAILABLE"), "REASON"],
            named: \.storefront, json: { JSONText.value($0).with(["productIdentifier": .string(named.product)]) },
            next: "storebus product availability \(named.product)\(AppOptions.flag(bundleId))",
            ifEmpty: "no storefronts"
        ) { price in
            [
                price.storefront, Self.text(price), price.introductoryPrice.map(Format.offer) ?? "-",
                price.priceLocale ?? "-", price.available ? "yes" : "no",
                price.reasons?.joined(separator: ", ") ?? "",
            ]
        }
    }

    private static func text(_ price: ProductPrices.Price) -> String {
        guard let money = price.price else { return "-" }
        return price.subscriptionPeriod.map { "\(Format.price(money)) \(Format.every($0))" } ?? Format.price(money)
    }
}

/// Options that select storefronts.
struct StorefrontOptions: ParsableArguments {
    @Option("Countries, three letters each, separated by commas. Repeatable.", "countries", Completion.storefronts)
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

/// `storebus product availability`
struct ProductAvailabilityCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "availability", "Say where a product can be bought, and why not elsewhere.",
        """
        storebus product availability com.example.pro.monthly --storefront USA,FRA,JPN
        storebus product availability com.example.pro.monthly

        Without --storefront, checks the app's.
        """)

    @OptionGroup var named: ProductArgument
    @OptionGroup var storefronts: StorefrontOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let codes: [String?] = try await DidYouMean.storefronts(storefronts.names, context).map(\.countryCode)
        var explanations: [ProductExplanation] = []
        for code in codes.isEmpty ? [nil] : codes {
            explanations.append(
                try await context.api.call(
                    AppRoutes.explain, [.bundleId: context.bundleId, .id: named.product],
                    query: ["storefront": code]))
        }
        if explanations.allSatisfy({ $0.reasons.contains(.unknown) }) {
            throw await DidYouMean.productError(named.product, bundleId: context.bundleId, context)
        }
        var result = CommandResult(
            explanations, ["STOREFRONT", .state("AVAILABLE"), "REASON", "WHAT TO DO"], named: \.storefront,
            next: "storebus product show \(named.product)\(AppOptions.flag(context.bundleId))",
            ifEmpty: "no storefronts"
        ) { explanation in
            [
                explanation.storefront, explanation.available ? "yes" : "no",
                explanation.reasons.map(\.rawValue).joined(separator: ", "),
                explanation.details.joined(separator: " "),
            ]
        }
        result.names = explanations.filter(\.available).map(\.storefront)
        context.print(result)
    }
}

/// `storebus product content …`
struct ProductContentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "content", "Hosted content: the files that customers of a product download.",
        """
        storebus product content put com.example.guide guide.zip
        storebus product content show com.example.guide
        """, subcommands: [Put.self, Show.self])

    /// The option that names a version of a product's content.
    struct Version: ParsableArguments {
        @Option("Its version. Default: the one the catalogue declares.", "version") var contentVersion: String?
    }

    /// `storebus product content put`
    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "put", "Upload a product's content, or replace it.",
            """
            storebus product content put com.example.guide guide.zip
            storebus product content put com.example.guide guide.zip --content-version 1.1

            The store takes the whole upload or nothing. A product sells once its content is there, and a broken \
            upload changes nothing. Version and length must match the catalogue's hostedContent.
            """)

        @OptionGroup var named: ProductArgument
        @Argument("The content, at most 256 MiB.", "file", .file()) var file: String
        @OptionGroup var version: Version
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            // Checked before any request.
            let length = try UploadFile(file, lengthMax: ContentPartRequest.contentMax).length
            let context = try await CommandContext.find(options, app: app)
            let version = try await version.orDeclared(named.product, context)
            let bar = TransferProgress(context.progress, length: length)
            let upload = try UploadFile(file, lengthMax: ContentPartRequest.contentMax) { bar.advance(to: $0) }
            let (content, status) = try await bar.during { () throws(CLIError) in
                try await context.api.upload(
                    upload, to: ContentRoutes.put, [.bundleId: context.bundleId, .id: named.product],
                    query: ["version": version], timeout: context.timeLimit ?? .seconds(600))
            }
            context.print(Self.result(content, isReplaced: status == 200, bundleId: context.bundleId))
        }

        private static func result(_ content: HostedContent, isReplaced: Bool, bundleId: String) -> CommandResult {
            let members = JSONText.value(content).with(["isReplaced": .bool(isReplaced)])
            let product = content.contentIdentifier
            return CommandResult(
                "\(isReplaced ? "replaced" : "uploaded")  \(product)  \(content.contentVersion)  "
                    + "\(content.contentLength) bytes  sha256 \(content.sha256)\n",
                data: members, names: [product],
                next: "storebus buy \(product) --as alice\(AppOptions.flag(bundleId))")
        }
    }

    /// `storebus product content show`
    struct Show: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show a product's uploaded content.", "storebus product content show com.example.guide")

        @OptionGroup var named: ProductArgument
        @OptionGroup var version: Version
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let version = try await version.orDeclared(named.product, context)
            let content = try await find(version, context)
            context.print(
                CommandResult(
                    [
                        "content": content.contentIdentifier, "version": content.contentVersion,
                        "length": "\(content.contentLength) bytes", "sha256": content.sha256,
                    ], data: JSONText.value(content), names: [content.contentIdentifier],
                    next: "storebus product show \(named.product)\(AppOptions.flag(context.bundleId))"))
        }
    }
}

extension ProductContentCommand.Show {
    private func find(_ version: String, _ context: CommandContext) async throws(CLIError) -> HostedContent {
        let found = try await ifFound { () throws(CLIError) in
            try await context.api.call(
                ContentRoutes.get, [.bundleId: context.bundleId, .id: named.product], query: ["version": version])
        }
        if let found { return found }
        throw CLIError(
            CLIErrorCode(.notFound), "\(named.product) has no content of version \(version) yet",
            hints: ["upload it: storebus product content put \(named.product) FILE"])
    }
}

extension ProductContentCommand.Version {
    /// Returns the named version, or else the one in the catalogue.
    /// - Throws: `productNotFound` with the nearest, `catalogInvalid` for a product without hosted content.
    func orDeclared(_ product: String, _ context: CommandContext) async throws(CLIError) -> String {
        if let contentVersion { return contentVersion }
        // A product without content is not sold and so not listed; the catalogue file has it.
        guard let file = try await context.api.catalogFile(context.bundleId), let entry = Self.entry(product, in: file)
        else {
            throw await DidYouMean.productError(product, bundleId: context.bundleId, context)
        }
        guard let version = entry["hostedContent"]?["version"]?.stringValue else {
            throw CLIError(
                CLIErrorCode(.catalogInvalid), "the catalogue declares no hosted content for \(product)",
                hints: ["give it hostedContent with a version and import it again: docs/catalogue.md"])
        }
        return version
    }

    private static func entry(_ product: String, in file: JSONValue) -> JSONValue? {
        let lists = [file["products"], file["nonRenewingSubscriptions"]].compactMap { $0?.arrayValue }
        return lists.joined().first { $0["productID"]?.stringValue == product }
            ?? (file["subscriptionGroups"]?.arrayValue ?? []).flatMap { $0["subscriptions"]?.arrayValue ?? [] }
            .first { $0["productID"]?.stringValue == product }
    }
}
