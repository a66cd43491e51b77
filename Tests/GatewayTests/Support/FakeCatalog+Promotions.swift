import Cryptography
import EventLoop
import Foundation
import StoreModels

/// What the operator sets up of promotions. An app without a list promotes every product.
extension FakeCatalog {
    struct Promoting {
        var entries: [PromotionEntry]?
        var featured: [ProductReference] = []
        var appName = "Example"
        /// Products that cannot be bought: no customer's list shows them.
        var unavailable: Set<String> = []
        var image: (described: PromotionImage, bytes: [UInt8])?
        var uploads: [String: (begin: BeginImageRequest, bytes: [UInt8])] = [:]
        var reviews: [ReviewImageRequest] = []
        var productRequests: [ProductPromotionRequest] = []
        /// Holds `promotions.list` up until it is opened.
        var gate: Gate?
    }

    func servePromotions() {
        service.handle(CatalogEndpoints.listPromotions) { [self] request in
            let gate = contents.withLock { contents in
                contents.promotionRequests.append(request)
                return contents.promoting.gate
            }
            await gate?.wait()
            return contents.withLock { $0.promotions }
        }
        service.handle(CatalogEndpoints.productPromotion) { [self] request in
            try contents.withLock { contents in
                contents.promoting.productRequests.append(request)
                let product = contents.products.first { $0.productIdentifier == request.productIdentifier }
                guard let product else {
                    throw StoreError(.productNotFound, "there is no product '\(request.productIdentifier)'")
                }
                return PromotedProductFacts(
                    product: product, isPromoted: true, isAvailable: true, appPrice: nil, currentVersion: "1.0",
                    promotionsSupportedSince: nil)
            }
        }
        service.handle(CatalogEndpoints.putPromotions) { [self] request in
            contents.withLock { $0.promoting.entries = request.entries }
            return setup(of: request.bundleId)
        }
        service.handle(CatalogEndpoints.getPromotions) { [self] in setup(of: $0.bundleId) }
        service.handle(CatalogEndpoints.putFeatured) { [self] request in
            contents.withLock { $0.promoting.featured = request.products }
            return FeaturedList(products: request.products)
        }
        service.handle(CatalogEndpoints.getFeatured) { [self] _ in
            FeaturedList(products: contents.withLock { $0.promoting.featured })
        }
        serveImages()
    }

    private func setup(of bundleId: String) -> PromotionSetup {
        let entries = contents.withLock { $0.promoting.entries }
        return PromotionSetup(
            bundleId: bundleId, isPreview: entries == nil,
            promotions: (entries ?? []).map {
                PromotionSetup.Item(
                    productIdentifier: $0.productIdentifier, visible: $0.visible, image: nil, reasons: [.noImage],
                    details: ["It has no image."])
            })
    }

    private func serveImages() {
        service.handle(CatalogEndpoints.beginImage) { [self] request in
            contents.withLock { contents in
                let identifier = "im\(contents.promoting.uploads.count)"
                contents.promoting.uploads[identifier] = (request, [])
                return BeginContentReply(uploadIdentifier: identifier)
            }
        }
        service.handle(CatalogEndpoints.addImagePart) { [self] request in
            let bytes = [UInt8](Data(base64Encoded: request.data) ?? Data())
            return try contents.withLock { contents in
                guard Int64(contents.promoting.uploads[request.uploadIdentifier]?.bytes.count ?? -1) == request.offset
                else { throw StoreError(.requestInvalid, "the part does not follow") }
                contents.promoting.uploads[request.uploadIdentifier]?.bytes += bytes
                return Empty()
            }
        }
        service.handle(CatalogEndpoints.commitImage) { [self] request in
            try contents.withLock { contents in
                guard let upload = contents.promoting.uploads.removeValue(forKey: request.uploadIdentifier),
                    upload.bytes.count == Int(request.length)
                else { throw StoreError(.notFound, "there is no such upload") }
                guard upload.bytes.starts(with: [0x89, 0x50]) else {
                    throw StoreError.invalid("$", "must be a PNG or JPEG of 1024×1024", status: 422)
                }
                let image = Self.describe(upload.bytes, of: upload.begin.productIdentifier)
                contents.promoting.image = (image, upload.bytes)
                return image
            }
        }
        service.handle(CatalogEndpoints.getImage) { [self] request in try image(of: request).described }
        service.handle(CatalogEndpoints.readImage) { [self] request in
            let reference = ProductReference(
                bundleId: request.bundleId, productIdentifier: request.productIdentifier)
            let bytes = try image(of: reference).bytes.dropFirst(Int(request.offset))
                .prefix(ContentPartRequest.bytesMax)
            return ContentPart(data: Data(bytes).base64EncodedString())
        }
        service.handle(CatalogEndpoints.reviewImage) { [self] request in
            var image = try image(
                of: ProductReference(bundleId: request.bundleId, productIdentifier: request.productIdentifier))
            image.described.state = request.isApproved ? .approved : .rejected
            image.described.reason = request.reason
            contents.withLock { contents in
                contents.promoting.reviews.append(request)
                contents.promoting.image = image
            }
            return image.described
        }
    }

    private func image(of product: ProductReference) throws -> (described: PromotionImage, bytes: [UInt8]) {
        guard let image = contents.withLock({ $0.promoting.image }),
            image.described.productIdentifier == product.productIdentifier
        else { throw StoreError(.notFound, "the product has no image") }
        return image
    }

    private static func describe(_ bytes: [UInt8], of productIdentifier: String) -> PromotionImage {
        let digest = SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return PromotionImage(
            productIdentifier: productIdentifier, state: .waiting, format: .png, width: 1024, height: 1024,
            length: Int64(bytes.count), sha256: digest)
    }
}

extension FakeCatalog.Contents {
    /// The list's products, in its order, as Catalog presents them.
    fileprivate var promotions: PromotedProductsReply {
        let entries =
            promoting.entries
            ?? products.map { PromotionEntry(productIdentifier: $0.productIdentifier, visible: true) }
        let listed = entries.compactMap { entry in products.first { $0.productIdentifier == entry.productIdentifier } }
        return PromotedProductsReply(
            products: listed, hiddenProductIdentifiers: entries.filter { !$0.visible }.map(\.productIdentifier),
            featuredProductIdentifiers: promoting.featured.map(\.productIdentifier), appName: promoting.appName,
            catalogVersion: 1)
    }
}
