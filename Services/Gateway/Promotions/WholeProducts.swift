import BusService
import StoreModels

/// Products of an app's catalogue, for sale or not. A device may order products that are not promoted yet.
struct WholeProducts: Sendable {
    private let products: [ExactText: PresentedProduct]

    /// - Parameter endsAtUnknown: Whether to stop at the first unknown product, for a list that is rejected when one is
    ///   unknown.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` without Catalog.
    init(
        _ identifiers: [String], at scope: OverrideScope, _ services: ServiceCaller, _ context: CallContext,
        endsAtUnknown: Bool = false
    ) async throws(StoreError) {
        guard !identifiers.isEmpty else {
            products = [:]
            return
        }
        let found = try await ProductsInParts(
            services: services, bundleId: scope.bundleId, storefront: scope.storefront, identifiers: identifiers
        ).run(context)
        var products = Dictionary(exactly: found.products.map { ($0.productIdentifier, $0) })
        // Products that cannot be bought there are missing from the reply. There are few of them, if any.
        for identifier in found.invalidProductIdentifiers {
            products[identifier] = try await Self.unsold(identifier, at: scope, services, context)
            if endsAtUnknown, products[identifier] == nil { break }
        }
        self.products = products
    }

    /// Checks that all products exist.
    /// - Throws: `productNotFound` that names the first missing one.
    func check(_ identifiers: [String]) throws(StoreError) {
        for identifier in identifiers where products[identifier] == nil {
            throw StoreError(
                .productNotFound, "the app has no product '\(identifier)'",
                details: ["productIdentifier": .string(identifier)])
        }
    }

    /// Returns the products in the order of `identifiers`. Products that the catalogue does not have are omitted.
    func inOrder(_ identifiers: [String]) -> [PresentedProduct] { identifiers.compactMap { products[$0] } }

    /// Reads a product that cannot be bought in the storefront.
    /// - Returns: The product, or nil when the catalogue does not have it.
    private static func unsold(
        _ identifier: String, at scope: OverrideScope, _ services: ServiceCaller, _ context: CallContext
    ) async throws(StoreError) -> PresentedProduct? {
        do {
            let facts = try await services.call(
                CatalogEndpoints.productPromotion,
                ProductPromotionRequest(
                    bundleId: scope.bundleId, productIdentifier: identifier, storefront: scope.storefront),
                context: context)
            return try PresentedProduct(facts.product)
        } catch  where error.code == .productNotFound || error.code == .notFound {
            return nil
        }
    }
}
