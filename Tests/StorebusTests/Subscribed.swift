import StoreModels

@testable import Storebus

/// Alice's subscription, as the store tells of it: a trial, then two months.
enum Subscribed {
    private static func instant(_ text: String) -> Timestamp {
        Timestamp(text) ?? { preconditionFailure("'\(text)' is no instant") }()
    }

    static let bought = instant("2026-11-21T10:00:04Z")
    static let trial = AppliedOffer(type: .introductory, paymentMode: .freeTrial)

    static let subscription = with(
        Subscription(
            originalTransactionIdentifier: "2000000000000001", subscriptionGroupIdentifier: "pro",
            productIdentifier: "pro.monthly", state: .subscribed, willAutoRenew: true,
            autoRenewProductIdentifier: "pro.monthly",
            latest: Subscription.Period(
                index: 2, start: instant("2026-12-28T10:00:04Z"), end: instant("2027-01-28T10:00:04Z"),
                transactionID: "t_4", transactionIdentifier: "2000000000000004"))
    ) {
        $0.renewalPrice = Fixtures.money("9.99")
        ($0.bundleId, $0.account) = ("com.example.app", "alice")
    }

    static func event(
        _ kind: SubscriptionEvent.Kind, _ at: String, amount: String? = nil, offer: AppliedOffer? = nil,
        transaction: String? = nil, period: Int = 0, until: String? = nil, product: String = "pro.monthly",
        detail: String? = nil
    ) -> SubscriptionEvent {
        with(
            SubscriptionEvent(
                at: instant(at), kind: kind, account: "alice", originalTransactionIdentifier: "2000000000000001",
                productIdentifier: product, amount: amount.map { Fixtures.money($0) },
                transactionIdentifier: transaction, period: period, expiresDate: until.map(instant))
        ) {
            $0.offer = offer
            $0.detail = detail
        }
    }

    static let events = [
        event(
            .subscribed, "2026-11-21T10:00:04Z", amount: "0.00", offer: trial, transaction: "2000000000000001",
            until: "2026-11-28T10:00:04Z"),
        event(
            .renewed, "2026-11-28T10:00:04Z", amount: "9.99", transaction: "2000000000000003", period: 1,
            until: "2026-12-28T10:00:04Z"),
        event(
            .renewed, "2026-12-28T10:00:04Z", amount: "9.99", transaction: "2000000000000004", period: 2,
            until: "2027-01-28T10:00:04Z"),
    ]

    static let timeline = SubscriptionTimeline(subscription: subscription, events: events)

    static func timeline(
        _ more: [SubscriptionEvent], _ change: (inout Subscription) -> Void = { _ in }
    ) -> SubscriptionTimeline {
        var changed = subscription
        change(&changed)
        return SubscriptionTimeline(subscription: changed, events: events + more)
    }

    static let advance = ClockAdvance(
        advanceIdentifier: "a_1", bundleId: "com.example.app", from: instant("2026-11-21T10:00:00Z"),
        to: instant("2027-02-21T10:00:00Z"), isFinished: true, eventCount: 2, remaining: 0,
        events: Array(events.dropFirst()), truncated: false)

    static let operated = JSONText.value(OperateSubscriptionReply(subscription: subscription))

    static let renewed = JSONText.value(
        OperateSubscriptionReply(
            subscription: subscription,
            transaction: Fixtures.transaction("t_5", .purchased, identifier: "2000000000000005")))

    static let refunded: PaymentTransaction = {
        var transaction = FakeStore.purchased
        transaction.subscriptionGroupIdentifier = "pro"
        transaction.revocationDate = instant("2026-12-01T10:00:00Z")
        return transaction
    }()

    static let eligibility = EligibilityReply(
        eligibility: [
            ProductEligibility(
                productIdentifier: "pro.monthly", subscriptionGroupIdentifier: "pro", eligibility: .ineligible,
                rule: .offerUsed, transactionIdentifier: "2000000000000001")
        ], degraded: [])

    static let verified: JSONValue = [
        "status": 0, "environment": "Sandbox",
        "receipt": [
            "bundle_id": "com.example.app", "application_version": "1.0",
            "receipt_creation_date_ms": "1795255209000",
            "in_app": [["transaction_id": "2000000000000009", "product_id": "hidden-beaches", "quantity": "2"]],
        ],
        "latest_receipt_info": [
            [
                "transaction_id": "2000000000000001", "original_transaction_id": "2000000000000001",
                "product_id": "pro.monthly", "purchase_date_ms": "1795255204000",
                "purchase_date": "2026-11-21 10:00:04 Etc/GMT", "is_trial_period": "true", "quantity": "1",
            ]
        ],
        "pending_renewal_info": [["auto_renew_product_id": "pro.monthly", "auto_renew_status": "1"]],
    ]
}
