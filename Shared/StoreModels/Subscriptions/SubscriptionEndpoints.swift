/// PaymentQueue's request subjects about subscriptions, refunds, receipts and the clock, `sb.payment.v1.…`.
public enum SubscriptionEndpoints {
    public static let list = Endpoint<SubscriptionsRequest, SubscriptionsPage>(
        .paymentQueue, "subscription.list", isIdempotent: true)
    /// Lists subscriptions across customers, for the operator.
    public static let search = Endpoint<SubscriptionListRequest, SubscriptionsPage>(
        .paymentQueue, "subscription.search", isIdempotent: true)
    /// Changes a subscription for its customer.
    /// - Throws: `notFound`; `productNotFound` for a product that is not of the group.
    public static let update = Endpoint<UpdateSubscriptionRequest, Subscription>(
        .paymentQueue, "subscription.update", isIdempotent: true)
    /// Changes a subscription for the operator.
    /// - Throws: `notFound`; `transactionStateInvalid` where the subscription's state has no such edge.
    public static let operate = Endpoint<OperateSubscriptionRequest, OperateSubscriptionReply>(
        .paymentQueue, "subscription.operate", isIdempotent: false)
    /// Shows or postpones the question about a higher price. Nothing happens without one that waits for consent.
    /// - Throws: `notFound`.
    public static let showPriceConsent = Endpoint<ShowPriceConsentRequest, Subscription>(
        .paymentQueue, "subscription.priceConsent", isIdempotent: true)
    public static let timeline = Endpoint<TimelineRequest, SubscriptionTimeline>(
        .paymentQueue, "subscription.timeline", isIdempotent: true)
    /// Refunds a purchase's remaining money. Repeating it returns the same transaction.
    public static let refund = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.refund", isIdempotent: true)
    /// Revokes the entitlement without a refund.
    public static let revoke = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.revoke", isIdempotent: true)
    public static let acknowledgeRevocations = Endpoint<AcknowledgeRevocationsRequest, Empty>(
        .paymentQueue, "revocation.acknowledge", isIdempotent: true)
    public static let receipt = Endpoint<ReceiptFactsRequest, ReceiptFactsPage>(
        .paymentQueue, "receipt.facts", isIdempotent: true)

    public static let getClock = Endpoint<AppRequest, AppClockState>(.paymentQueue, "clock.get", isIdempotent: true)
    public static let putClock = Endpoint<PutClockRequest, AppClockState>(
        .paymentQueue, "clock.put", isIdempotent: true)
    /// Moves a clock, once per key. Answers when all is done or shortly before the deadline.
    public static let advanceClock = Endpoint<AdvanceClockRequest, ClockAdvance>(
        .paymentQueue, "clock.advance", isIdempotent: true)
    public static let getAdvance = Endpoint<AdvanceRequest, ClockAdvance>(
        .paymentQueue, "clock.progress", isIdempotent: true)
}
