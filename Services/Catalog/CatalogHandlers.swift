import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles Catalog's subjects, `sb.catalog.v1.…`.
package struct CatalogHandlers: Sendable {
    private let store: CatalogStore

    /// Creates handlers over a loaded store.
    package init(store: CatalogStore) {
        self.store = store
    }

    /// Registers handlers for all of `CatalogEndpoints`.
    package func register(on service: BusService) {
        let endpoints = DatabaseEndpoints(of: "the catalogue", on: service)
        registerApps(on: endpoints)
        registerImports(on: endpoints)
        registerProducts(on: endpoints)
        registerPromotions(on: endpoints)
    }

    private func registerApps(on endpoints: DatabaseEndpoints) {
        handleCurrent(endpoints, CatalogEndpoints.getApp, { $0.bundleId }, store.app)
        handleCurrent(endpoints, CatalogEndpoints.appVersion, { $0.bundleId }) { [store] in
            store.directory.version(of: $0.bundleId)
        }
        endpoints.handle(CatalogEndpoints.putApp, store.put)
        endpoints.handle(CatalogEndpoints.listApps) { [store] request in
            if store.apps.database.dialect == .postgres { try await store.loader.refresh() }
            return try store.list(request)
        }
        endpoints.handle(CatalogEndpoints.exportPart, store.export)
        let copies = AppCopies(database: store.apps.database, loader: store.loader)
        endpoints.handle(CatalogEndpoints.copyApp, copies.copy)
        endpoints.handle(CatalogEndpoints.removeApp, copies.remove)
    }

    private func registerImports(on endpoints: DatabaseEndpoints) {
        let importer = store.importer
        endpoints.handle(CatalogEndpoints.beginImport, importer.begin)
        endpoints.handle(CatalogEndpoints.addImportPart, importer.add)
        endpoints.handle(CatalogEndpoints.commitImport, importer.commit)
        endpoints.handle(CatalogEndpoints.tryImport, importer.judge)
        endpoints.handle(CatalogEndpoints.beginContent, store.uploader.begin)
        endpoints.handle(CatalogEndpoints.addContentPart, store.uploader.add)
        endpoints.handle(CatalogEndpoints.commitContent, store.uploader.commit)
        handleCurrent(endpoints, CatalogEndpoints.getContent, { $0.bundleId }, store.library.content)
        endpoints.handle(CatalogEndpoints.readContent, store.library.read)
    }

    private func registerProducts(on endpoints: DatabaseEndpoints) {
        let products = store.products
        handleCurrent(endpoints, CatalogEndpoints.queryProducts(as: RawJSON.self), { $0.bundleId }, products.query)
        handleCurrent(endpoints, CatalogEndpoints.listProducts, { $0.bundleId }, products.list)
        handleCurrent(endpoints, CatalogEndpoints.listSubscriptions, { $0.bundleId }, products.subscriptions)
        handleCurrent(endpoints, CatalogEndpoints.quoteProduct, { $0.bundleId }, products.quote)
        handleCurrent(endpoints, CatalogEndpoints.productOffers, { $0.bundleId }, products.offers)
        handleCurrent(endpoints, CatalogEndpoints.explainProduct, { $0.bundleId }, products.explain)
        endpoints.handle(CatalogEndpoints.listStorefronts) { _ in
            StorefrontsReply(storefronts: products.storefronts.entries.map(\.storefront))
        }
        endpoints.handle(CatalogEndpoints.describeStorefronts) { _ in
            StorefrontDescriptions(storefronts: products.storefronts.entries.map(\.described))
        }
    }

    private func registerPromotions(on endpoints: DatabaseEndpoints) {
        let (promotions, images, products) = (store.promotions, store.images, store.products)
        handleCurrent(endpoints, CatalogEndpoints.listPromotions(as: RawJSON.self), { $0.bundleId }, products.promoted)
        handleCurrent(endpoints, CatalogEndpoints.productPromotion, { $0.bundleId }, products.promotion)
        endpoints.handle(CatalogEndpoints.putPromotions) { try await promotions.put($0) }
        endpoints.handle(CatalogEndpoints.getPromotions, promotions.setup)
        endpoints.handle(CatalogEndpoints.beginImage, images.begin)
        endpoints.handle(CatalogEndpoints.addImagePart, images.add)
        endpoints.handle(CatalogEndpoints.commitImage, images.commit)
        endpoints.handle(CatalogEndpoints.getImage, promotions.image)
        endpoints.handle(CatalogEndpoints.readImage, promotions.read)
        endpoints.handle(CatalogEndpoints.reviewImage, promotions.review)
        endpoints.handle(CatalogEndpoints.putFeatured) { try await promotions.put($0) }
        endpoints.handle(CatalogEndpoints.getFeatured, promotions.featured)
    }

    /// Registers a handler that replies from memory. It first loads other processes' changes to the request's app.
    private func handleCurrent<Request, Response>(
        _ endpoints: DatabaseEndpoints, _ endpoint: Endpoint<Request, Response>,
        _ bundleId: @escaping @Sendable (Request) -> String,
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) {
        endpoints.handle(endpoint) { [catchUp = store.catchUp] request in
            try await catchUp(bundleId(request))
            return try await body(request)
        }
    }
}
