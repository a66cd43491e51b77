import BusService
import FoundationEssentials
import GatewayEdge
import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The routes for promotional images and their review (M66).
struct ImageArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            Route(ImageRoutes.put) { try await putImage($0) },
            Route(ImageRoutes.get) { try await image($0) },
            services.forward(ImageRoutes.approve, to: CatalogEndpoints.reviewImage) {
                try $0.review($1, isApproved: true)
            },
            services.forward(ImageRoutes.reject, to: CatalogEndpoints.reviewImage) {
                try $0.review($1, isApproved: false)
            },
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
    fileprivate func review(_ body: ReviewReason, isApproved: Bool) throws(StoreError) -> ReviewImageRequest {
        let product = try product()
        return ReviewImageRequest(
            bundleId: product.bundleId, productIdentifier: product.productIdentifier, isApproved: isApproved,
            reason: body.reason)
    }
}

/// Responds with a promotional image's bytes, read from Catalog part by part. Each part is read after the client took
/// the previous one.
struct ImageReader: Sendable {
    let services: ServiceCaller
    let bundleId: String
    let image: PromotionImage

    /// Responds with the image. The first part is read before the response begins, so that an error is a problem and
    /// not a broken file. An image replaced meanwhile closes the connection.
    func response(to call: Call) async throws -> Reply<RawBody> {
        let first = try await part(at: 0, call)
        let headers: HTTPFields = [
            .contentType: contentType, .eTag: "\"\(image.sha256)\"", .cacheControl: "private, no-cache",
        ]
        let body = ResponseBody(contentLength: Int(image.length)) { writer in
            var offset: Int64 = 0
            var bytes = first
            while !bytes.isEmpty {
                try await writer.write(ByteBuffer(bytes: bytes))
                offset += Int64(bytes.count)
                bytes = offset < image.length ? try await part(at: offset, call) : []
            }
            try await writer.finish(nil)
        }
        return Reply(headers: headers, body: body)
    }

    private var contentType: String {
        switch image.format {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        }
    }

    private func part(at offset: Int64, _ call: Call) async throws(StoreError) -> [UInt8] {
        let request = ReadImageRequest(
            bundleId: bundleId, productIdentifier: image.productIdentifier, sha256: image.sha256, offset: offset)
        let part = try await services.call(
            CatalogEndpoints.readImage, request, context: call.context(deadline: .now + HTTPLimits.requestTimeout))
        guard let data = Data(base64Encoded: part.data), !data.isEmpty, Int64(data.count) <= image.length - offset
        else { throw StoreError(.internal, "catalog answered other bytes of the image than it was asked for") }
        return Array(data)
    }
}
