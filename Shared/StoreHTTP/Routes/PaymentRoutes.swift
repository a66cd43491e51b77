import StoreModels

/// Purchases.
package enum PaymentRoutes {
    /// Adds a payment. Requests with the same key are one charge.
    ///
    /// The same key with another payment is 422 `keyReused`. With the same payment it returns the transaction, with
    /// Idempotent-Replayed once it is purchased or failed. With `intentIdentifier` it is the saved payment of a
    /// purchase that began in the store, and continues it.
    package static let add = HTTPEndpoint<PaymentRequest, PaymentTransaction>(
        "addPayment", .post, "/v1/payments", .app,
        parameters: [.key], urgency: .purchase,
        responses: [
            .created(
                "The transaction is purchased, or failed as StoreKit reports it to the observer.", headers: [.replayed],
                links: [
                    Link("get", to: "getTransaction", ["id": "$response.body#/id"], "One"),
                    Link("finish", to: "finishTransaction", ["id": "$response.body#/id"], "Takes it out of the queue"),
                    Link(
                        "download", to: "startDownload", ["id": "$response.body#/downloads/0/id"], "Its hosted content"),
                ]),
            .accepted(
                "The transaction is still purchasing; the stream has its outcome.", headers: [.replayed],
                links: [Link("get", to: "getTransaction", ["id": "$response.body#/id"], "One")]),
        ], errors: [.invalidOrKey, .notFound, .paymentInFlight, .paymentRefused, .tooMany, .outcomeUnknown])
    /// Buys a product outside the app, as in the App Store.
    ///
    /// The transaction's device is `app-store`, and all devices of the account are notified when it is purchased.
    package static let addOutside = HTTPEndpoint<OutsidePurchase, PaymentTransaction>(
        "buyOutside", .post, "/admin/v1/apps/{bundleId}/purchases", .admin,
        parameters: [.optionalKey], urgency: .purchase,
        responses: [
            .created(
                "The transaction is purchased, or failed as StoreKit reports it to the observer.", headers: [.replayed]),
            .accepted("The transaction is still purchasing, or deferred.", headers: [.replayed]),
        ], errors: [.invalidOrKey, .inFlight, .paymentRefused, .tooMany, .outcomeUnknown])

    static let all: [any HTTPOperation] = [
        add, addOutside,
    ]
}
