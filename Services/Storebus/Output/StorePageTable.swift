import StoreModels

/// The store on a device as `storebus page` shows it.
enum StorePageTable {
    static func table(_ promotions: [Promotion]) -> Table {
        var table = Table([
            .init("PLACE", .right), .init("PRODUCT"), .init("TITLE"), .init("PRICE", .right), .init("OFFER"),
            .init("ELIGIBLE", isState: true), .init("OWNED"),
        ])
        for (index, promotion) in promotions.enumerated() {
            let product = promotion.product
            table.add([
                "\(index + 1)", product.productIdentifier, product.localizedTitle, Words.price(of: product),
                product.introductoryPrice.map(Words.offer) ?? "-",
                // Nobody is eligible for an offer that is not there.
                product.introductoryPrice.flatMap { _ in product.introductoryOfferEligibility?.rawValue } ?? "-",
                promotion.owned.map { $0 ? "yes" : "no" } ?? "unknown",
            ])
        }
        return table
    }

    static func answer(
        _ page: StorePageAnswer, view: StoreAPI.StoreView, installation: Installation
    ) -> Answer {
        let items = page.promotions.enumerated().map { index, promotion -> JSONValue in
            var members = JSONText.value(promotion).objectValue ?? [:]
            members["place"] = .integer(index + 1)
            members["ownership"] = .string(promotion.owned == nil ? "unknown" : "known")
            members["degraded"] = JSONText.value(page.degraded)
            return .object(members)
        }
        return Answer(
            table(page.promotions), items: items, names: page.promotions.map(\.product.productIdentifier),
            next: next(page, view, installation), notes: page.degraded.map(sentence), ifEmpty: empty(view))
    }

    private static func empty(_ view: StoreAPI.StoreView) -> String {
        switch view {
        case .page: "nothing is promoted here"
        case .featured: "nothing is featured here"
        case .search: "nothing found"
        }
    }

    private static func next(
        _ page: StorePageAnswer, _ view: StoreAPI.StoreView, _ installation: Installation
    ) -> String {
        let option = Known.option(installation.bundleId)
        guard let first = page.promotions.first(where: { $0.owned != true }) ?? page.promotions.first else {
            return "storebus promo list --device \(installation.deviceId)\(option)"
        }
        let source = view.source == .storePage ? "" : " --source \(view.source.rawValue)"
        let isDefault = installation.deviceId.isExactly("\(installation.account)-1")
        let device = isDefault ? "" : " --device \(installation.deviceId)"
        return
            "storebus intent \(first.product.productIdentifier) --as \(installation.account)\(device)\(source)\(option)"
    }

    /// What the page had to do without.
    private static func sentence(_ part: String) -> String {
        switch part {
        case "promotions": "what this device has set is not known for now: the operator's order and visibility"
        case "payments": "what the account owns is not known for now"
        case "eligibility": "whether the account may have an offer is not known for now"
        default: "\(part) is away"
        }
    }
}
