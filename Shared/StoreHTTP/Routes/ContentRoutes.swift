import StoreModels

/// Hosted content of a product, uploaded by the operator.
package enum ContentRoutes {
    /// Uploads a product's hosted content, a package of any format with at most 256 MiB, all or nothing.
    ///
    /// Version and length, where announced, must be those of the catalogue's `hostedContent`.
    package static let put = HTTPEndpoint<RawBody, HostedContent>(
        "putContent", .put, "/admin/v1/apps/{bundleId}/products/{id}/content", .admin,
        parameters: [.contentVersion], body: .streamed, content: .bytes("application/octet-stream"),
        responses: [
            .ok("The content replaces the former one."),
            .created("The content is available, and the product is for sale."),
        ], errors: [.contentNotFound, .contentInvalid, .tooMany])
    /// Reads version, size and hash of a product's content.
    package static let get = HTTPEndpoint<Empty, HostedContent>(
        "getContent", .get, "/admin/v1/apps/{bundleId}/products/{id}/content", .admin,
        parameters: [.ofContentVersion], errors: [.contentNotFound])
}

/// Promotional images and their review.
package enum ImageRoutes {
    /// Uploads a PNG or JPEG of 1024×1024 pixels, at most 4 MiB.
    ///
    /// The file's own header decides its format, not its name or type. A new image replaces the former one.
    package static let put = HTTPEndpoint<RawBody, PromotionImage>(
        "putPromotionImage", .put, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin,
        body: .streamed, content: .bytes("application/octet-stream"),
        responses: [.ok("The image waits for its review.")], errors: [.productNotFound, .imageInvalid, .tooMany])
    /// Reads a promotional image, byte for byte as it was uploaded.
    package static let get = HTTPEndpoint<Empty, RawBody>(
        "getPromotionImage", .get, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin,
        responses: [.ok("The image.", .bytes(["image/png", "image/jpeg"]), headers: [.contentTag])],
        errors: [.productNotFound])
    /// Approves an image, which may put the product on the store page.
    package static let approve = HTTPEndpoint<ReviewReason, PromotionImage>(
        "approvePromotionImage", .post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/approve", .admin,
        isBodyOptional: true, errors: [.productNotFound])
    /// Rejects an image, which takes the product off the store page.
    package static let reject = HTTPEndpoint<ReviewReason, PromotionImage>(
        "rejectPromotionImage", .post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/reject", .admin,
        isBodyOptional: true, errors: [.productNotFound])
}
