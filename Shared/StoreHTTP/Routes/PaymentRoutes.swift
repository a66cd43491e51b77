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
}

/// The body of `POST /v1/payments`:
///
/// ```json
/// {"productIdentifier":"com.example.hiddenBeaches","quantity":1,"applicationUsername":"u-17"}
/// ```
/// The idempotency key becomes the payment's `requestIdentifier`.
package struct PaymentRequest: Hashable, Sendable, Codable {
    /// 1…255 characters. An unknown product makes a failed transaction, not an error.
    package var productIdentifier: String
    /// Left out, it is 1, as in `SKPayment`. Outside 1 to 10 the request is 422. More than 1 is for consumables and
    /// non-renewing subscriptions. The payment of another product fails with `paymentInvalid` and the reason
    /// `invalidQuantity`.
    package var quantity: NonNull<Quantity>?
    /// The app's own account name, at most 255 characters. It is returned unchanged.
    package var applicationUsername: String?
    /// The app's token for its user, usually a UUID, at most 255 characters.
    package var appAccountToken: String?
    /// Whether the purchase waits for an approval. Left out, it is false.
    package var simulatesAskToBuyInSandbox: Bool?
    /// The app's signed promotional offer. Absent for a payment without an offer.
    package var paymentDiscount: DiscountParts?
    /// The intent whose saved payment this is. Absent for an ordinary purchase.
    package var intentIdentifier: String?
}

/// The `paymentDiscount` of a payment as an app sends it.
///
/// Every member may be missing: then the payment fails with `missingOfferParams`, as StoreKit's does, and the request
/// is not rejected.
package struct DiscountParts: Hashable, Sendable, Codable {
    /// The promotional offer's identifier.
    package var identifier: String?
    /// The key that signed the offer, as the app's server names it.
    package var keyIdentifier: String?
    /// A UUID in lower case.
    package var nonce: String?
    /// Base64 of the DER signature, at most 256 characters.
    package var signature: String?
    /// Milliseconds since 1970, as they were signed.
    package var timestamp: Int64?
}

extension DiscountParts {
    /// Creates the complete parts of a discount.
    package init(_ discount: PaymentDiscount) {
        identifier = discount.identifier
        keyIdentifier = discount.keyIdentifier
        nonce = discount.nonce
        signature = discount.signature
        timestamp = discount.timestamp
    }
}

/// The body of `POST /admin/v1/apps/{bundleId}/purchases`, a purchase outside the app:
///
/// ```json
/// {"account":"alice","productIdentifier":"com.example.pro.monthly","offer":{"type":"winBack",
///  "identifier":"back.free.month"}}
/// ```
package struct OutsidePurchase: Hashable, Sendable, Codable {
    /// 1…128 characters. An unknown account is created.
    package var account: String
    /// 1…255 characters. An unknown product makes a failed transaction, not an error.
    package var productIdentifier: String
    /// Left out, it is 1. Outside 1 to 10 the request is 422. More than 1 is for consumables and non-renewing
    /// subscriptions.
    package var quantity: Quantity?
    /// The offer redeemed with the purchase. Absent for a purchase without an offer.
    package var offer: RedeemedOffer?
}
