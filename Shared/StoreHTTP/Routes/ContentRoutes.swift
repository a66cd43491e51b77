import StoreModels

/// Hosted content of a product, uploaded by the operator.
package enum ContentRoutes {
    /// Uploads a package of at most 256 MiB, all or nothing.
    package static let put = HTTPEndpoint<RawBody, HostedContent>(
        .put, "/admin/v1/apps/{bundleId}/products/{id}/content", .admin, query: ["version"], body: .streamed)
    /// Reads version, size and hash of a product's content.
    package static let get = HTTPEndpoint<Empty, HostedContent>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/content", .admin, query: ["version"])

    static let all: [HTTPRoute] = [
        put.route, get.route,
    ]
}

/// Promotional images and their review.
package enum ImageRoutes {
    /// Uploads a PNG or JPEG of 1024×1024 pixels, at most 4 MiB.
    package static let put = HTTPEndpoint<RawBody, PromotionImage>(
        .put, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin, body: .streamed)
    /// The bytes as they were uploaded.
    package static let get = HTTPEndpoint<Empty, RawBody>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin)
    /// Approves an image, which may put the product on the store page.
    package static let approve = HTTPEndpoint<ReviewReason, PromotionImage>(
        .post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/approve", .admin, isBodyOptional: true)
    /// Rejects an image, which takes the product off the store page.
    package static let reject = HTTPEndpoint<ReviewReason, PromotionImage>(
        .post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/reject", .admin, isBodyOptional: true)

    static let all: [HTTPRoute] = [
        put.route, get.route, approve.route, reject.route,
    ]
}
