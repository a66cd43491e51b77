import BusService
import Hummingbird
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    /// Routes for promotional images and their review (M66).
    var imageRoutes: [Route] {
        [
            Route(ImageRoutes.put) { [self] in try await putImage($0) },
            Route(ImageRoutes.get) { [self] in try await image($0) },
            Route(ImageRoutes.approve) { [self] in try await review($0, isApproved: true) },
            Route(ImageRoutes.reject) { [self] in try await review($0, isApproved: false) },
        ]
    }

    /// Streams the file to Catalog, part by part. It takes effect with the commit, which checks its header.
    @concurrent private func putImage(_ call: Call) async throws -> PromotionImage {
        let upload = try ContentUpload(call, limit: PromotionImage.lengthMax)
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        let product = try call.product()
        let begin = BeginImageRequest(bundleId: product.bundleId, productIdentifier: product.productIdentifier)
        let identifier = try await services.call(CatalogEndpoints.beginImage, begin, context: context).uploadIdentifier
        var parts = upload.parts()
        while let part = try await parts.next() {
            let request = ContentPartRequest(
                uploadIdentifier: identifier, offset: parts.offset - Int64(part.count),
                data: Data(part).base64EncodedString())
            _ = try await services.call(CatalogEndpoints.addImagePart, request, context: context)
        }
        return try await services.call(
            CatalogEndpoints.commitImage, CommitContentRequest(uploadIdentifier: identifier, length: parts.offset),
            context: context)
    }

    private func image(_ call: Call) async throws -> Reply<RawBody> {
        let product = try call.product()
        let image = try await services.call(CatalogEndpoints.getImage, product, context: call.context())
        return try await ImageReader(services: services, bundleId: product.bundleId, image: image).response(to: call)
    }

    private func review(_ call: Call, isApproved: Bool) async throws -> PromotionImage {
        let product = try call.product()
        let body = try await call.body(ReviewReason.self, isOptional: true)
        try body.validate()
        let request = ReviewImageRequest(
            bundleId: product.bundleId, productIdentifier: product.productIdentifier, isApproved: isApproved,
            reason: body.reason)
        return try await services.call(CatalogEndpoints.reviewImage, request, context: call.context())
    }
}

extension Call {
    /// The product the path names.
    /// - Throws: `requestInvalid`, `notFound`.
    func product() throws(StoreError) -> ProductReference {
        ProductReference(bundleId: try bundleId(), productIdentifier: try parameter(.id, of: "product"))
    }
}
