import BusService
import Logging
import Persistence
import StoreModels

/// Answers Catalog's subjects, `sb.catalog.v1.…`.
package struct CatalogHandlers: Sendable {
    private let store: CatalogStore

    package init(store: CatalogStore) {
        self.store = store
    }

    /// Makes `service` answer all of `CatalogEndpoints`.
    package func register(on service: BusService) {
        let (store, products, importer) = (store, store.products, store.importer)
        handle(service, CatalogEndpoints.getApp, store.app)
        handle(service, CatalogEndpoints.putApp, store.put)
        handle(service, CatalogEndpoints.listApps, store.list)
        handle(service, CatalogEndpoints.beginImport, importer.begin)
        handle(service, CatalogEndpoints.addImportPart, importer.add)
        handle(service, CatalogEndpoints.commitImport, importer.commit)
        handle(service, CatalogEndpoints.tryImport, importer.judge)
        handle(service, CatalogEndpoints.exportPart, store.export)
        handle(service, CatalogEndpoints.beginContent, store.uploader.begin)
        handle(service, CatalogEndpoints.addContentPart, store.uploader.add)
        handle(service, CatalogEndpoints.commitContent, store.uploader.commit)
        handle(service, CatalogEndpoints.getContent, store.library.content)
        handle(service, CatalogEndpoints.readContent, store.library.read)
        handle(service, CatalogEndpoints.queryProducts(as: RawJSON.self), products.query)
        handle(service, CatalogEndpoints.listProducts, products.list)
        handle(service, CatalogEndpoints.listSubscriptions, products.subscriptions)
        handle(service, CatalogEndpoints.quoteProduct, products.quote)
        handle(service, CatalogEndpoints.productOffers, products.offers)
        handle(service, CatalogEndpoints.explainProduct, products.explain)
        handle(service, CatalogEndpoints.listStorefronts) { _ in
            StorefrontsReply(storefronts: products.storefronts.entries.map(\.storefront))
        }
        handle(service, CatalogEndpoints.describeStorefronts) { _ in
            StorefrontDescriptions(storefronts: products.storefronts.entries.map(\.described))
        }
        registerPromotions(on: service)
    }

    private func registerPromotions(on service: BusService) {
        let (promotions, images, products, loader) = (store.promotions, store.images, store.products, store.loader)
        // Gateways ask once a second, and at once when something was set up, by whichever process.
        handle(service, CatalogEndpoints.listPromotions(as: RawJSON.self)) { request in
            await loader.catchUp(request.bundleId)
            return try products.promoted(request)
        }
        handle(service, CatalogEndpoints.productPromotion) { request in
            await loader.catchUp(request.bundleId)
            return try products.promotion(request)
        }
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

    /// Registers a handler that needs no context, and turns what the database says into what a caller can act on.
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
    /// After a commit that was lost on its way nobody knows whether it stands; the same request again finds out. The rest
    /// is a fault of ours, told in the log and not to the caller.
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
