import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles Catalog's subjects, `sb.catalog.v1.…`.
package struct CatalogHandlers: Sendable {
    private let store: CatalogStore
    private let leases: LeaseIssuer

    /// Creates handlers over a loaded store.
    /// - Parameter leases: The issuer of leases on apps' versions, which runs in parallel with the endpoints.
    package init(store: CatalogStore, leases: LeaseIssuer) {
        self.store = store
        self.leases = leases
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
        endpoints.handle(CatalogEndpoints.leaseApp) { [store, leases] request in
            // In this order: a change that the version lacks finds the holder.
            let isRegistered = await leases.register(request.holder)
            let isCurrent = try await store.catchUp(request.bundleId)
            return LeasedVersion(
                version: store.directory.version(of: request.bundleId), isLeased: isRegistered && isCurrent)
        }
        handleChange(endpoints, CatalogEndpoints.putApp) { [store] in (try await store.put($0), [$0.bundleId]) }
        endpoints.handle(CatalogEndpoints.listApps) { [store] request in
            if store.apps.database.dialect == .postgres { try await store.loader.refresh() }
            return try store.list(request)
        }
        endpoints.handle(CatalogEndpoints.exportPart, store.export)
        let copies = AppCopies(database: store.apps.database, loader: store.loader)
        handleChange(endpoints, CatalogEndpoints.copyApp) { (try await copies.copy($0), [$0.to]) }
        handleChange(endpoints, CatalogEndpoints.removeApp) { (try await copies.remove($0), [$0.bundleId]) }
    }

    private func registerImports(on endpoints: DatabaseEndpoints) {
        let importer = store.importer
        endpoints.handle(CatalogEndpoints.beginImport, importer.begin)
        endpoints.handle(CatalogEndpoints.addImportPart, importer.add)
        handleChange(endpoints, CatalogEndpoints.commitImport) { request in
            let report = try await importer.commit(request)
            return (report, [report.bundleId])
        }
        endpoints.handle(CatalogEndpoints.tryImport, importer.judge)
        endpoints.handle(CatalogEndpoints.beginContent, store.uploader.begin)
        endpoints.handle(CatalogEndpoints.addContentPart, store.uploader.add)
        handleChange(endpoints, CatalogEndpoints.commitContent, store.uploader.commit)
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
        handleChange(endpoints, CatalogEndpoints.putPromotions) { (try await promotions.put($0), [$0.bundleId]) }
        endpoints.handle(CatalogEndpoints.getPromotions, promotions.setup)
        endpoints.handle(CatalogEndpoints.beginImage, images.begin)
        endpoints.handle(CatalogEndpoints.addImagePart, images.add)
        handleChange(endpoints, CatalogEndpoints.commitImage, images.commit)
        endpoints.handle(CatalogEndpoints.getImage, promotions.image)
        endpoints.handle(CatalogEndpoints.readImage, promotions.read)
        handleChange(endpoints, CatalogEndpoints.reviewImage) { (try await promotions.review($0), [$0.bundleId]) }
        handleChange(endpoints, CatalogEndpoints.putFeatured) { try await promotions.put($0) }
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

    /// Registers a handler of an operator's change. It replies when memory has the change and no lease from before it
    /// is valid, also for a request that has repeated the change, whose first one may have ended between.
    /// - Parameter body: Changes apps. It returns none of them when they are not known any more, and then all count.
    private func handleChange<Request, Response>(
        _ endpoints: DatabaseEndpoints, _ endpoint: Endpoint<Request, Response>,
        _ body: @escaping @Sendable (Request) async throws -> (reply: Response, apps: [String])
    ) {
        endpoints.handle(endpoint) { [loader = store.loader, leases] request in
            let (reply, apps) = try await body(request)
            let changed: [String?] = apps.isEmpty ? [nil] : apps
            // At the same time, so that all of them wait for a silent holder once.
            try await withThrowingDiscardingTaskGroup { group in
                for app in changed {
                    group.addTask {
                        if let app { try await loader.refresh(app) } else { try await loader.refresh() }
                        try await leases.recall(app)
                    }
                }
            }
            return reply
        }
    }
}
