import BusService
import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Promotions on a bus inside the process: what a caller sends and gets.
@Suite struct PromotionHandlersTests {
    private let app = CatalogFixture.bundleId
    private var product: ProductReference { ProductReference(bundleId: app, productIdentifier: "a") }

    private func importProducts(_ products: [String], _ caller: ServiceCaller) async throws {
        let file = try StoreJSON.encode(FileBuilder.file(products: products.map { FileBuilder.product($0) }))
        let begun = try await caller.call(
            CatalogEndpoints.beginImport, BeginImportRequest(bundleId: app, byteCount: file.count))
        _ = try await caller.call(
            CatalogEndpoints.addImportPart,
            ImportPartRequest(importIdentifier: begun.importIdentifier, index: 0, data: Data(file)))
        _ = try await caller.call(
            CatalogEndpoints.commitImport, CommitImportRequest(importIdentifier: begun.importIdentifier))
    }

    @Test func `M66 M67 M68 an image goes in, is approved, and its product is promoted`() async throws {
        try await withCaller { caller in
            try await importProducts(["a", "b"], caller)
            let bytes = Data(ImageBuilder.png(more: 300_000))
            let upload = try await caller.call(
                CatalogEndpoints.beginImage, BeginImageRequest(bundleId: app, productIdentifier: "a")
            ).uploadIdentifier
            for start in stride(from: 0, to: bytes.count, by: ContentPartRequest.bytesMax) {
                let part = bytes[start..<min(start + ContentPartRequest.bytesMax, bytes.count)]
                _ = try await caller.call(
                    CatalogEndpoints.addImagePart,
                    ContentPartRequest(
                        uploadIdentifier: upload, offset: Int64(start), data: part.base64EncodedString()))
            }
            let image = try await caller.call(
                CatalogEndpoints.commitImage,
                CommitContentRequest(uploadIdentifier: upload, length: Int64(bytes.count)))
            #expect(try await caller.call(CatalogEndpoints.getImage, product) == image)
            let read = try await caller.call(
                CatalogEndpoints.readImage,
                ReadImageRequest(bundleId: app, productIdentifier: "a", sha256: image.sha256, offset: 7))
            #expect(Data(base64Encoded: read.data) == bytes[7..<7 + ContentPartRequest.bytesMax])
            let entries = [PromotionEntry(productIdentifier: "a", visible: false)]
            let waiting = try await caller.call(
                CatalogEndpoints.putPromotions, PutPromotionsRequest(bundleId: app, entries: entries))
            #expect(waiting.promotions.map(\.reasons) == [[.imageWaitingForReview]])
            let approved = try await caller.call(
                CatalogEndpoints.reviewImage,
                ReviewImageRequest(bundleId: app, productIdentifier: "a", isApproved: true))
            #expect(approved.state == .approved)
            let setup = try await caller.call(CatalogEndpoints.getPromotions, AppRequest(bundleId: app))
            #expect(setup.promotions.map(\.promoted) == [true])
            let promoted = try await caller.call(
                CatalogEndpoints.listPromotions, PromotedProductsRequest(bundleId: app, storefront: "USA"))
            #expect(promoted.products.map(\.productIdentifier) == ["a"])
            #expect(promoted.hiddenProductIdentifiers == ["a"])
        }
    }

    @Test func `a product may be asked for in one piece, as the answer has it`() async throws {
        try await withCaller { caller in
            try await importProducts(["a"], caller)
            let request = PromotedProductsRequest(bundleId: app, storefront: "USA")
            let pieces = try await caller.call(CatalogEndpoints.listPromotions(as: RawJSON.self), request)
            let whole = try await caller.call(CatalogEndpoints.listPromotions, request)
            let decoded = try pieces.products.map { try StoreJSON.decode(Product.self, from: Array($0.bytes)) }
            #expect(decoded == whole.products)
        }
    }

    @Test func `M64 M109 the featured tab and a product's facts are answered`() async throws {
        try await withCaller { caller in
            try await importProducts(["a", "b"], caller)
            let list = FeaturedList(products: [product])
            #expect(
                try await caller.call(
                    CatalogEndpoints.putFeatured, PutFeaturedRequest(list.products, in: .installation)) == list)
            #expect(try await caller.call(CatalogEndpoints.getFeatured, FeaturedRequest(in: .installation)) == list)
            let facts = try await caller.call(
                CatalogEndpoints.productPromotion,
                ProductPromotionRequest(bundleId: app, productIdentifier: "a", storefront: "USA"))
            #expect(facts.product.productIdentifier == "a")
            #expect(facts.isPromoted)
        }
    }

    @Test func `E1: a featured tab whose first commit ended before its answer is in memory when it is repeated`()
        async throws
    {
        try await withStoreAndCaller { store, caller in
            try await store.importProducts(["a"])
            let request = PutFeaturedRequest([product], in: .installation)
            #expect(try await store.promotions.promotions.put(request) == [app])
            let lease = AppLeaseRequest(bundleId: app)
            #expect(try await caller.call(CatalogEndpoints.leaseApp, lease).version.catalogVersion == 1)
            _ = try await caller.call(CatalogEndpoints.putFeatured, request)
            #expect(try await caller.call(CatalogEndpoints.leaseApp, lease).version.catalogVersion == 2)
            #expect(try store.promoted().featuredProductIdentifiers == ["a"])
        }
    }

    @Test func `refusals keep their status over the bus`() async throws {
        try await withCaller { caller in
            try await importProducts(["a"], caller)
            let upload = try await caller.call(
                CatalogEndpoints.beginImage, BeginImageRequest(bundleId: app, productIdentifier: "a")
            ).uploadIdentifier
            let bytes = Data(ImageBuilder.jpeg(width: 800, height: 600))
            _ = try await caller.call(
                CatalogEndpoints.addImagePart,
                ContentPartRequest(uploadIdentifier: upload, offset: 0, data: bytes.base64EncodedString()))
            let small = try await refusal {
                try await caller.call(
                    CatalogEndpoints.commitImage,
                    CommitContentRequest(uploadIdentifier: upload, length: Int64(bytes.count)))
            }
            #expect(small?.status == 422)
            #expect(small?.details["found"] == "800×600, JPEG")
            let missing = try await refusal { try await caller.call(CatalogEndpoints.getImage, product) }
            #expect(missing?.code == .notFound)
        }
    }
}
