import StoreModels

/// The operator's setup of an app's promotions, from one snapshot of the database.
struct StoredPromotions: Hashable, Sendable {
    /// Order and default visibility; nil before the first list. It may name products the catalogue no longer has: they
    /// are ignored until an import restores them.
    var entries: [PromotionEntry]?
    /// The app's products on the featured tab, in its order.
    var featured: [String] = []
    private var images: [ExactText: PromotionImage] = [:]

    mutating func add(_ image: PromotionImage) { images[ExactText(image.productIdentifier)] = image }

    func image(of productIdentifier: String) -> PromotionImage? { images[ExactText(productIdentifier)] }

    /// Products that have an image, unordered.
    var illustrated: some Collection<String> { images.keys.lazy.map(\.text) }

    /// Whether there is neither a list nor an image. The store page then shows the beginning of the catalogue as a
    /// preview (this store's rule). It ends with the first list or image, even of a deleted product.
    var isPreview: Bool { entries == nil && images.isEmpty }
}
