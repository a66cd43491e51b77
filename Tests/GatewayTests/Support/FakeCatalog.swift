import EventLoop
import FoundationEssentials
import StoreModels

/// Catalog, as far as the gateway sees it.
final class FakeCatalog: Sendable {
    struct Contents {
        var apps: [String: App] = [
            "com.example.app": App(bundleId: "com.example.app", settings: .init(name: "Example"), catalogVersion: 1)
        ]
        /// What was asked of `app.remove`.
        var removals: [RemoveAppRequest] = []
        /// The last deletion that has ended.
        var ended: Int64 = 0
        var products: [Product] = []
        /// The offers for codes of each product.
        var codeOffers: [RedeemableOffer] = []
        var uploads: [String: (bundleId: String, byteCount: Int, parts: [Int: Data])] = [:]
        var file: [UInt8] = Array("{}".utf8)
        /// What `import.commit` answers with, when it refuses.
        var refusal: StoreError?
        /// What `import.commit` waits for.
        var importGate: Gate?
        var productRequests: [ProductsRequest] = []
        /// Versions that the next product answers carry; then 1.
        var versions: [Int64] = []
        var promotionRequests: [PromotedProductsRequest] = []
        var promoting = Promoting()
        /// Content in force: its description and its bytes.
        var hosted: (content: HostedContent, bytes: [UInt8])?
        /// Uploads that were begun and not committed.
        var contentUploads: [String: (begin: BeginContentRequest, bytes: [UInt8])] = [:]
        var readRequests: [ReadContentRequest] = []
        var explainRequests: [ExplainProductRequest] = []
    }

    let contents = Locked(Contents())
    let service: FakeService

    init(_ service: FakeService) {
        self.service = service
        contents.withLock { $0.products = Sample.products }
        serveApps()
        serveStorefronts()
        serveProducts()
        serveImports()
        serveContent()
        servePromotions()
    }

    private func serveApps() {
        service.handle(CatalogEndpoints.copyApp) { [self] request in
            try contents.withLock { contents throws(StoreError) in
                guard var app = contents.apps[request.from] else {
                    throw StoreError(.notFound, "there is no app \(request.from)")
                }
                app.bundleId = request.to
                contents.apps[request.to] = app
                return app
            }
        }
        service.handle(CatalogEndpoints.removeApp) { [self] request in
            contents.withLock { contents in
                contents.removals.append(request)
                guard request.deletion.map({ $0 > contents.ended }) ?? true else { return }
                contents.apps[request.bundleId] = nil
                if let deletion = request.deletion, request.isLast { contents.ended = deletion }
            }
            return RemoveAppReply(isDone: true)
        }
        service.handle(CatalogEndpoints.getApp) { [self] request in
            guard let app = contents.withLock({ $0.apps[request.bundleId] }) else {
                throw StoreError(.notFound, "there is no app \(request.bundleId)")
            }
            return app
        }
        // Each change by a test is another version.
        service.handle(CatalogEndpoints.leaseApp) { [self] request in
            contents.withLock { contents in
                var state = Hasher()
                state.combine(contents.apps[request.bundleId])
                state.combine(contents.products)
                state.combine(contents.promoting.entries)
                state.combine(contents.promoting.featured)
                state.combine(contents.promoting.unavailable)
                let version = AppVersion(
                    catalogVersion: contents.versions.first ?? 1, settingsRevision: Int64(state.finalize()))
                return LeasedVersion(version: version, isLeased: false)
            }
        }
        service.handle(CatalogEndpoints.putApp) { [self] request in
            contents.withLock { contents in
                let app = App(
                    bundleId: request.bundleId, settings: request.settings,
                    catalogVersion: contents.apps[request.bundleId]?.catalogVersion ?? 0)
                contents.apps[request.bundleId] = app
                return app
            }
        }
        service.handle(CatalogEndpoints.listApps) { [self] request in
            let apps = contents.withLock { $0.apps.values.sorted { $0.bundleId < $1.bundleId } }
            let behind = apps.filter { $0.bundleId > request.after ?? "" }
            let page = Array(behind.prefix(request.limit))
            return AppsPage(apps: page, after: behind.count > page.count ? page.last?.bundleId : nil)
        }
    }

    private func serveStorefronts() {
        service.handle(CatalogEndpoints.listStorefronts) { _ in
            StorefrontsReply(storefronts: [
                Storefront(countryCode: "USA", identifier: "143441"),
                Storefront(countryCode: "FRA", identifier: "143442"),
            ])
        }
        service.handle(CatalogEndpoints.describeStorefronts) { _ in
            StorefrontDescriptions(storefronts: [
                StorefrontDescription(
                    countryCode: "USA", identifier: "143441", name: "United States", currency: Sample.dollars,
                    locale: "en_US", languages: ["en_US"])
            ])
        }
        service.handle(CatalogEndpoints.productOffers) { [self] request in
            let (products, codeOffers) = contents.withLock { ($0.products, $0.codeOffers) }
            guard let product = products.first(where: { $0.productIdentifier == request.productIdentifier })
            else {
                throw StoreError(.productNotFound, "there is no product '\(request.productIdentifier)'")
            }
            return ProductOffers(
                productIdentifier: product.productIdentifier, storefront: request.storefront ?? "USA",
                introductoryPrice: product.introductoryPrice, discounts: product.discounts,
                redeemableOffers: [Sample.winBackOffer] + codeOffers)
        }
        service.handle(CatalogEndpoints.listSubscriptions) { [self] request in
            let known = contents.withLock { contents in
                contents.products.compactMap { product in
                    product.subscriptionGroupIdentifier.map {
                        SubscriptionProduct(
                            productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: $0,
                            isAvailable: true)
                    }
                }
            }
            // A product a page.
            let place = request.after.flatMap { after in known.firstIndex { $0.productIdentifier == after } }
            let page = Array(known[(place.map { $0 + 1 } ?? 0)...].prefix(1))
            let isLast = page.last?.productIdentifier == known.last?.productIdentifier
            return SubscriptionProductsPage(
                subscriptions: page, after: isLast ? nil : page.last?.productIdentifier, catalogVersion: 1)
        }
        service.handle(CatalogEndpoints.explainProduct) { [self] request in
            let isKnown = contents.withLock { contents in
                contents.explainRequests.append(request)
                return contents.products.contains { $0.productIdentifier == request.productIdentifier }
            }
            return ProductExplanation(
                productIdentifier: request.productIdentifier, storefront: request.storefront ?? "USA",
                reasons: isKnown ? [] : [.unknown], details: isKnown ? [] : ["there is no such product"])
        }
    }

    private func serveProducts() {
        service.handle(CatalogEndpoints.queryProducts) { [self] request in
            let (products, version) = contents.withLock { contents in
                contents.productRequests.append(request)
                let sold = contents.products.filter {
                    !contents.promoting.unavailable.contains($0.productIdentifier)
                }
                return (sold, contents.versions.isEmpty ? 1 : contents.versions.removeFirst())
            }
            let wanted = request.productIdentifiers
            return ProductsReply(
                products: wanted.compactMap { id in products.first { $0.productIdentifier == id } },
                invalidProductIdentifiers: wanted.filter { id in !products.contains { $0.productIdentifier == id } },
                catalogVersion: version)
        }
        service.handle(CatalogEndpoints.listProducts) { [self] request in
            let products = contents.withLock { $0.products }.filter { request.type == nil || $0.type == request.type }
            return ProductsPage(products: Array(products.prefix(request.limit)), after: nil, catalogVersion: 1)
        }
    }

    private func serveImports() {
        service.handle(CatalogEndpoints.beginImport) { [self] request in
            contents.withLock {
                let parts = request.data.map { [0: $0] } ?? [:]
                $0.uploads["i1"] = (request.bundleId, request.byteCount, parts)
            }
            return BeginImportReply(importIdentifier: "i1")
        }
        service.handle(CatalogEndpoints.addImportPart) { [self] request in
            contents.withLock { $0.uploads[request.importIdentifier]?.parts[request.index] = request.data }
            return Empty()
        }
        service.handle(CatalogEndpoints.tryImport) { [self] request in
            try contents.withLock { contents in
                if let refusal = contents.refusal { throw refusal }
                guard let upload = contents.uploads.removeValue(forKey: request.importIdentifier) else {
                    throw StoreError(.notFound, "no import")
                }
                return ImportReport(
                    bundleId: upload.bundleId, catalogVersion: 1, fileVersion: "4.0", productCount: 3,
                    subscriptionGroupCount: 1, introductoryOfferCount: 1, settingsApplied: [], settingsIgnored: [],
                    notes: [])
            }
        }
        service.handle(CatalogEndpoints.commitImport) { [self] request in
            await contents.withLock { $0.importGate }?.wait()
            return try contents.withLock { contents in
                if let refusal = contents.refusal { throw refusal }
                guard let upload = contents.uploads[request.importIdentifier] else {
                    throw StoreError(.notFound, "no import")
                }
                contents.file = (0..<upload.parts.count).flatMap { upload.parts[$0] ?? Data() }
                return ImportReport(
                    bundleId: upload.bundleId, catalogVersion: 2, fileVersion: "4.0", productCount: 3,
                    subscriptionGroupCount: 1, introductoryOfferCount: 1, settingsApplied: [], settingsIgnored: [],
                    notes: [])
            }
        }
        service.handle(CatalogEndpoints.exportPart) { [self] request in
            let file = contents.withLock { $0.file }
            let size = ImportPartRequest.byteCountMax
            let count = max(1, (file.count + size - 1) / size)
            let part = file.dropFirst(request.index * size).prefix(size)
            return ExportPartReply(catalogVersion: 2, partCount: count, data: Data(part))
        }
    }
}
