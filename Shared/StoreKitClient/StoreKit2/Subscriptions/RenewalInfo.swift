internal import StoreModels

/// What the next renewal of a subscription will be.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
/// The state of a subscription.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState

extension Product.SubscriptionInfo {
    /// The states of a subscription, by the store's numbers.
    public struct RenewalState: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Active.
        public static let subscribed = RenewalState(rawValue: SubscriptionState.subscribed.serverNumber)
        /// Ended.
        public static let expired = RenewalState(rawValue: SubscriptionState.expired.serverNumber)
        /// Not paid, and without service. The store tries again.
        public static let inBillingRetryPeriod = RenewalState(
            rawValue: SubscriptionState.inBillingRetryPeriod.serverNumber)
        /// Not paid, and with service for a while.
        public static let inGracePeriod = RenewalState(rawValue: SubscriptionState.inGracePeriod.serverNumber)
        /// Taken back.
        public static let revoked = RenewalState(rawValue: SubscriptionState.revoked.serverNumber)
        /// The state in English.
        public var localizedDescription: String {
            SubscriptionState.allCases.first { $0.serverNumber == rawValue }?.rawValue ?? "State \(rawValue)"
        }
    }

    /// What the next renewal will be, as the store has signed it.
    public struct RenewalInfo: Hashable, Sendable, CustomDebugStringConvertible {
        let claims: SignedClaims

        /// The payload as the store has signed it, JSON.
        public var jsonRepresentation: Data { claims.json }
        /// The number of the subscription's first transaction.
        public var originalTransactionID: UInt64 { claims.identifier("originalTransactionId") ?? 0 }
        /// The product of the present period.
        public var currentProductID: String { claims.text("productId") ?? "" }
        /// Whether the subscription renews.
        public var willAutoRenew: Bool { claims.number("autoRenewStatus") == 1 }
        /// The product of the next period. Nil if the subscription does not renew.
        public var autoRenewPreference: String? { willAutoRenew ? claims.text("autoRenewProductId") : nil }
        /// The reason of the end.
        public var expirationReason: ExpirationReason? { claims.number("expirationIntent").map { .init(rawValue: $0) } }
        /// The customer's answer to a higher price.
        public var priceIncreaseStatus: PriceIncreaseStatus {
            switch claims.number("priceIncreaseStatus") {
            case nil: .noIncreasePending
            case 1: .agreed
            default: .pending
            }
        }
        /// Whether the store tries a failed charge again.
        public var isInBillingRetry: Bool { claims.flag("isInBillingRetryPeriod") ?? false }
        /// The end of the grace period.
        public var gracePeriodExpirationDate: Date? { claims.date("gracePeriodExpiresDate") }
        /// The offer of the next renewal.
        public var offer: Transaction.Offer? { claims.offer }
        /// The identifier of ``offer``.
        public var offerID: String? { offer?.id }
        /// The kind of ``offer``.
        public var offerType: Transaction.OfferType? { offer?.type }
        /// The payment mode of ``offer``, in the word of the payload.
        public var offerPaymentModeStringRepresentation: String? { claims.text("offerDiscountType") }
        /// The length of ``offer``, ISO 8601.
        public var offerPeriodStringRepresentation: String? { claims.text("offerPeriod") }
        /// The environment of the store.
        public var environment: AppStore.Environment { claims.environment }
        /// The word of ``environment``.
        public var environmentStringRepresentation: String { environment.rawValue }
        /// The start of the subscription without a longer gap.
        public var recentSubscriptionStartDate: Date { claims.date("recentSubscriptionStartDate") ?? .distantPast }
        /// The time of the next renewal.
        public var renewalDate: Date? { claims.date("renewalDate") }
        /// The price of the next renewal.
        public var renewalPrice: Decimal? { claims.amount("renewalPrice") }
        /// The currency of ``renewalPrice``.
        public var currency: Locale.Currency? { claims.currency }
        /// The code of ``currency``.
        public var currencyCode: String? { claims.text("currency") }
        /// The win-back offers that the customer may have, best first.
        public var eligibleWinBackOfferIDs: [String] { claims.texts("eligibleWinBackOfferIds") ?? [] }
        /// The proof that the data is for this device.
        public var deviceVerification: Data { claims.deviceVerification }
        /// The nonce of the proof.
        public var deviceVerificationNonce: UUID { claims.deviceVerificationNonce }
        /// The time of signing, by the store's clock.
        public var signedDate: Date { claims.signedDate ?? .distantPast }
        /// The app's token for its user.
        public var appAccountToken: UUID? { claims.uuid("appAccountToken") }
        /// The number of the customer's download of the app.
        public var appTransactionID: String { claims.text("appTransactionId") ?? "" }
        /// The items of an Advanced Commerce subscription. This store has none.
        public var advancedCommerceInfo: AdvancedCommerceInfo? { nil }
        /// The plan of the next renewal.
        public var renewalBillingPlanType: BillingPlanType? {
            claims.text("renewalBillingPlanType").map { .init(rawValue: $0) }
        }
        /// What follows a commitment.
        public var commitmentInfo: CommitmentInfo? { CommitmentInfo(claims) }
        /// The first transaction of the bundle it belongs to. This store has no bundles.
        public var bundleOriginalTransactionID: String? { claims.text("bundleOriginalTransactionId") }
        /// The product of the bundle it belongs to. This store has no bundles.
        public var bundleProductID: String? { claims.text("bundleProductId") }
        /// The group of the bundle it belongs to. This store has no bundles.
        public var bundleSubscriptionGroupID: String? { claims.text("bundleSubscriptionGroupIdentifier") }
        /// Whether it leaves its bundle. This store has no bundles.
        public var willUnbundle: Bool? { claims.flag("willUnbundle") }

        /// The payload as the store has signed it.
        public var debugDescription: String { String(decoding: claims.json, as: UTF8.self) }

        /// The reasons of an end, by the store's numbers.
        public struct ExpirationReason: RawRepresentable, Hashable, Sendable {
            public let rawValue: Int
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// The customer has cancelled.
            public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
            /// The customer could not be charged.
            public static let billingError = ExpirationReason(rawValue: 2)
            /// The customer has not agreed to a higher price.
            public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
            /// The product was no longer sold.
            public static let productUnavailable = ExpirationReason(rawValue: 4)
            /// Another reason.
            public static let unknown = ExpirationReason(rawValue: 5)
            /// Its bundle has ended. This store has no bundles.
            public static let unbundled = ExpirationReason(rawValue: 6)
            /// The reason in English.
            public var localizedDescription: String {
                let names = [
                    "Auto-Renew Disabled", "Billing Error", "Did Not Consent to Price Increase", "Product Unavailable",
                ]
                return names.indices.contains(rawValue - 1) ? names[rawValue - 1] : "Unknown"
            }
        }

        /// The customer's answer to a higher price.
        @frozen public enum PriceIncreaseStatus: Hashable, Sendable {
            case noIncreasePending, pending, agreed

            /// The answer in English.
            public var localizedDescription: String {
                switch self {
                case .noIncreasePending: "No Increase Pending"
                case .pending: "Pending"
                case .agreed: "Agreed"
                }
            }
        }

        /// What follows a commitment.
        public struct CommitmentInfo: Hashable, Sendable {
            /// The product of the next commitment.
            public let autoRenewPreference: String?
            /// Whether another commitment follows.
            public let willAutoRenew: Bool
            /// The plan of the next commitment.
            public let renewalBillingPlanType: BillingPlanType
            /// The start of the next commitment.
            public let renewalDate: Date
            /// The price of the next commitment.
            public let renewalPrice: Decimal

            init?(_ claims: SignedClaims) {
                guard let info = claims.object("commitmentInfo"),
                    let date = info["commitmentRenewalDate"]?.intValue,
                    let price = info["commitmentRenewalPrice"]?.intValue
                else { return nil }
                autoRenewPreference = info["commitmentAutoRenewProductId"]?.stringValue
                willAutoRenew = info["commitmentAutoRenewStatus"]?.intValue == 1
                renewalBillingPlanType = .init(rawValue: info["commitmentRenewalBillingPlanType"]?.stringValue ?? "")
                renewalDate = Timestamp(milliseconds: Int64(date)).date
                renewalPrice = Decimal(price) / 1000
            }
        }
    }
}

extension Product.SubscriptionInfo.RenewalInfo: SignedValue {
    static let required =
        [identifier("originalTransactionId"), number("autoRenewStatus"), text("productId"), text("environment")]
        + [date("signedDate")] + ofDevice
}
