import Foundation
import StoreModels

@testable import Catalog

/// Image files, made byte by byte: only what a header says is ever looked at.
enum ImageBuilder {
    /// Signature, IHDR and the end; `more` bytes of pixels that are never decoded.
    static func png(width: Int = 1024, height: Int = 1024, more: Int = 0) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", four(width) + four(height) + [8, 2, 0, 0, 0])
            + chunk("IDAT", [UInt8](repeating: 7, count: more)) + chunk("IEND", [])
    }

    /// - Parameters:
    ///   - frame: the marker of the frame header; 0xC0 is a baseline image, 0xC2 a progressive one.
    ///   - before: segments that come first, by marker.
    static func jpeg(
        width: Int = 1024, height: Int = 1024, frame: UInt8 = 0xC0, before: [(UInt8, Int)] = [(0xE0, 14)]
    ) -> [UInt8] {
        let segments = before.flatMap { marker, count in
            [0xFF, marker] + two(count + 2) + [UInt8](repeating: 0xAB, count: count)
        }
        let header: [UInt8] = [0xFF, frame] + two(17) + [8] + two(height) + two(width) + [3] + [1, 0x22, 0]
        return [0xFF, 0xD8] + segments + header + [2, 0x11, 1, 3, 0x11, 1] + [0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        four(data.count) + Array(name.utf8) + data + [0, 0, 0, 0]
    }

    static func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
    static func four(_ number: Int) -> [UInt8] { two(number >> 16) + two(number) }
}

extension CatalogStore {
    func promoted(
        in storefront: String = "USA", of bundleId: String = CatalogFixture.bundleId
    ) throws -> PromotedProductsReply {
        let reply = try products.promoted(PromotedProductsRequest(bundleId: bundleId, storefront: storefront))
        return PromotedProductsReply(
            products: try reply.products.map { try StoreJSON.decode(Product.self, from: Array($0.bytes)) },
            hiddenProductIdentifiers: reply.hiddenProductIdentifiers,
            featuredProductIdentifiers: reply.featuredProductIdentifiers, appName: reply.appName,
            catalogVersion: reply.catalogVersion)
    }

    /// The products on the page, by identifier.
    func page(in storefront: String = "USA", of bundleId: String = CatalogFixture.bundleId) throws -> [String] {
        try promoted(in: storefront, of: bundleId).products.map(\.productIdentifier)
    }

    /// Puts a list of visible products, but for those named hidden.
    @discardableResult
    func promote(
        _ products: [String], hidden: Set<String> = [], of bundleId: String = CatalogFixture.bundleId
    ) async throws -> PromotionSetup {
        let entries = products.map { PromotionEntry(productIdentifier: $0, visible: !hidden.contains($0)) }
        return try await promotions.put(PutPromotionsRequest(bundleId: bundleId, entries: entries))
    }

    func setup() async throws -> PromotionSetup {
        try await promotions.setup(AppRequest(bundleId: CatalogFixture.bundleId))
    }

    func beginImage(of product: String) async throws -> String {
        try await images.begin(
            BeginImageRequest(bundleId: CatalogFixture.bundleId, productIdentifier: product)
        ).uploadIdentifier
    }

    func addImagePart(_ bytes: some Sequence<UInt8>, at offset: Int = 0, to upload: String) async throws {
        let data = Data(bytes).base64EncodedString()
        _ = try await images.add(ContentPartRequest(uploadIdentifier: upload, offset: Int64(offset), data: data))
    }

    func commitImage(_ upload: String, length: Int) async throws -> PromotionImage {
        try await images.commit(CommitContentRequest(uploadIdentifier: upload, length: Int64(length))).reply
    }

    /// A whole image in parts of `partSize`.
    @discardableResult
    func upload(
        image bytes: [UInt8], of product: String, partSize: Int = ContentPartRequest.bytesMax
    ) async throws -> PromotionImage {
        let upload = try await beginImage(of: product)
        for start in stride(from: 0, to: bytes.count, by: partSize) {
            try await addImagePart(bytes[start..<min(start + partSize, bytes.count)], at: start, to: upload)
        }
        return try await commitImage(upload, length: bytes.count)
    }

    @discardableResult
    func review(_ product: String, approved: Bool, reason: String? = nil) async throws -> PromotionImage {
        try await promotions.review(
            ReviewImageRequest(
                bundleId: CatalogFixture.bundleId, productIdentifier: product, isApproved: approved, reason: reason))
    }

    /// Images that the review has let pass.
    func illustrate(_ products: [String]) async throws {
        for product in products {
            try await upload(image: ImageBuilder.png(), of: product)
            try await review(product, approved: true)
        }
    }

    func image(of product: String) async throws -> PromotionImage {
        try await promotions.image(
            ProductReference(bundleId: CatalogFixture.bundleId, productIdentifier: product))
    }

    func read(_ image: PromotionImage, from offset: Int64 = 0) async throws -> [UInt8] {
        let part = try await promotions.read(
            ReadImageRequest(
                bundleId: CatalogFixture.bundleId, productIdentifier: image.productIdentifier, sha256: image.sha256,
                offset: offset))
        return Array(Data(base64Encoded: part.data) ?? Data())
    }

    func facts(_ product: String, in storefront: String = "USA") throws -> PromotedProductFacts {
        try products.promotion(
            ProductPromotionRequest(
                bundleId: CatalogFixture.bundleId, productIdentifier: product, storefront: storefront))
    }

    func release(_ released: Bool, appPrice: Money? = nil, since: String? = nil) async throws {
        let settings = AppSettings(
            name: "Example", appPrice: appPrice, currentVersion: "2.1", promotionsSupportedSince: since,
            released: released)
        _ = try await put(PutAppRequest(bundleId: CatalogFixture.bundleId, settings: settings))
    }

    /// Products with no other condition than their names.
    func importProducts(_ products: [String], of bundleId: String = CatalogFixture.bundleId) async throws {
        try await importFile(FileBuilder.file(products: products.map { FileBuilder.product($0) }), into: bundleId)
    }
}
