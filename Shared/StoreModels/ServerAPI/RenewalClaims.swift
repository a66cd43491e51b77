/// The payload of signed renewal information, with Apple's member names: `JWSRenewalInfoDecodedPayload`.
///
/// Instants are milliseconds since 1970, the price is in thousandths of the currency. Absent members are left out.
public struct RenewalClaims: Hashable, Sendable, Codable {
    /// In a billing retry and after the end: 1 cancelled, 2 billing error, 3 price increase refused, 4 product not
    /// available, 5 other.
    public var expirationIntent: Int?
    public var originalTransactionId: String
    public var autoRenewProductId: String
    public var productId: String
    public var autoRenewStatus: Int
    /// True in the grace period, too. Absent while subscribed and when revoked.
    public var isInBillingRetryPeriod: Bool?
    /// 1 when the customer has agreed. Present only while a higher price waits for the next renewal.
    public var priceIncreaseStatus: Int?
    public var gracePeriodExpiresDate: Int64?
    /// 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    public var offerType: Int?
    /// Absent for the introductory offer.
    public var offerIdentifier: String?
    public var offerDiscountType: String?
    /// The length of the offer, ISO 8601.
    public var offerPeriod: String?
    /// The time of signing, by the app's clock.
    public var signedDate: Int64
    public var environment: String
    /// The start of the subscription without a gap of more than 60 days. With a tester's rate that shortens periods,
    /// the gap is ten minutes.
    public var recentSubscriptionStartDate: Int64
    /// When the latest period ends, also for a subscription that ended or does not renew.
    public var renewalDate: Int64
    public var currency: String?
    /// Thousandths of the currency.
    public var renewalPrice: Int64?
    public var eligibleWinBackOfferIds: [String]?
    public var appAccountToken: String?
    public var appTransactionId: String
    /// As ``BillingPlan``, of the next payment. Absent for a product that has one plan.
    public var renewalBillingPlanType: String?
    /// Of a subscription in a commitment.
    public var commitmentInfo: CommitmentRenewalClaims?
    /// Binds the payload to the device it was signed for: Base64 of SHA-384. Absent in payloads for
    /// an app's server.
    public var deviceVerification: String?
    /// A UUID in lower case, present with ``deviceVerification``.
    public var deviceVerificationNonce: String?

    /// Makes the claims of a subscription.
    /// - Parameter signedDate: The business clock.
    public init(
        _ value: ServerSubscription, environment: AppStoreEnvironment, appTransactionId: String, signedDate: Timestamp
    ) {
        let subscription = value.subscription
        expirationIntent = subscription.expirationIntent
        originalTransactionId = subscription.originalTransactionIdentifier
        autoRenewProductId = subscription.autoRenewProductIdentifier
        productId = subscription.productIdentifier
        autoRenewStatus = subscription.willAutoRenew ? 1 : 0
        isInBillingRetryPeriod = subscription.isInBillingRetry
        priceIncreaseStatus = subscription.priceIncrease.map { $0.status == .agreed ? 1 : 0 }
        gracePeriodExpiresDate =
            subscription.state == .inGracePeriod ? subscription.gracePeriodExpiresDate?.milliseconds : nil
        offerType = value.nextOffer?.type.serverNumber
        offerIdentifier = value.nextOffer?.type == .introductory ? nil : value.nextOffer?.identifier
        offerDiscountType = value.nextOffer?.paymentMode.serverName
        offerPeriod = value.nextOffer?.period?.iso8601
        self.signedDate = signedDate.milliseconds
        self.environment = environment.rawValue
        recentSubscriptionStartDate = value.recentStart.milliseconds
        renewalDate = subscription.expiresDate.milliseconds
        currency = subscription.renewalPrice?.currency.code
        renewalPrice = subscription.renewalPrice?.thousandths
        let winBacks = subscription.eligibleWinBackOfferIdentifiers
        eligibleWinBackOfferIds = winBacks.isEmpty ? nil : winBacks
        appAccountToken = value.transaction.item.appAccountToken
        self.appTransactionId = appTransactionId
        renewalBillingPlanType = subscription.renewalBillingPlanType?.rawValue
        commitmentInfo = subscription.commitmentRenewal.map { CommitmentRenewalClaims($0) }
    }
}

/// The renewal after a commitment, Apple's `commitmentInfo` of renewal information.
public struct CommitmentRenewalClaims: Hashable, Sendable, Codable {
    public var commitmentAutoRenewProductId: String
    /// 0 if the subscription ends with the commitment.
    public var commitmentAutoRenewStatus: Int
    /// As ``BillingPlan``.
    public var commitmentRenewalBillingPlanType: String
    /// When the commitment ends.
    public var commitmentRenewalDate: Int64
    /// Of all payments of the next commitment, in thousandths of the currency.
    public var commitmentRenewalPrice: Int64?

    /// Makes the claims of a renewal.
    public init(_ value: CommitmentRenewal) {
        commitmentAutoRenewProductId = value.autoRenewProductIdentifier
        commitmentAutoRenewStatus = value.willAutoRenew ? 1 : 0
        commitmentRenewalBillingPlanType = value.billingPlanType.rawValue
        commitmentRenewalDate = value.renewalDate.milliseconds
        commitmentRenewalPrice = value.renewalPrice?.thousandths
    }
}

extension Subscription {
    /// Apple's number of the reason of an end, which a billing retry has too. Nil while the subscription is active.
    public var expirationIntent: Int? {
        switch state {
        case .subscribed, .revoked, .inGracePeriod: nil
        case .inBillingRetryPeriod: Self.number(of: .billingError)
        case .expired: Self.number(of: expirationReason ?? .other)
        }
    }

    /// Whether a charge is retried. Nil where Apple leaves the member out.
    public var isInBillingRetry: Bool? {
        switch state {
        case .subscribed, .revoked: nil
        case .inBillingRetryPeriod, .inGracePeriod: true
        case .expired: false
        }
    }

    /// Apple's number of a reason, from 1.
    public static func number(of reason: ExpirationReason) -> Int {
        // The list contains every reason.
        ExpirationReason.allCases.firstIndex(of: reason)! + 1
    }
}

extension SubscriptionState {
    /// Apple's `status`.
    public var serverNumber: Int {
        switch self {
        case .subscribed: 1
        case .expired: 2
        case .inBillingRetryPeriod: 3
        case .inGracePeriod: 4
        case .revoked: 5
        }
    }
}
