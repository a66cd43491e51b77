import StoreModels

/// Offer codes: the operator makes them, and an app's customers redeem them.
package enum OfferCodeRoutes {
    /// Makes a custom code, or a batch of one-time codes, for an offer of a subscription.
    ///
    /// The texts of one-time codes are in this response only. If it is lost, deactivate the batch and make another.
    package static let create = HTTPEndpoint<NewOfferCode, OfferCode>(
        "createOfferCode", .post, "/admin/v1/apps/{bundleId}/codes", .admin,
        responses: [
            .created(links: [
                Link(
                    "activate", to: "activateOfferCode",
                    ["bundleId": "$request.path.bundleId", "codeIdentifier": "$response.body#/codeIdentifier"],
                    "Deactivate it"), Link("list", to: "listOfferCodes", ["bundleId": "$request.path.bundleId"], "All"),
            ])
        ], errors: [.productNotFound, .codeNotMade, .outcomeUnknown])
    /// Lists an app's codes with their redemptions, oldest first.
    package static let list = HTTPEndpoint<Empty, OfferCodesPage>(
        "listOfferCodes", .get, "/admin/v1/apps/{bundleId}/codes", .admin,
        parameters: .adminPage)
    /// Activates a code, or deactivates it so that it cannot be redeemed.
    ///
    /// A batch is changed as a whole. A purchase in progress keeps its redemption.
    package static let activate = HTTPEndpoint<OfferCodeState, OfferCode>(
        "activateOfferCode", .put, "/admin/v1/apps/{bundleId}/codes/{codeIdentifier}", .admin,
        errors: [.outcomeUnknown])
    /// Redeems an offer code for the session's customer.
    ///
    /// It buys the code's product with its offer. Requests with the same key are one redemption. The response is that of
    /// `POST /v1/purchases`. A code that is refused makes no transaction.
    package static let redeem = HTTPEndpoint<CodeRedemption, PurchaseResponse>(
        "redeemOfferCode", .post, "/v1/codes/{code}/redeem", .app,
        parameters: [.key], isBodyOptional: true, urgency: .purchase,
        responses: [
            .created("The purchase has its outcome.", headers: [.replayed]),
            .accepted("The purchase has no outcome yet; the stream has it.", headers: [.replayed]),
        ], errors: [.invalidOrKey, .notFound, .codeRefused, .keyReused, .tooMany, .outcomeUnknown])
}

/// The body of `PUT /admin/v1/apps/{bundleId}/codes/{codeIdentifier}`: `{"isActive":false}`.
package struct OfferCodeState: Hashable, Sendable, Codable {
    package var isActive: Bool
}

/// The body of `POST /v1/codes/{code}/redeem`: `{"appAccountToken":"0f6e1a52-7a6f-4a0e-9a3c-6a1d1f0f6e1a"}`. It may be
/// left out.
package struct CodeRedemption: Hashable, Sendable, Codable {
    /// The app's token for its user, usually a UUID, at most 255 characters.
    package var appAccountToken: String?
}
