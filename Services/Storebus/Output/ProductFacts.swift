import StoreModels

/// One product in one storefront as `storebus product show` and `why` show it.
struct ProductFacts: Sendable {
    /// nil when the catalogue has no such product.
    let product: Product?
    let explanation: ProductExplanation
    let bundleId: String
    /// Whether somebody may have its introductory offer, when that was asked.
    let eligibility: ProductEligibility?
    /// Whose purchase is the next step.
    let account: String
    /// All of a subscription's, when they were asked for.
    let offers: ProductOffers?

    init(
        product: Product?, explanation: ProductExplanation, bundleId: String, eligibility: ProductEligibility? = nil,
        account: String? = nil, offers: ProductOffers? = nil
    ) {
        self.product = product
        self.explanation = explanation
        self.bundleId = bundleId
        self.eligibility = eligibility
        self.account = account ?? "alice"
        self.offers = offers
    }

    var answer: Answer {
        var members = product.map { JSONText.value($0).objectValue ?? [:] } ?? [:]
        members["productIdentifier"] = .string(explanation.productIdentifier)
        members["bundleId"] = .string(bundleId)
        members["explanation"] = JSONText.value(explanation)
        if let offers {
            members["offers"] = JSONText.value(offers)
            members["offerWords"] = JSONText.value(OfferWords.lines(offers).map(\.text))
        }
        if let eligibility {
            var one = JSONText.value(eligibility).objectValue ?? [:]
            one["because"] = .string(EligibilityWords.because(eligibility))
            members["eligibility"] = .object(one)
        }
        return Answer(data: .object(members), names: [explanation.productIdentifier], next: next) { [self] in
            facts.text($0)
        }
    }

    private var facts: Facts {
        var facts = Facts()
        facts.add("product", explanation.productIdentifier)
        facts.add("app", bundleId)
        if let product { Self.describe(product, &facts) }
        for line in offers.map(OfferWords.lines) ?? [] { facts.add(line.name, line.text) }
        facts.add("storefront", explanation.storefront)
        facts.add("available", explanation.available ? "yes" : "no", isState: true)
        for (reason, detail) in zip(explanation.reasons, explanation.details) {
            facts.add("reason", "\(reason.rawValue): \(detail)")
        }
        if let promotion = explanation.promotion {
            facts.add("promoted", promotion.reasons.isEmpty ? "yes" : "no", isState: true)
            for (reason, detail) in zip(promotion.reasons, promotion.details) {
                facts.add("reason", "\(reason.rawValue): \(detail)")
            }
        }
        guard let eligibility else { return facts }
        facts.add("eligibility", eligibility.eligibility.rawValue, isState: true)
        facts.add("because", EligibilityWords.because(eligibility))
        facts.add("rule", eligibility.rule.rawValue)
        facts.add("decided by", eligibility.transactionIdentifier)
        return facts
    }

    private static func describe(_ product: Product, _ facts: inout Facts) {
        facts.add("title", product.localizedTitle)
        facts.add("description", product.localizedDescription.isEmpty ? nil : product.localizedDescription)
        facts.add("type", product.type.rawValue)
        facts.add("price", Words.price(of: product))
        facts.add("locale", product.priceLocale)
        facts.add("offer", product.introductoryPrice.map(Words.offer))
        facts.add("content", content(product))
        facts.add("group", product.subscriptionGroupIdentifier)
    }

    /// `version 1.0, 73412 bytes`
    private static func content(_ product: Product) -> String? {
        guard product.isDownloadable else { return nil }
        let lengths = product.downloadContentLengths.map { "\($0) bytes" }
        return (["version \(product.downloadContentVersion)"] + lengths).joined(separator: ", ")
    }

    private var next: String {
        let product = explanation.productIdentifier
        return explanation.available
            ? "storebus buy \(product) --as \(account)\(Known.option(bundleId))"
            : "storebus product availability \(product)\(Known.option(bundleId))"
    }
}
