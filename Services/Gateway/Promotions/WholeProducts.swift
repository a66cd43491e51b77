import BusService
import StoreModels

/// Whole products of an app's catalogue, for sale or not. A device may order products that are not promoted yet.
struct WholeProducts: Sendable {
    private let products: [ExactText: PresentedProduct]

    /// - Parameter endsAtUnknown: Whether to stop at the first unknown product, for a list that is rejected when one is
    ///   unknown.
    /// - Throws: `serviceUnavailable` and the like without Catalog.
    init(
        _ identifiers: [String], at place: OverridePlace, _ services: ServiceCaller, _ context: CallContext,
        endsAtUnknown: Bool = false
    ) async throws(StoreError) {
        guard !identifiers.isEmpty else {
            products = [:]
            return
        }
        let found = try await ProductsInParts(
            services: services, bundleId: place.bundleId, storefront: place.storefront, identifiers: identifiers
        ).run(context)
        var products = Dictionary(exactly: found.products.map { ($0.productIdentifier, $0) })
        // Products that cannot be bought there are missing from the customer's products. There are few of them, if any.
        for identifier in found.invalidProductIdentifiers {
            products[identifier] = try await Self.unsold(identifier, at: place, services, context)
            if endsAtUnknown, products[identifier] == nil { break }
        }
        self.products = products
    }

    /// - Throws: `productNotFound`.
    func check(_ identifiers: [String]) throws(StoreError) {
        for identifier in identifiers where products[identifier] == nil {
            throw StoreError(
                .productNotFound, "the app has no product '\(identifier)'",
                details: ["productIdentifier": .string(identifier)])
        }
    }

    /// The products in the order of `identifiers`, without those the catalogue does not have.
    func inOrder(_ identifiers: [String]) -> [PresentedProduct] { identifiers.compactMap { products[$0] } }

    /// - Returns: Nil for a product the catalogue does not have.
    private static func unsold(
        _ identifier: String, at place: OverridePlace, _ services: ServiceCaller, _ context: CallContext
    ) async throws(StoreError) -> PresentedProduct? {
        do {
            let facts = try await services.call(
                CatalogEndpoints.productPromotion,
                ProductPromotionRequest(
                    bundleId: place.bundleId, productIdentifier: identifier, storefront: place.storefront),
                context: context)
            return try PresentedProduct(facts.product)
        } catch  where error.code == .productNotFound || error.code == .notFound {
            return nil
        }
    }
}
