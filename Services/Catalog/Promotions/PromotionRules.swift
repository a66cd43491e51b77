import StoreModels

/// Checks lists of promotions, the featured tab, and the reasons of reviews.
struct PromotionRules: Sendable {
    static let reasonCharactersMax = 500

    let directory: AppSnapshots

    /// Checks a list. A listed product that a later import has removed may stay, so the rest of the list can be changed
    /// meanwhile.
    /// - Throws: `requestInvalid` for too many or repeated products, `productNotFound`, or `notFound` for an unknown
    ///   app.
    func check(_ request: PutPromotionsRequest) throws(StoreError) {
        try Self.checkCount(request.entries.count, max: PutPromotionsRequest.entriesMax, "promoted products")
        let listed = directory.snapshot(of: request.bundleId)?.promotions.entries ?? []
        let known = Set(listed.map { ExactText($0.productIdentifier) })
        var seen: Set<ExactText> = []
        for (index, entry) in request.entries.enumerated() {
            let path = "$[\(index)].productIdentifier"
            guard seen.insert(ExactText(entry.productIdentifier)).inserted else {
                throw Self.repeated(entry.productIdentifier, path)
            }
            if !known.contains(ExactText(entry.productIdentifier)) {
                try checkProduct(entry.productIdentifier, of: request.bundleId, path)
            }
        }
        _ = try app(request.bundleId)
    }

    /// Checks the featured tab.
    /// - Throws: `requestInvalid` for too many or repeated products, `productNotFound`, or `notFound` for an unknown
    ///   app.
    func check(_ list: FeaturedList) throws(StoreError) {
        try Self.checkCount(list.products.count, max: FeaturedList.productsMax, "featured products")
        var seen: Set<[ExactText]> = []
        for (index, product) in list.products.enumerated() {
            let path = "$[\(index)].productIdentifier"
            guard seen.insert([ExactText(product.bundleId), ExactText(product.productIdentifier)]).inserted else {
                throw Self.repeated(product.productIdentifier, path)
            }
            _ = try app(product.bundleId)
            try checkProduct(product.productIdentifier, of: product.bundleId, path)
        }
    }

    /// Checks the reason of a review.
    /// - Throws: `requestInvalid`.
    static func check(reason: String?) throws(StoreError) {
        guard (reason?.count ?? 0) <= reasonCharactersMax else {
            throw invalid("$.reason", "has at most \(reasonCharactersMax) characters")
        }
    }

    /// Returns an app in memory.
    /// - Throws: `notFound`.
    func app(_ bundleId: String) throws(StoreError) -> AppSnapshot {
        guard let snapshot = directory.snapshot(of: bundleId) else { throw CatalogStore.unknownApp(bundleId) }
        return snapshot
    }

    private func checkProduct(
        _ productIdentifier: String, of bundleId: String, _ path: String
    ) throws(StoreError) {
        do {
            _ = try directory.product(productIdentifier, of: bundleId)
        } catch {
            var error = error
            error.details["path"] = .string(path)
            throw error
        }
    }

    private static func checkCount(_ count: Int, max: Int, _ what: String) throws(StoreError) {
        guard count <= max else { throw invalid("$", "has \(count) entries; there are at most \(max) \(what)") }
    }

    private static func repeated(_ productIdentifier: String, _ path: String) -> StoreError {
        invalid(path, "'\(productIdentifier.prefix(100))' is already in the list")
    }

    private static func invalid(_ path: String, _ reason: String) -> StoreError {
        StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
    }
}
