import Persistence
import StoreModels

/// Stores lists of promotions, the featured tab, and the data of promotional images. The bytes of images are packages
/// of ``ContentRepository``.
///
/// Each change of an app's promotions raises the version of its catalogue in the same commit, so that other processes
/// and services with cached products detect it.
struct PromotionRepository: Sendable {
    let database: any SQLDatabase

    /// Reads the operator's setup of an app.
    static func stored(of bundleId: String, in reader: SQLReader) async throws -> StoredPromotions {
        var promotions = StoredPromotions()
        promotions.entries = try await entries(of: bundleId, in: reader)
        promotions.featured = try await featured(in: reader).filter { $0.bundleId.isExactly(bundleId) }.map(
            \.productIdentifier)
        for row in try await reader.query("\(selectImage) WHERE i.bundle_id = ?", bundleId) {
            promotions.add(try PromotionImage(row))
        }
        return promotions
    }

    // MARK: The list

    private static func entries(of bundleId: String, in reader: SQLReader) async throws -> [PromotionEntry]? {
        try await reader.queryOne("SELECT entries FROM promotion_list WHERE bundle_id = ?", bundleId).map { row in
            try StoreJSON.decode([PromotionEntry].self, from: row["entries"])
        }
    }

    /// Replaces an app's list. Repeating it changes nothing.
    func put(_ request: PutPromotionsRequest) async throws {
        let encoded = try StoreJSON.encode(request.entries)
        try await database.write { transaction in
            try await Self.lock(request.bundleId, in: transaction)
            guard try await Self.entries(of: request.bundleId, in: transaction) != request.entries else { return }
            try await transaction.execute(
                """
                INSERT INTO promotion_list (bundle_id, entries) VALUES (?, ?)
                ON CONFLICT (bundle_id) DO UPDATE SET entries = excluded.entries
                """, request.bundleId, encoded)
            try await Self.raiseVersion(of: request.bundleId, in: transaction)
        }
    }

    // MARK: The featured tab

    func featured(in scope: IsolationScope) async throws -> FeaturedList {
        try await database.read { reader in
            FeaturedList(products: try await Self.featured(in: reader).filter { scope.covers($0.bundleId) })
        }
    }

    /// Reads the entries of all scopes.
    private static func featured(in reader: SQLReader) async throws -> [ProductReference] {
        try await reader.queryOne("SELECT products FROM featured_list").map { row in
            try StoreJSON.decode(FeaturedList.self, from: row["products"]).products
        } ?? []
    }

    /// Replaces the featured tab of a scope.
    /// - Returns: The apps whose part of it has changed.
    func put(_ request: PutFeaturedRequest) async throws -> [String] {
        try await database.write { transaction in
            try await Self.changeFeatured(in: transaction) { products in
                products = products.filter { !request.scope.covers($0.bundleId) } + request.products
            }
        }
    }

    /// Changes the entries of all scopes.
    /// - Returns: The apps whose part of it has changed.
    @discardableResult
    static func changeFeatured(
        in transaction: SQLTransaction, _ change: (inout [ProductReference]) -> Void
    ) async throws -> [String] {
        // The only row, created by the first writer. Its lock serializes changes of the tab.
        try await transaction.execute(
            "INSERT INTO featured_list (id, products) VALUES (1, ?) ON CONFLICT (id) DO NOTHING",
            try StoreJSON.encode(FeaturedList(products: [])))
        _ = try await transaction.queryOne("SELECT id FROM featured_list \(transaction.dialect.lockRow)")
        var products = try await featured(in: transaction)
        let before = Dictionary(grouping: products, by: { ExactText($0.bundleId) })
        change(&products)
        let after = Dictionary(grouping: products, by: { ExactText($0.bundleId) })
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted().map(\.text)
        // Sorted, so that concurrent transactions cannot deadlock.
        for bundleId in changed { try await raiseVersion(of: bundleId, in: transaction) }
        try await transaction.execute(
            "UPDATE featured_list SET products = ?", try StoreJSON.encode(FeaturedList(products: products)))
        return changed
    }

    // MARK: Images

    static let selectImage = """
        SELECT i.*, p.length, p.sha256 FROM promotion_image i JOIN content_package p ON p.id = i.package_id
        """

    func image(of product: ProductReference) async throws -> PromotionImage? {
        try await database.read { reader in try await Self.image(of: product, in: reader) }
    }

    private static func image(of product: ProductReference, in reader: SQLReader) async throws -> PromotionImage? {
        try await reader.queryOne(
            "\(selectImage) WHERE i.bundle_id = ? AND i.product_identifier = ?", product.bundleId,
            product.productIdentifier
        ).map(PromotionImage.init)
    }

    /// Returns the image of an upload, or nil when another one has replaced it.
    func image(ofUpload identifier: String) async throws -> PromotionImage? {
        try await database.read { reader in
            try await reader.queryOne("\(Self.selectImage) WHERE i.package_id = ?", identifier).map(PromotionImage.init)
        }
    }

    /// Makes a package the product's image, in the commit that activates the package.
    static func put(
        _ header: ImageHeader, of package: ContentRepository.Package, in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            "DELETE FROM promotion_image WHERE bundle_id = ? AND product_identifier = ?", package.bundleId,
            package.productIdentifier)
        try await transaction.execute(
            """
            INSERT INTO promotion_image (package_id, bundle_id, product_identifier, state, format, width, height)
            VALUES (?, ?, ?, 'waiting', ?, ?, ?)
            """, package.id, package.bundleId, package.productIdentifier, header.format.rawValue, header.width,
            header.height)
    }

    /// Records the verdict of a review. Repeating it changes nothing.
    /// - Returns: The image's new state, or nil when there is no image.
    func review(_ request: ReviewImageRequest) async throws -> PromotionImage? {
        let product = ProductReference(bundleId: request.bundleId, productIdentifier: request.productIdentifier)
        let state: PromotionImage.State = request.isApproved ? .approved : .rejected
        let reason = request.isApproved ? nil : request.reason
        return try await database.write { transaction in
            try await Self.lock(request.bundleId, in: transaction)
            guard var image = try await Self.image(of: product, in: transaction) else { return nil }
            guard (image.state, image.reason) != (state, reason) else { return image }
            (image.state, image.reason) = (state, reason)
            try await transaction.execute(
                "UPDATE promotion_image SET state = ?, reason = ? WHERE bundle_id = ? AND product_identifier = ?",
                state.rawValue, reason, request.bundleId, request.productIdentifier)
            try await Self.raiseVersion(of: request.bundleId, in: transaction)
            return image
        }
    }

    // MARK: The app

    /// Serializes commits about one app.
    private static func lock(_ bundleId: String, in transaction: SQLTransaction) async throws {
        let row = try await transaction.queryOne(
            "SELECT bundle_id FROM app WHERE bundle_id = ? \(transaction.dialect.lockRow)", bundleId)
        guard row != nil else { throw CatalogStore.unknownApp(bundleId) }
        try await AppRepository.checkIsOpen(bundleId, in: transaction)
    }

    private static func raiseVersion(of bundleId: String, in transaction: SQLTransaction) async throws {
        try await transaction.execute(
            "UPDATE app SET catalog_version = catalog_version + 1 WHERE bundle_id = ?", bundleId)
    }
}

extension PromotionImage {
    init(_ row: SQLRow) throws {
        let (state, format): (String, String) = (try row["state"], try row["format"])
        guard let state = State(rawValue: state), let format = Format(rawValue: format) else {
            throw StoreError(.internal, "a stored image is '\(state)' and '\(format)'")
        }
        self.init(
            productIdentifier: try row["product_identifier"], state: state, format: format, width: try row["width"],
            height: try row["height"], length: try row["length"], sha256: try row["sha256"],
            reason: try row["reason"])
    }
}

/// The operator's setup of an app's promotions, from one snapshot of the database.
struct StoredPromotions: Hashable, Sendable {
    /// The order and default visibility. Nil before the first list. Products that the catalogue no longer has are
    /// ignored until an import restores them.
    var entries: [PromotionEntry]?
    /// The app's products on the featured tab, in its order.
    var featured: [String] = []
    private var images: [ExactText: PromotionImage] = [:]

    mutating func add(_ image: PromotionImage) { images[ExactText(image.productIdentifier)] = image }

    func image(of productIdentifier: String) -> PromotionImage? { images[ExactText(productIdentifier)] }

    /// The products that have an image, unordered.
    var illustrated: some Collection<String> { images.keys.lazy.map(\.text) }

    /// Whether there is neither a list nor an image. The store page then shows the beginning of the catalogue as a
    /// preview (this store's rule). The preview ends with the first list or image, even of a deleted product.
    var isPreview: Bool { entries == nil && images.isEmpty }
}
