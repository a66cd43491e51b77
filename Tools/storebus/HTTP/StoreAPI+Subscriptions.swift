import StoreHTTP
import StoreModels

/// Requests about subscriptions, of customers and of the operator.
extension StoreAPI {
    // MARK: Operator

    /// `GET /admin/v1/subscriptions`: one page of all accounts', each with its app and account.
    func subscriptions(_ query: SubscriptionListRequest) async throws(CLIError) -> SubscriptionsPage {
        try await call(
            SubscriptionRoutes.search,
            query: [
                "bundleId": query.bundleId, "account": query.account, "state": query.state?.rawValue,
                "after": query.after, "limit": "\(query.limit)",
            ])
    }

    /// `GET /admin/v1/subscriptions/{id}/timeline`: all of it.
    /// - Parameter id: Any transaction of the subscription.
    func timeline(_ id: String) async throws(CLIError) -> SubscriptionTimeline {
        let route = SubscriptionRoutes.timeline
        var timeline = try await call(route, [.id: id], query: ["limit": "500"])
        var after = timeline.after
        while let behind = after {
            let page = try await call(
                route, [.id: id], query: ["after": behind, "limit": "500"])
            timeline.events += page.events
            after = page.after
        }
        timeline.after = nil
        return timeline
    }

    /// `POST /admin/v1/transactions/{id}/{renew,expire,…}`
    /// - Parameters:
    ///   - id: Any transaction of the subscription.
    ///   - days: Number of days of `extend`.
    func operate(
        _ operation: OperateSubscriptionRequest.Operation, on id: String, days: Int? = nil
    ) async throws(CLIError) -> OperateSubscriptionReply {
        guard operation == .extend, let days else {
            return try await call(TransactionRoutes.operate(operation), [.id: id])
        }
        return try await call(TransactionRoutes.extend, [.id: id], body: Extension(days: days))
    }

    /// Operations of support on a purchase.
    enum TakeBack: Sendable { case refund, revoke }

    /// `POST /admin/v1/transactions/{id}/{refund,revoke}`: the transaction after it.
    func takeBack(
        _ word: TakeBack, _ id: String, reason: RefundRequest.Reason?
    ) async throws(CLIError) -> PaymentTransaction {
        try await call(
            word == .refund ? TransactionRoutes.refund : TransactionRoutes.revoke, [.id: id],
            body: reason.map { RefundReason(reason: $0) })
    }

    /// `POST /admin/v1/apps/{bundleId}/purchases`: a purchase outside the app; `status` 202 has no outcome yet.
    func purchaseOutside(
        _ product: String, account: String, offer: RedeemedOffer, bundleId: String, key: String, timeout: Duration
    ) async throws(CLIError) -> PaymentTransaction {
        try await call(
            PaymentRoutes.addOutside, [.bundleId: bundleId], key: key,
            body: OutsidePurchase(account: account, productIdentifier: product, offer: offer), timeout: timeout)
    }

    // MARK: App

    /// `PUT /v1/subscriptions/{originalTransactionIdentifier}`: changes the product of the next renewal.
    func changeSubscription(
        _ original: String, to product: String, token: String
    ) async throws(CLIError) -> Subscription {
        try await call(
            SubscriptionRoutes.update, [.originalTransactionIdentifier: original], token: token,
            body: StoreHTTP.SubscriptionChange(autoRenewProductIdentifier: product))
    }

    /// `GET /v1/eligibility`: of every subscription, or of the named product.
    func eligibility(_ product: String?, token: String) async throws(CLIError) -> EligibilityReply {
        try await call(ProductRoutes.eligibility, query: ["ids": product], token: token)
    }

    // MARK: Receipts

    /// `GET /v1/receipt`
    /// - Returns: Base64.
    func receipt(token: String) async throws(CLIError) -> String {
        try await call(ReceiptRoutes.get, token: token, timeout: .seconds(60)).receiptData
    }

    /// `POST /verifyReceipt`, in Apple's own shape.
    func verifyReceipt(
        _ receiptData: String, password: String?, excludesOldTransactions: Bool
    ) async throws(CLIError) -> JSONValue {
        let body = VerifyReceiptBody(
            receiptData: receiptData, password: password,
            excludesOldTransactions: excludesOldTransactions ? true : nil)
        let request = request(ReceiptRoutes.verify, timeout: .seconds(60)).with(body)
        return try decode(ReceiptRoutes.verify, await exchange(request)).json
    }
}

/// The body of `POST /verifyReceipt`, with Apple's member names.
private struct VerifyReceiptBody: Encodable {
    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
        case excludesOldTransactions = "exclude-old-transactions"
    }

    /// Base64.
    var receiptData: String
    var password: String?
    var excludesOldTransactions: Bool?
}
