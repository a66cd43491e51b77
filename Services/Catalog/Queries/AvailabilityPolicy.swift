import StoreModels

/// Decides whether a product can be bought and, if not, why. Queries, pages, quotes, the promoted list and `explain`
/// all use it, so they cannot disagree (M3, M5).
struct AvailabilityPolicy: Sendable {
    typealias Reason = ProductExplanation.Reason

    /// The object of an identifier, from one app's view.
    enum Subject: Sendable {
        case product(CatalogProduct)
        /// Only other apps have such a product.
        case productElsewhere
        case nothing
    }

    let agreementsActive: Bool
    /// The app's hosted content.
    let contents: StoredContents
    /// The storefront's ISO 3166-1 alpha-3 country code.
    let storefront: String
    /// The time by the wall clock.
    let now: Timestamp
    /// Whether a test URL began the purchase. A product that is not available *yet* can be bought then (M109).
    var isTest = false

    func isAvailable(_ product: CatalogProduct) -> Bool {
        !Reason.allCases.contains { applies($0, to: .product(product)) && !(isTest && Self.passes.contains($0)) }
    }

    /// The reasons that a test URL ignores, because time or a review removes them. Removal from sale and another
    /// storefront are not among them (this store's choice).
    private static let passes: Set<Reason> = [.notApproved, .notClearedForSale, .notPropagated]

    /// Returns every reason that applies, in the order of checks. It is empty exactly when the product can be bought.
    func reasons(against subject: Subject) -> [Reason] { Reason.allCases.filter { applies($0, to: subject) } }

    private func applies(_ reason: Reason, to subject: Subject) -> Bool {
        switch subject {
        case .product(let product): applies(reason, to: product)
        case .productElsewhere: reason == .wrongBundle || isAgreementMissing(reason)
        case .nothing: reason == .unknown || isAgreementMissing(reason)
        }
    }

    private func applies(_ reason: Reason, to product: CatalogProduct) -> Bool {
        let conditions = product.conditions
        return switch reason {
        case .unknown, .wrongBundle: false
        case .notApproved: conditions.state != .approved && !conditions.state.isRemovedFromSale
        case .removedFromSale: conditions.state.isRemovedFromSale
        case .notClearedForSale: !conditions.isClearedForSale
        case .agreementInactive: isAgreementMissing(reason)
        case .storefrontUnavailable: !conditions.storefronts.contains(storefront)
        case .hostedContentMissing:
            conditions.hostedContent.map { !contents.hold($0, of: product.productIdentifier) } ?? false
        case .notPropagated: conditions.availableFrom.map { $0 > now } ?? false
        }
    }

    private func isAgreementMissing(_ reason: Reason) -> Bool { reason == .agreementInactive && !agreementsActive }
}
