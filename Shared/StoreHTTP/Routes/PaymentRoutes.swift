/// Purchases.
package enum PaymentRoutes {
    package static let add = HTTPRoute(.post, "/v1/payments", .app, idempotencyKey: .required)
    /// A purchase outside the app.
    package static let addOutside = HTTPRoute(
        .post, "/admin/v1/apps/{bundleId}/purchases", .admin, idempotencyKey: .optional)

    static let all: [HTTPRoute] = [add, addOutside]
}
