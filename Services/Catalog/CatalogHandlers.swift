import BusService
import Logging
import Persistence
import StoreModels

/// Handles Catalog's subjects, `sb.catalog.v1.…`.
package struct CatalogHandlers: Sendable {
    private let store: CatalogStore

    package init(store: CatalogStore) {
        self.store = store
    }

    /// Registers handlers for all of `CatalogEndpoints`.
    package func register(on service: BusService) {
        registerApps(on: service)
        registerImports(on: service)
        registerProducts(on: service)
        registerPromotions(on: service)
    }

    private func registerApps(on service: BusService) {
        handleCurrent(service, CatalogEndpoints.getApp, { $0.bundleId }, store.app)
        handleCurrent(service, CatalogEndpoints.appVersion, { $0.bundleId }, store.version)
        handle(service, CatalogEndpoints.putApp, store.put)
        handle(service, CatalogEndpoints.listApps) { [store] request in
            if store.apps.database.dialect == .postgres { try await store.loader.refresh() }
            return try store.list(request)
        }
        handle(service, CatalogEndpoints.exportPart, store.export)
    }

    private func registerImports(on service: BusService) {
        let importer = store.importer
        handle(service, CatalogEndpoints.beginImport, importer.begin)
        handle(service, CatalogEndpoints.addImportPart, importer.add)
        handle(service, CatalogEndpoints.commitImport, importer.commit)
        handle(service, CatalogEndpoints.tryImport, importer.judge)
        handle(service, CatalogEndpoints.beginContent, store.uploader.begin)
        handle(service, CatalogEndpoints.addContentPart, store.uploader.add)
        handle(service, CatalogEndpoints.commitContent, store.uploader.commit)
        handleCurrent(service, CatalogEndpoints.getContent, { $0.bundleId }, store.library.content)
        handle(service, CatalogEndpoints.readContent, store.library.read)
    }

    private func registerProducts(on service: BusService) {
        let products = store.products
        handleCurrent(service, CatalogEndpoints.queryProducts(as: RawJSON.self), { $0.bundleId }, products.query)
        handleCurrent(service, CatalogEndpoints.listProducts, { $0.bundleId }, products.list)
        handleCurrent(service, CatalogEndpoints.listSubscriptions, { $0.bundleId }, products.subscriptions)
        handleCurrent(service, CatalogEndpoints.quoteProduct, { $0.bundleId }, products.quote)
        handleCurrent(service, CatalogEndpoints.productOffers, { $0.bundleId }, products.offers)
        handleCurrent(service, CatalogEndpoints.explainProduct, { $0.bundleId }, products.explain)
        handle(service, CatalogEndpoints.listStorefronts) { _ in
            StorefrontsReply(storefronts: products.storefronts.entries.map(\.storefront))
        }
        handle(service, CatalogEndpoints.describeStorefronts) { _ in
            StorefrontDescriptions(storefronts: products.storefronts.entries.map(\.described))
        }
    }

    private func registerPromotions(on service: BusService) {
        let (promotions, images, products) = (store.promotions, store.images, store.products)
        handleCurrent(service, CatalogEndpoints.listPromotions(as: RawJSON.self), { $0.bundleId }, products.promoted)
        handleCurrent(service, CatalogEndpoints.productPromotion, { $0.bundleId }, products.promotion)
        handle(service, CatalogEndpoints.putPromotions) { try await promotions.put($0) }
        handle(service, CatalogEndpoints.getPromotions, promotions.setup)
        handle(service, CatalogEndpoints.beginImage, images.begin)
        handle(service, CatalogEndpoints.addImagePart, images.add)
        handle(service, CatalogEndpoints.commitImage, images.commit)
        handle(service, CatalogEndpoints.getImage, promotions.image)
        handle(service, CatalogEndpoints.readImage, promotions.read)
        handle(service, CatalogEndpoints.reviewImage, promotions.review)
        handle(service, CatalogEndpoints.putFeatured) { try await promotions.put($0) }
        handle(service, CatalogEndpoints.getFeatured, promotions.featured)
    }

    /// Registers a handler that answers from memory. It first loads other processes' changes to the app `bundleId`
    /// names.
    private func handleCurrent<Request, Response>(
        _ service: BusService, _ endpoint: Endpoint<Request, Response>,
        _ bundleId: @escaping @Sendable (Request) -> String,
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) {
        handle(service, endpoint) { [catchUp = store.catchUp] request in
            try await catchUp(bundleId(request))
            return try await body(request)
        }
    }

    /// Registers a handler that needs no context, and converts database errors to errors for the caller.
    private func handle<Request, Response>(
        _ service: BusService, _ endpoint: Endpoint<Request, Response>,
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) {
        service.handle(endpoint) { request, context in
            do {
                return try await body(request)
            } catch let error as PersistenceError {
                context.logger.error("database", metadata: ["error": "\(error)", "endpoint": "\(endpoint.name)"])
                throw StoreError(storage: error)
            }
        }
    }
}

extension StoreError {
    /// After a commit with unknown outcome the caller can repeat the request. Other errors are internal: the log has
    /// them, and the caller does not.
    fileprivate init(storage error: PersistenceError) {
        switch error.code {
        case _ where error.isRetryable:
            self.init(.serviceUnavailable, "the catalogue cannot be written or read just now: \(error.code)")
        case .storageFailed, .outcomeUnknown:
            self.init(.outcomeUnknown, "the catalogue's database was lost during a commit")
        default: self.init(.internal, "the catalogue's database failed")
        }
    }
}
