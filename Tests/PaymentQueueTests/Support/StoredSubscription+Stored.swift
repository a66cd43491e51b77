import StoreModels

@testable import PaymentQueue

extension StoredSubscription {
    /// An active subscription of the group "pro", for rules that look at one.
    static func stored(
        _ product: String, level: Int = 1, unit: SubscriptionPeriod.Unit = .month, until: Timestamp,
        state: SubscriptionState = .subscribed, willAutoRenew: Bool = true, renewProduct: String? = nil
    ) -> StoredSubscription {
        let start = Timestamp(milliseconds: 0)
        return StoredSubscription(
            customer: CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: "c_1"), group: "pro",
            paidGroup: "pro",
            originalID: "t_1", originalIdentifier: "1", revision: 1, state: state, product: product, level: level,
            length: SubscriptionPeriod(numberOfUnits: 1, unit: unit),
            period: Period(index: 0, start: start, end: until, transactionID: "t_1", transactionIdentifier: "1"),
            anchor: RenewalSchedule.Anchor(at: start, count: 0), willAutoRenew: willAutoRenew,
            renewProduct: renewProduct ?? product, rate: .realTime, renewals: 0,
            failsNext: false, dueAt: until)
    }
}
