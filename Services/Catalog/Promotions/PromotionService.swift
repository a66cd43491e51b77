import FoundationEssentials
import StoreModels

/// The operator's actions on promotions: the list, the featured tab, and the review of images.
struct PromotionService: Sendable {
    /// Maximum number of illustrated products in the setup of an app without a list.
    static let illustratedMax = 100

    let promotions: PromotionRepository
    let contents: ContentRepository
    let loader: AppLoader
    let products: ProductQueries

    private var rules: PromotionRules { PromotionRules(directory: loader.directory) }

    /// Replaces an app's list.
    /// - Throws: `notFound`, `productNotFound`, `requestInvalid`.
    func put(_ request: PutPromotionsRequest) async throws -> PromotionSetup {
        try await loader.refresh(request.bundleId)
        try rules.check(request)
        try await promotions.put(request)
        return try await setup(AppRequest(bundleId: request.bundleId))
    }

    /// Returns the setup, with the reasons that keep each product off the page. They are those of the testers'
    /// storefront.
    /// - Throws: `notFound`.
    func setup(_ request: AppRequest) async throws -> PromotionSetup {
        try await loader.refresh(request.bundleId)
        let snapshot = try rules.app(request.bundleId)
        let policy = try products.promotionPolicy(snapshot)
        let items =
            snapshot.promotions.entries.map { entries in
                entries.map { item(snapshot, policy, $0.productIdentifier, isVisible: $0.visible) }
            } ?? products(of: snapshot, policy).map { item(snapshot, policy, $0, isVisible: true) }
        return PromotionSetup(
            bundleId: request.bundleId, isPreview: snapshot.promotions.isPreview, promotions: items)
    }

    /// Returns the products of an app without a list: those of the preview, else those with an image.
    private func products(of snapshot: AppSnapshot, _ policy: PromotionPolicy) -> [String] {
        let positions =
            snapshot.promotions.isPreview
            ? policy.ready().map(\.position) : Array(snapshot.illustrated.prefix(Self.illustratedMax))
        return positions.map { snapshot.catalog.products[$0].productIdentifier }
    }

    private func item(
        _ snapshot: AppSnapshot, _ policy: PromotionPolicy, _ productIdentifier: String, isVisible: Bool
    ) -> PromotionSetup.Item {
        let explanation = policy.explanation(of: productIdentifier)
        return PromotionSetup.Item(
            productIdentifier: productIdentifier, visible: isVisible,
            image: snapshot.promotions.image(of: productIdentifier), reasons: explanation.reasons,
            details: explanation.details)
    }

    // MARK: The featured tab

    /// Replaces the tab, which all apps of a scope share, and returns the apps whose part of it has changed.
    /// - Throws: `notFound`, also for an app of another scope, `productNotFound`, or `requestInvalid`.
    func put(_ request: PutFeaturedRequest) async throws -> (reply: FeaturedList, apps: [String]) {
        let list = FeaturedList(products: request.products)
        let apps = Set(exactly: list.products.map(\.bundleId)).sorted().map(\.text)
        if let other = apps.first(where: { !request.scope.covers($0) }) { throw CatalogStore.unknownApp(other) }
        for bundleId in apps { try await loader.refresh(bundleId) }
        try rules.check(list)
        let changed = try await promotions.put(request)
        // Of all apps: a change may have ended after its commit, and this one need not be of the same apps.
        try await loader.refresh()
        return (list, changed)
    }

    func featured(_ request: FeaturedRequest) async throws -> FeaturedList {
        try await promotions.featured(in: request.scope)
    }

    // MARK: Images

    /// Returns a product's image.
    /// - Throws: `notFound`, `productNotFound`.
    func image(_ product: ProductReference) async throws -> PromotionImage {
        guard let image = try await promotions.image(of: product) else { throw try await missing(product) }
        return image
    }

    /// Reads a range of an image's bytes.
    /// - Throws: `notFound` when another image has replaced it, or `requestInvalid` beyond its end.
    func read(_ request: ReadImageRequest) async throws -> ContentPart {
        let reading = try await contents.read(
            ReadContentRequest(
                bundleId: request.bundleId, productIdentifier: request.productIdentifier,
                version: ContentRepository.imageVersion, sha256: request.sha256, offset: request.offset,
                length: ContentPartRequest.bytesMax), .image)
        guard let reading else {
            throw StoreError(
                .notFound,
                "this promotional image of \(request.productIdentifier.prefix(100)) was replaced, or never was")
        }
        guard let bytes = reading.bytes else {
            throw StoreError(
                .requestInvalid, "$.offset: must be from 0 to \(reading.length - 1)", details: ["path": "$.offset"])
        }
        return ContentPart(data: Data(bytes).base64EncodedString())
    }

    /// Records the operator's verdict. It may be changed later, and repeating it changes nothing.
    /// - Throws: `notFound` without an image, `productNotFound`, `requestInvalid`.
    func review(_ request: ReviewImageRequest) async throws -> PromotionImage {
        try PromotionRules.check(reason: request.reason)
        guard let image = try await promotions.review(request) else {
            throw try await missing(
                ProductReference(bundleId: request.bundleId, productIdentifier: request.productIdentifier))
        }
        try await loader.refresh(request.bundleId)
        return image
    }

    private func missing(_ product: ProductReference) async throws -> StoreError {
        try await loader.refresh(product.bundleId)
        _ = try loader.directory.product(product.productIdentifier, of: product.bundleId)
        return StoreError(
            .notFound, "\(product.productIdentifier) has no promotional image; upload one first")
    }
}
