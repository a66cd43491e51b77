import StoreModels

/// Purchases.
package enum PaymentRoutes {
    /// Adds a payment; the same key is one charge.
    package static let add = HTTPEndpoint<PaymentRequest, PaymentTransaction>(
        .post, "/v1/payments", .app, idempotencyKey: .required, urgency: .purchase)
    /// A purchase outside the app.
    package static let addOutside = HTTPEndpoint<OutsidePurchase, PaymentTransaction>(
        .post, "/admin/v1/apps/{bundleId}/purchases", .admin, idempotencyKey: .optional, urgency: .purchase)

    static let all: [HTTPRoute] = [
        add.route, addOutside.route,
    ]
}
