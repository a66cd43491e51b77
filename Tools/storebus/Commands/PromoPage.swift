import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus promo page`
struct PromoPageCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "page", "See the store as a device shows it: product page, search or featured tab.",
        """
        storebus promo page --as alice
        storebus promo page --device alice-2
        storebus promo page --as alice --search beach
        storebus promo page --as alice --featured

        Opens the App Store app without launching the account's own app. storebus promo list --device says why a \
        product is missing.
        """)

    @Option("Only products that contain all of these words.", "words") var search: String?
    @Flag(help: "The featured tab.") var featured = false
    @OptionGroup var customer: CustomerOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if search != nil, featured { throw ValidationError("--search and --featured are two views") }
    }

    private var view: StoreView { featured ? .featured : search.map { .search($0) } ?? .page }

    func run(_ context: CommandContext) async throws {
        let installation = customer.installation(context)
        let session = try await context.sessions.store(installation)
        let page = try await view.load(context.api, token: session.token)
        var result = StorePageTable.result(page, view: view, installation: installation)
        if page.promotions.isEmpty, view == .page, let reason = await unsupported(installation, context) {
            result.notes.append(Advice(reason))
        }
        context.print(result)
    }

    private func unsupported(_ installation: Installation, _ context: CommandContext) async -> String? {
        let device = try? await context.api.call(DeviceRoutes.get, [.deviceId: installation.deviceId])
        guard let device else { return nil }
        return PromotionSupport.promotionsUnsupported(platform: device.platform, osVersion: device.osVersion)
    }
}

/// A view of the store on a device.
enum StoreView: Hashable, Sendable {
    case page, featured
    case search(String)

    /// The source of a purchase that begins there.
    var source: StorePurchaseIntent.Source {
        switch self {
        case .page: .storePage
        case .featured: .featured
        case .search: .search
        }
    }

    func load(_ api: StoreAPI, token: String) async throws(CLIError) -> StorePageResponse<Promotion> {
        switch self {
        case .page: try await api.call(StorePageRoutes.page, token: token)
        case .featured: try await api.call(StorePageRoutes.featured, token: token)
        case .search(let words): try await api.call(StorePageRoutes.search, query: ["q": words], token: token)
        }
    }
}

/// The store on a device as `storebus promo page` shows it.
enum StorePageTable {
    static func table(_ promotions: [Promotion]) -> Table {
        Table(
            [
                .right("PLACE"), "PRODUCT", "TITLE", .right("PRICE"), "OFFER", .state("ELIGIBLE"), "OWNED",
            ], promotions.enumerated()
        ) { index, promotion in
            let product = promotion.product
            return [
                "\(index + 1)", product.productIdentifier, product.localizedTitle, Format.price(of: product),
                product.introductoryPrice.map(Format.offer) ?? "-",
                // Eligibility without an offer has no meaning.
                product.introductoryPrice.flatMap { _ in product.introductoryOfferEligibility?.rawValue } ?? "-",
                promotion.owned.map { $0 ? "yes" : "no" } ?? "unknown",
            ]
        }
    }

    static func result(
        _ page: StorePageResponse<Promotion>, view: StoreView, installation: Installation
    ) -> CommandResult {
        let items = page.promotions.enumerated().map { index, promotion -> JSONValue in
            JSONText.value(promotion).with([
                "place": .integer(index + 1),
                "ownership": .string(promotion.owned == nil ? "unknown" : "known"),
                "degraded": JSONText.value(page.degraded),
            ])
        }
        return CommandResult(
            table(page.promotions), items: items, names: page.promotions.map(\.product.productIdentifier),
            next: next(page, view, installation), notes: page.degraded.map(sentence), ifEmpty: empty(view))
    }

    private static func empty(_ view: StoreView) -> String {
        switch view {
        case .page: "nothing is promoted here"
        case .featured: "nothing is featured here"
        case .search: "nothing found"
        }
    }

    private static func next(
        _ page: StorePageResponse<Promotion>, _ view: StoreView, _ installation: Installation
    ) -> Advice {
        let option = AppOptions.flag(installation.bundleId)
        guard let first = page.promotions.first(where: { $0.owned != true }) ?? page.promotions.first else {
            return "storebus promo list --device \(installation.deviceId)\(option)"
        }
        let source: ShellCommand = view.source == .storePage ? "" : "--source \(view.source.rawValue)"
        let product = first.product.productIdentifier
        return "storebus intent \(product) --as \(installation.account)\(installation.deviceOption)\(source)\(option)"
    }

    /// Describes the services missing from the page.
    private static func sentence(_ part: String) -> Advice {
        switch part {
        case "promotions": "this device's overrides are not known for now; this is the operator's order and visibility"
        case "payments": "the account's purchases are not known for now"
        case "eligibility": "whether the account may have an offer is not known for now"
        default: "\(part) is away"
        }
    }
}
