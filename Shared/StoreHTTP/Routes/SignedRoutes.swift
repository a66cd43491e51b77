import StoreModels

/// Signed data of the session's customer, as StoreKit 2 gives it to the app.
package enum SignedRoutes {
    /// Lists the customer's signed transactions, newest first.
    ///
    /// `entitlements` has each non-consumable that the customer owns, the latest transaction of each subscription that
    /// is active or in its grace period, and the latest purchase of each non-renewing subscription. None of them is
    /// refunded, revoked or upgraded. `latest` has the newest transaction of each product, also a refunded or expired
    /// one. `all` leaves out consumables that the app has finished, unless they were taken back.
    package static let transactions = HTTPEndpoint<Empty, SignedTransactionsPage>(
        "getSignedTransactions", .get, "/v1/signed/transactions", .app,
        parameters: [.signedView, .signedProduct, .finishedConsumables, .knownRevision, .after, .limit],
        errors: [.notFound])
    /// Reads the customer's subscriptions with their signed transactions and renewal information, by group.
    ///
    /// A customer who never subscribed has none. One whose subscription ended has its last state.
    package static let subscriptions = HTTPEndpoint<Empty, SignedSubscriptionsResponse>(
        "getSignedSubscriptions", .get, "/v1/signed/subscriptions", .app,
        parameters: [.signedGroup, .signedTransaction], errors: [.notFound])
}

/// The response of `GET /v1/signed/transactions`:
///
/// ```json
/// {"seq":7,"revision":"7-4-5f0c2a9be1d43786","signedTransactions":["eyJhbGciOi"]}
/// ```
package struct SignedTransactionsPage: Hashable, Sendable, Codable {
    /// The customer's last change, as `seq` of the stream's events. The page has this change and all before it.
    package var seq: Int64
    /// Equal revisions have equal transactions in every view, signed with the same certificates and settings.
    package var revision: String
    /// Whether `revision` is the request's. The page then has no transactions.
    package var isUnchanged: Bool?
    /// JWS of ``TransactionClaims``, newest first.
    package var signedTransactions: [String]
    /// The next page's `after`, absent on the last page.
    package var after: String?
}

/// The response of `GET /v1/signed/subscriptions`:
///
/// ```json
/// {"seq":7,"groups":[{"groupID":"21378123","statuses":[{"state":1,"signedTransaction":"eyJhbGciOi",
///  "signedRenewalInfo":"eyJhbGciOi"}]}]}
/// ```
package struct SignedSubscriptionsResponse: Hashable, Sendable, Codable {
    /// The statuses of one group.
    package struct Group: Hashable, Sendable, Codable {
        /// The subscription group's identifier.
        package var groupID: String
        /// One for each subscriber of the group.
        package var statuses: [SignedSubscriptionStatus]
    }

    /// The customer's last change, as `seq` of the stream's events.
    package var seq: Int64
    /// In the order of their first purchase.
    package var groups: [Group]
}
