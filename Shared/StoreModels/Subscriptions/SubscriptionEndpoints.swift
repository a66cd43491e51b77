/// PaymentQueue's request subjects about subscriptions, refunds, receipts and the clock, `sb.payment.v1.…`.
public enum SubscriptionEndpoints {
    public static let list = Endpoint<SubscriptionsRequest, SubscriptionsPage>(
        .paymentQueue, "subscription.list", isIdempotent: true)
    /// For the operator: across customers.
    public static let search = Endpoint<SubscriptionListRequest, SubscriptionsPage>(
        .paymentQueue, "subscription.search", isIdempotent: true)
    /// - Throws: `notFound`; `productNotFound` for a product that is not of the group.
    public static let update = Endpoint<UpdateSubscriptionRequest, Subscription>(
        .paymentQueue, "subscription.update", isIdempotent: true)
    /// - Throws: `notFound`; `transactionStateInvalid` where the subscription's state has no such edge.
    public static let operate = Endpoint<OperateSubscriptionRequest, OperateSubscriptionReply>(
        .paymentQueue, "subscription.operate", isIdempotent: false)
    /// Nothing happens without an increase that waits for consent. - Throws: `notFound`.
    public static let showPriceConsent = Endpoint<ShowPriceConsentRequest, Subscription>(
        .paymentQueue, "subscription.priceConsent", isIdempotent: true)
    public static let timeline = Endpoint<TimelineRequest, SubscriptionTimeline>(
        .paymentQueue, "subscription.timeline", isIdempotent: true)
    /// All of a purchase's money that is still there; again: the same transaction.
    public static let refund = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.refund", isIdempotent: true)
    /// The entitlement without the money.
    public static let revoke = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.revoke", isIdempotent: true)
    public static let acknowledgeRevocations = Endpoint<AcknowledgeRevocationsRequest, Empty>(
        .paymentQueue, "revocation.acknowledge", isIdempotent: true)
    public static let receipt = Endpoint<ReceiptFactsRequest, ReceiptFactsPage>(
        .paymentQueue, "receipt.facts", isIdempotent: true)

    public static let getClock = Endpoint<AppRequest, AppClockState>(.paymentQueue, "clock.get", isIdempotent: true)
    public static let putClock = Endpoint<PutClockRequest, AppClockState>(
        .paymentQueue, "clock.put", isIdempotent: true)
    /// One key, one move. Answers when all is done or shortly before the deadline.
    public static let advanceClock = Endpoint<AdvanceClockRequest, ClockAdvance>(
        .paymentQueue, "clock.advance", isIdempotent: true)
    public static let getAdvance = Endpoint<AdvanceRequest, ClockAdvance>(
        .paymentQueue, "clock.progress", isIdempotent: true)
}
