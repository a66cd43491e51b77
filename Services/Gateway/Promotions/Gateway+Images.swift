import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes for promotional images and their review (M66).
    var imageRoutes: [Route] {
        [
            Route(ImageRoutes.put) { [self] in try await putImage($0) },
            Route(ImageRoutes.get) { [self] in try await image($0) },
            forward(ImageRoutes.approve, to: CatalogEndpoints.reviewImage) { try $0.review($1, isApproved: true) },
            forward(ImageRoutes.reject, to: CatalogEndpoints.reviewImage) { try $0.review($1, isApproved: false) },
        ]
    }

    /// Streams the file to Catalog, part by part. It takes effect with the commit, which checks its header.
    @concurrent private func putImage(_ call: Call) async throws -> PromotionImage {
        let upload = try ContentUpload(call, limit: PromotionImage.lengthMax)
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        let product = try call.product()
        let begin = BeginImageRequest(bundleId: product.bundleId, productIdentifier: product.productIdentifier)
        let begun = try await services.call(CatalogEndpoints.beginImage, begin, context: context)
        let commit = try await upload.send(begun, services, CatalogEndpoints.addImagePart, context)
        return try await services.call(CatalogEndpoints.commitImage, commit, context: context)
    }

    private func image(_ call: Call) async throws -> Reply<RawBody> {
        let product = try call.product()
        let image = try await services.call(CatalogEndpoints.getImage, product, for: call)
        return try await ImageReader(services: services, bundleId: product.bundleId, image: image).response(to: call)
    }
}

extension Call {
    /// The product the path names.
    /// - Throws: `requestInvalid`, `notFound`.
    func product() throws(StoreError) -> ProductReference {
        ProductReference(bundleId: try bundleId(), productIdentifier: try parameter(.id, of: "product"))
    }

    fileprivate func review(_ body: ReviewReason, isApproved: Bool) throws(StoreError) -> ReviewImageRequest {
        let product = try product()
        return ReviewImageRequest(
            bundleId: product.bundleId, productIdentifier: product.productIdentifier, isApproved: isApproved,
            reason: body.reason)
    }
}
