import BusClient
import BusService
import EventLoop
import Foundation
import Persistence
import ServiceTesting
import StoreModels
import Testing

@testable import Catalog

/// The subjects on a bus inside the process: what a caller sends and gets.
@Suite struct CatalogHandlersTests {
    @Test func `a file goes in, products, a quote and the file come out`() async throws {
        try await withCaller { caller in
            let file = try StoreJSON.encode(
                FileBuilder.file(products: [FileBuilder.product("a"), FileBuilder.product("b")]))
            let begun = try await caller.call(
                CatalogEndpoints.beginImport, BeginImportRequest(bundleId: "com.example.app", byteCount: file.count),
                context: CallContext())
            _ = try await caller.call(
                CatalogEndpoints.addImportPart,
                ImportPartRequest(importIdentifier: begun.importIdentifier, index: 0, data: Data(file)),
                context: CallContext())
            let report = try await caller.call(
                CatalogEndpoints.commitImport, CommitImportRequest(importIdentifier: begun.importIdentifier),
                context: CallContext())
            #expect(report.catalogVersion == 1)
            let reply = try await caller.call(
                CatalogEndpoints.queryProducts,
                ProductsRequest(bundleId: "com.example.app", productIdentifiers: ["b", "x"], storefront: "FRA"),
                context: CallContext())
            #expect(reply.products.map(\.productIdentifier) == ["b"])
            #expect(reply.invalidProductIdentifiers == ["x"])
            let page = try await caller.call(
                CatalogEndpoints.listProducts, ProductsPageRequest(bundleId: "com.example.app", storefront: "FRA"),
                context: CallContext())
            #expect(page.products.count == 2)
            let quote = try await caller.call(
                CatalogEndpoints.quoteProduct,
                QuoteRequest(bundleId: "com.example.app", productIdentifier: "a", storefront: "FRA"),
                context: CallContext())
            #expect(quote.availability == .available)
            let promoted = try await caller.call(
                CatalogEndpoints.listPromotions,
                PromotedProductsRequest(bundleId: "com.example.app", storefront: "FRA"),
                context: CallContext())
            #expect(promoted.products.count == 2)
            let part = try await caller.call(
                CatalogEndpoints.exportPart, ExportPartRequest(bundleId: "com.example.app", index: 0),
                context: CallContext())
            #expect(Array(part.data) == file)
        }
    }

    @Test func `apps and storefronts are answered`() async throws {
        try await withCaller { caller in
            let put = try await caller.call(
                CatalogEndpoints.putApp, PutAppRequest(bundleId: "com.example.app", settings: AppSettings(name: "A")),
                context: CallContext())
            let get = try await caller.call(
                CatalogEndpoints.getApp, AppRequest(bundleId: "com.example.app"), context: CallContext())
            let list = try await caller.call(
                CatalogEndpoints.listApps, PageRequest(in: .installation), context: CallContext())
            #expect(list.apps == [put])
            #expect(get == put)
            let storefronts = try await caller.call(CatalogEndpoints.listStorefronts, Empty(), context: CallContext())
            let usa = Storefront(countryCode: "USA", identifier: "143441", currency: Currency(code: "USD"))
            #expect(storefronts.storefronts.contains(usa))
            let described = try await caller.call(
                CatalogEndpoints.describeStorefronts, Empty(), context: CallContext())
            #expect(described.storefronts.map(\.countryCode) == storefronts.storefronts.map(\.countryCode))
            #expect(described.storefronts == StorefrontTable.builtIn.entries.map(\.described))
            let explanation = try await caller.call(
                CatalogEndpoints.explainProduct,
                ExplainProductRequest(bundleId: "com.example.app", productIdentifier: "x", storefront: "FRA"),
                context: CallContext())
            #expect(explanation.reasons == [.unknown])
        }
    }

    @Test func `errors keep their code on the way`() async throws {
        try await withCaller { caller in
            let error = await #expect(throws: StoreError.self) {
                try await caller.call(
                    CatalogEndpoints.commitImport, CommitImportRequest(importIdentifier: "nobody"),
                    context: CallContext())
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `M47 content goes in and comes out in parts as large as they may be, with any bytes`() async throws {
        try await withCaller { caller in
            // Base64 of these bytes is slashes only, which JSON may write as two characters.
            let part = Data(repeating: 0xff, count: ContentPartRequest.bytesMax)
            let file = try StoreJSON.encode(FileBuilder.hosted(length: 2 * part.count))
            let (bundleId, product) = (CatalogFixture.bundleId, "guide")
            let begun = try await caller.call(
                CatalogEndpoints.beginImport, BeginImportRequest(bundleId: bundleId, byteCount: file.count))
            _ = try await caller.call(
                CatalogEndpoints.addImportPart,
                ImportPartRequest(importIdentifier: begun.importIdentifier, index: 0, data: Data(file)))
            _ = try await caller.call(
                CatalogEndpoints.commitImport, CommitImportRequest(importIdentifier: begun.importIdentifier))
            let upload = try await caller.call(
                CatalogEndpoints.beginContent,
                BeginContentRequest(bundleId: bundleId, productIdentifier: product, version: "1.0")
            ).uploadIdentifier
            for offset in [0, part.count] {
                _ = try await caller.call(
                    CatalogEndpoints.addContentPart,
                    ContentPartRequest(
                        uploadIdentifier: upload, offset: Int64(offset), data: part.base64EncodedString()))
            }
            let content = try await caller.call(
                CatalogEndpoints.commitContent,
                CommitContentRequest(uploadIdentifier: upload, length: Int64(2 * part.count))
            ).content
            let described = try await caller.call(
                CatalogEndpoints.getContent, ContentRequest(bundleId: bundleId, productIdentifier: product))
            #expect(described == content)
            let read = try await caller.call(
                CatalogEndpoints.readContent,
                ReadContentRequest(
                    bundleId: bundleId, productIdentifier: product, version: "1.0", sha256: content.sha256, offset: 7,
                    length: part.count))
            #expect(Data(base64Encoded: read.data) == part)
        }
    }

    @Test func `E1: an import whose first commit ended before its answer is in memory when the second is answered`()
        async throws
    {
        try await withStoreAndCaller { store, caller in
            let file = try StoreJSON.encode(FileBuilder.file(products: [FileBuilder.product("a")]))
            let (importer, bundleId) = (store.importer, CatalogFixture.bundleId)
            let identifier = try await importer.begin(
                BeginImportRequest(bundleId: bundleId, byteCount: file.count)
            ).importIdentifier
            _ = try await importer.add(
                ImportPartRequest(importIdentifier: identifier, index: 0, data: Data(file)))
            let upload = try await importer.imports.upload(identifier, now: importer.now())
            let content = try StoreKitFileReader.read(upload.bytes, fileName: upload.fileName)
            _ = try await importer.imports.commit(
                identifier, upload, defaults: AppSettings(name: "A"), billingGracePeriod: nil
            ) { version in
                ImportReport(content, bundleId: bundleId, catalogVersion: version)
            }
            let lease = AppLeaseRequest(bundleId: bundleId)
            #expect(try await caller.call(CatalogEndpoints.leaseApp, lease).version.catalogVersion == 0)
            let report = try await caller.call(
                CatalogEndpoints.commitImport, CommitImportRequest(importIdentifier: identifier))
            #expect(report.catalogVersion == 1)
            #expect(try await caller.call(CatalogEndpoints.leaseApp, lease).version.catalogVersion == 1)
        }
    }

    @Test func `a change of content, an image or the featured tab recalls the leases on its apps only`() async throws {
        let recalled = Locked<[String?]>([])
        try await withStoreAndCaller(recalled: recalled) { store, caller in
            let app = CatalogFixture.bundleId
            try await store.importFile(FileBuilder.hosted(length: 3))
            let content = try await store.beginUpload()
            try await store.addPart([1, 2, 3], at: 0, to: content)
            _ = try await caller.call(
                CatalogEndpoints.commitContent, CommitContentRequest(uploadIdentifier: content, length: 3))
            let (image, bytes) = (try await store.beginImage(of: "guide"), ImageBuilder.png())
            try await store.addImagePart(bytes, to: image)
            _ = try await caller.call(
                CatalogEndpoints.commitImage,
                CommitContentRequest(uploadIdentifier: image, length: Int64(bytes.count)))
            let featured = PutFeaturedRequest(
                [ProductReference(bundleId: app, productIdentifier: "guide")], in: .installation)
            _ = try await caller.call(CatalogEndpoints.putFeatured, featured)
            #expect(recalled.withLock { $0 } == [app, app, app])
            // Repeated, it does not say any more which apps it has changed.
            _ = try await caller.call(CatalogEndpoints.putFeatured, featured)
            #expect(recalled.withLock { $0 } == [app, app, app, nil])
        }
    }

    @Test func `a database that was closed makes the service unavailable`() async throws {
        try await withCatalog { store async throws in
            let bus = InMemoryBus()
            let running = await RunningService.start(.catalog, on: bus) {
                CatalogHandlers(store: store).register(on: $0)
            }
            await store.apps.database.close()
            let error = await #expect(throws: StoreError.self) {
                try await ServiceCaller(bus: bus.client(name: "test"), caller: "test").call(
                    CatalogEndpoints.putApp,
                    PutAppRequest(bundleId: "com.example.app", settings: AppSettings(name: "A")),
                    context: CallContext())
            }
            #expect(error?.code == .serviceUnavailable)
            #expect(error?.retryable == true)
            await running.stop()
        }
    }
}
