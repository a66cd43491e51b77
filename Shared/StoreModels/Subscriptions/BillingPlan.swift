/// The plans by which a subscription is paid, as Apple names them.
public enum BillingPlan: String, CaseIterable, Sendable, Codable {
    /// A payment a month, for a commitment of a year.
    case monthly = "MONTHLY"
    /// One payment for the whole period.
    case upFront = "BILLED_UPFRONT"

    /// Number of payments of a commitment.
    public static let paymentsPerCommitment = 12
    /// The time that one payment of a commitment is for.
    public static let monthlyPeriod = SubscriptionPeriod(numberOfUnits: 1, unit: .month)
    /// The only period of a subscription that is sold by the month.
    public static let committedPeriod = SubscriptionPeriod(numberOfUnits: 1, unit: .year)
    /// Storefronts in which Apple sells no subscription by the month.
    public static let storefrontsWithoutMonthly: Set<String> = ["USA", "SGP"]
}

/// The price of a subscription under one billing plan, in a storefront.
///
/// ```json
/// {"billingPlanType":"MONTHLY","price":{"amount":"4.99","currency":"EUR"},"displayPrice":"4,99 €",
///  "period":{"numberOfUnits":1,"unit":"month"},"commitmentPrice":{"amount":"59.88","currency":"EUR"},
///  "commitmentDisplayPrice":"59,88 €","commitmentPeriod":{"numberOfUnits":1,"unit":"year"}}
/// ```
public struct BillingTerms: Hashable, Sendable, Codable {
    public var billingPlanType: BillingPlan
    /// Of one payment.
    public var price: Money
    /// ``price`` as the storefront's locale writes it.
    public var displayPrice: String
    /// The time that one payment is for.
    public var period: SubscriptionPeriod
    /// Of all payments that the customer commits to.
    public var commitmentPrice: Money
    /// ``commitmentPrice`` as the storefront's locale writes it.
    public var commitmentDisplayPrice: String
    /// The time that the customer commits to.
    public var commitmentPeriod: SubscriptionPeriod
}

/// The place of a payment in a commitment to pay a year by the month.
///
/// ```json
/// {"billingPeriodNumber":3,"totalBillingPeriods":12,"price":{"amount":"59.88","currency":"EUR"},
///  "expiresDate":"2028-03-01T10:00:00.000Z"}
/// ```
public struct Commitment: Hashable, Sendable, Codable {
    /// From 1 to ``totalBillingPeriods``.
    public var billingPeriodNumber: Int
    /// The number of payments.
    public var totalBillingPeriods: Int
    /// The price of all payments.
    public var price: Money
    /// The end of the last payment's period, if the payments to come are made in time.
    public var expiresDate: Timestamp

    /// Whether it is the commitment's last payment.
    public var isLast: Bool { billingPeriodNumber >= totalBillingPeriods }
}

/// The renewal that follows a commitment.
///
/// ```json
/// {"willAutoRenew":true,"autoRenewProductIdentifier":"com.example.pro.yearly","billingPlanType":"MONTHLY",
///  "renewalDate":"2028-03-01T10:00:00.000Z","renewalPrice":{"amount":"59.88","currency":"EUR"}}
/// ```
public struct CommitmentRenewal: Hashable, Sendable, Codable {
    /// False if the subscription ends with the commitment.
    public var willAutoRenew: Bool
    /// Another product than the present one if a change is scheduled.
    public var autoRenewProductIdentifier: String
    /// The plan of the product that follows.
    public var billingPlanType: BillingPlan
    /// The end of the commitment.
    public var renewalDate: Timestamp
    /// The price of the next commitment, or of the next period if that is paid up front. Absent while unknown.
    public var renewalPrice: Money?
}

extension Product {
    /// The terms of monthly payments. Nil for a product that is not sold so in its storefront.
    public var monthlyTerms: BillingTerms? { pricingTerms?.first { $0.billingPlanType == .monthly } }

    /// The price of one payment under a plan. Nil for a plan that the product does not have.
    public func price(under plan: BillingPlan) -> Money? { plan == .monthly ? monthlyTerms?.price : price }
}
