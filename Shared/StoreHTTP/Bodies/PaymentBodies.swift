import StoreModels

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

/// The body of `POST /v1/transactions/{id}/continue`: `{"shouldContinue":false}`.
package struct ContinueTransactionBody: Hashable, Sendable, Codable {
    /// False fails the purchase, and nothing is charged.
    package var shouldContinue: Bool
}

/// The optional body of `POST /v1/restore`: `{"applicationUsername":"u-17"}`.
package struct NewRestore: Hashable, Sendable, Codable {
    /// Recorded and returned. It does not filter.
    package var applicationUsername: String?
}

/// The response of `POST /v1/restore`:
///
/// ```json
/// {"restoreIdentifier":"r_01m7ye06a9fztjwq7kqekddpc9"}
/// ```
package struct RestoreAccepted: Hashable, Sendable, Codable {
    /// Used in `/v1/restores/{restoreIdentifier}` and in the events of its end.
    package var restoreIdentifier: String
}
