/// Hosted content of a product, uploaded by the operator.
package enum ContentRoutes {
    package static let put = HTTPRoute(
        .put, "/admin/v1/apps/{bundleId}/products/{id}/content", .admin, query: ["version"])
    package static let get = HTTPRoute(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/content", .admin, query: ["version"])

    static let all: [HTTPRoute] = [put, get]
}

/// Promotional images and their review.
package enum ImageRoutes {
    package static let put = HTTPRoute(.put, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin)
    /// The bytes as they were uploaded.
    package static let get = HTTPRoute(.get, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin)
    package static let approve = HTTPRoute(
        .post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/approve", .admin)
    package static let reject = HTTPRoute(
        .post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/reject", .admin)

    static let all: [HTTPRoute] = [put, get, approve, reject]
}
