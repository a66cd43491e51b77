import StoreModels

/// Decides which products are promoted in a storefront, and explains why others are not. The promoted list, a started
/// purchase, the operator's setup and `explain` all use it, so they cannot disagree.
struct PromotionPolicy: Sendable {
    typealias Reason = PromotionExplanation.Reason

    /// A product of the operator's order.
    struct Entry: Hashable, Sendable {
        /// The position in the catalogue.
        let position: Int
        /// The default visibility, which a device may override.
        let isVisible: Bool
    }

    let snapshot: AppSnapshot
    /// Decides which products can be bought.
    let availability: AvailabilityPolicy

    /// Returns the entries of the page, including hidden products, in the operator's order. Empty before the app is
    /// released (M109).
    func promoted() -> [Entry] { snapshot.app.settings.released ? ready() : [] }

    /// Returns a product's entry on the page, or nil when the product is not promoted. Other products are only checked
    /// when it qualifies.
    func promoted(at position: Int) -> Entry? {
        guard snapshot.app.settings.released, isReady(at: position) else { return nil }
        return ready().first { $0.position == position }
    }

    /// Returns every reason that keeps a product off the page. It is empty exactly when ``promoted()`` has the product.
    func reasons(at position: Int) -> [Reason] {
        var reasons = imageReasons(at: position)
        if !availability.isAvailable(snapshot.catalog.products[position]) { reasons.append(.notAvailable) }
        if !isChosen(position, isReady: reasons.isEmpty) { reasons.insert(.notInPromotions, at: 0) }
        if !snapshot.app.settings.released { reasons.append(.appNotReleased) }
        return reasons
    }

    /// Returns the candidates in order: the operator's list, or else the products with an image. For a preview they are
    /// the whole catalogue.
    func candidates() -> any Sequence<Entry> {
        if let entries = snapshot.promotions.entries {
            return entries.lazy.compactMap { entry in
                snapshot.index.position(of: entry.productIdentifier).map {
                    Entry(position: $0, isVisible: entry.visible)
                }
            }
        }
        if snapshot.promotions.isPreview {
            return snapshot.catalog.products.indices.lazy.map { Entry(position: $0, isVisible: true) }
        }
        return snapshot.illustrated.lazy.map { Entry(position: $0, isVisible: true) }
    }

    /// Returns the entries of the page, as if the app were released.
    func ready() -> [Entry] {
        var found: [Entry] = []
        for entry in candidates() where isReady(at: entry.position) {
            found.append(entry)
            if found.count == PutPromotionsRequest.entriesMax { break }
        }
        return found
    }

    private func isReady(at position: Int) -> Bool {
        imageReasons(at: position).isEmpty && availability.isAvailable(snapshot.catalog.products[position])
    }

    /// Whether a product is on the list. Without a list, whether it is among the first twenty that are ready.
    private func isChosen(_ position: Int, isReady: Bool) -> Bool {
        let identifier = ExactText(snapshot.catalog.products[position].productIdentifier)
        if let entries = snapshot.promotions.entries {
            return entries.contains { ExactText($0.productIdentifier) == identifier }
        }
        return !isReady || ready().contains { $0.position == position }
    }

    private func imageReasons(at position: Int) -> [Reason] {
        guard !snapshot.promotions.isPreview else { return [] }
        let image = snapshot.promotions.image(of: snapshot.catalog.products[position].productIdentifier)
        return switch image?.state {
        case nil: [.noImage]
        case .waiting: [.imageWaitingForReview]
        case .rejected: [.imageRejected]
        case .approved: []
        }
    }
}
