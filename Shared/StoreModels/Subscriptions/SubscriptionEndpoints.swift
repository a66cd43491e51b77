/// PaymentQueue's request subjects about subscriptions, refunds, receipts and the clock, `sb.payment.v1.…`.
public enum SubscriptionEndpoints {
    /// Lists a customer's subscriptions, one per group.
    public static let list = Endpoint<SubscriptionsRequest, SubscriptionsPage>(
        .paymentQueue, "subscription.list", isIdempotent: true, errors: [.notFound])
    /// Lists subscriptions across customers, for the operator.
    public static let search = Endpoint<SubscriptionListRequest, SubscriptionsPage>(
        .paymentQueue, "subscription.search", isIdempotent: true, errors: [])
    /// Changes a subscription for its customer.
    /// - Throws: `productNotFound` for a product that is not of the group.
    public static let update = Endpoint<UpdateSubscriptionRequest, Subscription>(
        .paymentQueue, "subscription.update", isIdempotent: true,
        errors: [.notFound, .productNotFound, .transactionStateInvalid])
    /// Changes a subscription for the operator.
    /// - Throws: `transactionStateInvalid` if the subscription's state does not allow it.
    public static let operate = Endpoint<OperateSubscriptionRequest, OperateSubscriptionReply>(
        .paymentQueue, "subscription.operate", isIdempotent: false, errors: [.notFound, .transactionStateInvalid])
    /// Shows or postpones the question about a higher price. Without a waiting question it does nothing.
    public static let showPriceConsent = Endpoint<ShowPriceConsentRequest, Subscription>(
        .paymentQueue, "subscription.priceConsent", isIdempotent: true, errors: [.notFound])
    /// Lists the events of a subscription, oldest first.
    public static let timeline = Endpoint<TimelineRequest, SubscriptionTimeline>(
        .paymentQueue, "subscription.timeline", isIdempotent: true, errors: [.notFound])
    /// Refunds a purchase's remaining money. Repeating it returns the same transaction.
    public static let refund = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.refund", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Revokes the entitlement without a refund.
    public static let revoke = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.revoke", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Notes the revocations that a device's stream has sent.
    public static let acknowledgeRevocations = Endpoint<AcknowledgeRevocationsRequest, Empty>(
        .paymentQueue, "revocation.acknowledge", isIdempotent: true, errors: [.notFound])
    /// Reads the data of a customer's receipt by page. The gateway signs it.
    public static let receipt = Endpoint<ReceiptFactsRequest, ReceiptFactsPage>(
        .paymentQueue, "receipt.facts", isIdempotent: true, errors: [.notFound])

    /// Reads an app's business clock. An unset clock is the wall clock.
    public static let getClock = Endpoint<AppRequest, AppClockState>(
        .paymentQueue, "clock.get", isIdempotent: true, errors: [])
    /// Sets an app's clock. Repeating the request sets it again.
    public static let putClock = Endpoint<PutClockRequest, AppClockState>(
        .paymentQueue, "clock.put", isIdempotent: true, errors: [])
    /// Moves a clock, once per key. Answers when the move is done or shortly before the deadline.
    public static let advanceClock = Endpoint<AdvanceClockRequest, ClockAdvance>(
        .paymentQueue, "clock.advance", isIdempotent: true, errors: [.idempotencyKeyInvalid, .notFound, .keyReused])
    /// Reads how far a move of the clock is.
    public static let getAdvance = Endpoint<AdvanceRequest, ClockAdvance>(
        .paymentQueue, "clock.progress", isIdempotent: true, errors: [.notFound])
}
