import EventLoop
import StoreModels

/// What receipts are made of.
extension FakePaymentQueue {
    func serveReceipts() {
        service.handle(SubscriptionEndpoints.receipt) { [self] request in
            try check()
            return try contents.withLock { contents in
                contents.receiptRequests.append(request)
                guard request.customerIdentifier == Self.customer || request.customerIdentifier == "c_bob" else {
                    throw StoreError(.notFound, "there is no such customer")
                }
                let start =
                    request.after.flatMap { after in
                        contents.receiptItems.firstIndex { $0.transactionIdentifier == after }
                    }.map { $0 + 1 } ?? 0
                let limit = min(request.limit, contents.pageMax)
                let page = Array(contents.receiptItems.dropFirst(start).prefix(limit))
                return ReceiptFactsPage(
                    items: page, subscriptions: request.after == nil ? contents.subscribing.subscriptions : [],
                    after: start + page.count < contents.receiptItems.count ? page.last?.transactionIdentifier : nil,
                    firstSeen: Timestamp(milliseconds: 1_790_000_000_000), businessNow: contents.businessNow)
            }
        }
    }

    /// Purchases of Alice's: a trial, its renewal that was refunded, and something to keep.
    func buySamples() {
        let start = Timestamp(milliseconds: 1_795_600_000_123)
        contents.withLock { contents in
            contents.receiptItems = [
                with(
                    ReceiptItem(
                        transactionIdentifier: "2000000000000001", originalTransactionIdentifier: "2000000000000001",
                        productIdentifier: Sample.pro.productIdentifier, type: .autoRenewable, quantity: 1,
                        purchaseDate: start, originalPurchaseDate: start, expiresDate: start + .seconds(7 * 86400),
                        subscriptionGroupIdentifier: "g1")
                ) {
                    $0.webOrderLineItemIdentifier = "1000000000000001"
                    $0.isTrialPeriod = true
                    $0.isInIntroOfferPeriod = false
                    $0.offer = AppliedOffer(type: .introductory, paymentMode: .freeTrial)
                },
                with(
                    ReceiptItem(
                        transactionIdentifier: "2000000000000002", originalTransactionIdentifier: "2000000000000002",
                        productIdentifier: Sample.hiddenBeaches.productIdentifier, type: .nonConsumable, quantity: 1,
                        purchaseDate: start + .seconds(60), originalPurchaseDate: start + .seconds(60))
                ) {
                    $0.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
                },
                with(
                    ReceiptItem(
                        transactionIdentifier: "2000000000000003", originalTransactionIdentifier: "2000000000000001",
                        productIdentifier: Sample.pro.productIdentifier, type: .autoRenewable, quantity: 1,
                        purchaseDate: start + .seconds(7 * 86400), originalPurchaseDate: start,
                        expiresDate: start + .seconds(37 * 86400), subscriptionGroupIdentifier: "g1")
                ) {
                    $0.webOrderLineItemIdentifier = "1000000000000003"
                    $0.isTrialPeriod = false
                    $0.isInIntroOfferPeriod = false
                    $0.isUpgraded = true
                    $0.cancellationDate = start + .seconds(8 * 86400)
                    $0.cancellationReason = .appIssue
                    $0.offer = AppliedOffer(type: .subscription, paymentMode: .payUpFront, identifier: "spring")
                },
            ]
        }
    }
}
