import StoreModels

/// Decides which products are promoted in a storefront at one moment, and explains the others. The promoted list, a
/// started purchase, the operator's setup and `explain` all use it, so that they cannot disagree.
struct PromotionPolicy: Sendable {
    typealias Reason = PromotionExplanation.Reason

    /// A product of the operator's order.
    struct Entry: Hashable, Sendable {
        /// Position in the catalogue.
        let position: Int
        /// Default visibility, which a device may override.
        let isVisible: Bool
    }

    let snapshot: AppSnapshot
    /// Decides which products can be bought.
    let availability: AvailabilityPolicy

    /// Entries of the page, including hidden products, in the operator's order. Empty before the app is released
    /// (M109).
    func promoted() -> [Entry] { snapshot.app.settings.released ? ready() : [] }

    /// A product's entry on the page; nil when it is not there. An unqualified product is rejected without checking the
    /// others.
    func promoted(at position: Int) -> Entry? {
        guard snapshot.app.settings.released, isReady(at: position) else { return nil }
        return ready().first { $0.position == position }
    }

    /// Every reason that keeps a product off the page; empty exactly when ``promoted()`` has it.
    func reasons(at position: Int) -> [Reason] {
        var reasons = imageReasons(at: position)
        if !availability.isAvailable(snapshot.catalog.products[position]) { reasons.append(.notAvailable) }
        if !isChosen(position, isReady: reasons.isEmpty) { reasons.insert(.notInPromotions, at: 0) }
        if !snapshot.app.settings.released { reasons.append(.appNotReleased) }
        return reasons
    }

    /// Candidates in order. They are the operator's list, else the products with an image, else the whole catalogue, in
    /// its order.
    func candidates() -> any Sequence<Entry> {
        if let entries = snapshot.promotions.entries {
            return entries.lazy.compactMap { entry in
                snapshot.position(of: entry.productIdentifier).map { Entry(position: $0, isVisible: entry.visible) }
            }
        }
        if snapshot.promotions.isPreview {
            return snapshot.catalog.products.indices.lazy.map { Entry(position: $0, isVisible: true) }
        }
        return snapshot.illustrated.lazy.map { Entry(position: $0, isVisible: true) }
    }

    /// Entries of the page if the app were released.
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

    /// Whether a product is on the list. Without a list, among the first twenty that are ready.
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
