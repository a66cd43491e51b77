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
    /// Buys a product as StoreKit 2 does. Requests with the same key are one charge.
    ///
    /// It is a payment of `POST /v1/payments`, with the outcome in StoreKit 2's words. A product that the customer
    /// holds, or a change that begins with the next renewal, leaves no transaction in the queue. The response then is
    /// the transaction that the customer holds.
    package static let purchase = HTTPEndpoint<PaymentRequest, PurchaseResponse>(
        "purchase", .post, "/v1/purchases", .app,
        parameters: [.key], urgency: .purchase,
        responses: [
            .created("The purchase has its outcome.", headers: [.replayed]),
            .accepted("The purchase has no outcome yet; the stream has it.", headers: [.replayed]),
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
    /// The offer of StoreKit 2's options. Absent with `paymentDiscount`. With `intentIdentifier` only the intent's own
    /// `winBack`.
    package var offer: PurchaseOffer?
    /// The decision of the app's server about the introductory offer, at most 4096 characters. It is a JWS for the
    /// audience `introductory-offer-eligibility`, and takes precedence over the store's own decision. With a JWS that
    /// is not valid the customer pays the full price. Not with `intentIdentifier`.
    package var introductoryEligibility: String?
    /// `MONTHLY` buys a subscription of a year in monthly payments, if the product's `pricingTerms` have that plan. If
    /// not, the payment fails with `storeProductNotAvailable` and the reason `billingPlanUnavailable`. Such a payment has
    /// no offer. Left out, it is `BILLED_UPFRONT`. Not with `intentIdentifier`.
    package var billingPlanType: BillingPlan?
}

/// The offer of a purchase, one of the two:
///
/// ```json
/// {"promotional":{"identifier":"summer","jws":"eyJhbGciOi"}}
/// ```
///
/// ```json
/// {"winBack":"back.free.month"}
/// ```
package struct PurchaseOffer: Hashable, Sendable, Codable {
    /// A promotional offer that the app's server has signed.
    package struct Promotional: Hashable, Sendable, Codable {
        /// The offer's identifier.
        package var identifier: String
        /// A JWS for the audience `promotional-offer`, at most 4096 characters. A wrong one fails the payment with
        /// `invalidSignature`, and the error's `reason` says why.
        package var jws: String
    }

    package var promotional: Promotional?
    /// The identifier of a win-back offer that the customer is eligible for.
    package var winBack: String?
}

/// The response of `POST /v1/purchases`:
///
/// ```json
/// {"outcome":"purchased","transaction":{…},"signedTransaction":"eyJhbGciOi"}
/// ```
package struct PurchaseResponse: Hashable, Sendable, Codable {
    /// The outcome, in StoreKit 2's words.
    package enum Outcome: String, CaseIterable, Hashable, Sendable, Codable {
        /// The product was bought.
        case purchased
        /// The customer holds the product, or the change begins with the next renewal. Nothing was charged.
        case held
        /// A parent or the customer has to act first. The stream has the outcome.
        case pending
        /// The customer has cancelled.
        case cancelled
        /// `error` says why. Nothing was charged.
        case failed
        /// The store is still at work on it. The stream has the outcome.
        case purchasing
    }

    package var outcome: Outcome
    /// The payment's transaction.
    package var transaction: PaymentTransaction
    /// A JWS of ``TransactionClaims``, with `purchased` and `held` only. Absent if the transaction that the customer
    /// held was deleted since.
    package var signedTransaction: String?
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
    /// The app's token for its user, at most 255 characters.
    package var appAccountToken: String?
    /// The offer redeemed with the purchase. Absent for a purchase without an offer. A promotional offer needs no
    /// signature here.
    package var offer: RedeemedOffer?
    /// `MONTHLY` buys a year in monthly payments. Absent, the period is paid up front.
    package var billingPlanType: BillingPlan?
    /// The date of a subscription's first purchase in its group, by the app's clock. A later date is now. It has been
    /// paid then, at the regular price, and has renewed since. The response comes after that.
    package var purchaseDate: Timestamp?
    /// False if the customer turned renewal off at once. Only with `purchaseDate`.
    package var willAutoRenew: Bool?
}
