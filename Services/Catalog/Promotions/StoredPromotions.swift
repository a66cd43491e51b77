import StoreModels

/// What the operator has set up of an app's promotions, as one state of the database has it.
struct StoredPromotions: Hashable, Sendable {
    /// Order and default visibility; nil before the first list. It may name products the catalogue no longer has: they
    /// are passed over until an import brings them back.
    var entries: [PromotionEntry]?
    /// The app's products on the featured tab, in its order.
    var featured: [String] = []
    private var images: [ExactText: PromotionImage] = [:]

    mutating func add(_ image: PromotionImage) { images[ExactText(image.productIdentifier)] = image }

    func image(of productIdentifier: String) -> PromotionImage? { images[ExactText(productIdentifier)] }

    /// The products that have an image, in no order.
    var illustrated: some Collection<String> { images.keys.lazy.map(\.text) }

    /// Nobody has set up anything: the store page shows the beginning of the catalogue, so that there is something to see
    /// (ours). It ends with the first list or image, also of a product that is gone.
    var isPreview: Bool { entries == nil && images.isEmpty }
}
