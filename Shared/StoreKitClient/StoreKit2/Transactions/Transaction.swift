internal import StoreModels

/// A purchase, or a period of a subscription, as the store has signed it.
///
/// ```swift
/// for await result in Transaction.updates {
///     guard case .verified(let transaction) = result else { continue }
///     await deliver(transaction)
///     await transaction.finish()
/// }
/// ```
/// Two are equal if the store says the same of them, whenever it has signed them.
public struct Transaction: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    let claims: SignedClaims

    /// The payload as the store has signed it, JSON.
    public var jsonRepresentation: Data { claims.json }
    /// The transaction's number.
    public var id: UInt64 { claims.identifier("transactionId") ?? 0 }
    /// The number of the first purchase, for renewals and upgrades too.
    public var originalID: UInt64 { claims.identifier("originalTransactionId") ?? 0 }
    /// The number of a subscription's order.
    public var webOrderLineItemID: String? { claims.text("webOrderLineItemId") }
    /// The product.
    public var productID: String { claims.text("productId") ?? "" }
    /// The group of a subscription.
    public var subscriptionGroupID: String? { claims.text("subscriptionGroupIdentifier") }
    /// The app.
    public var appBundleID: String { claims.text("bundleId") ?? "" }
    /// The time of the purchase or the renewal.
    public var purchaseDate: Date { claims.date("purchaseDate") ?? .distantPast }
    /// The time of the first purchase.
    public var originalPurchaseDate: Date { claims.date("originalPurchaseDate") ?? .distantPast }
    /// The end of a subscription's period.
    public var expirationDate: Date? { claims.date("expiresDate") }
    /// The number of pieces.
    public var purchasedQuantity: Int { claims.number("quantity") ?? 1 }
    /// Whether an upgrade has ended the period.
    public var isUpgraded: Bool { claims.flag("isUpgraded") ?? false }
    /// The offer that applied.
    public var offer: Offer? { claims.offer }
    /// The kind of ``offer``.
    public var offerType: OfferType? { offer?.type }
    /// The identifier of ``offer``.
    public var offerID: String? { offer?.id }
    /// The payment mode of ``offer``, in the word of the payload.
    public var offerPaymentModeStringRepresentation: String? { claims.text("offerDiscountType") }
    /// The length of ``offer``, ISO 8601.
    public var offerPeriodStringRepresentation: String? { claims.text("offerPeriod") }
    /// The time of a refund or a revocation.
    public var revocationDate: Date? { claims.date("revocationDate") }
    /// The reason of a refund or a revocation.
    public var revocationReason: RevocationReason? { claims.number("revocationReason").map { .init(rawValue: $0) } }
    /// The kind of refund.
    public var revocationType: RevocationType? { claims.text("revocationType").map { .init(rawValue: $0) } }
    /// The refunded part of the price, 0…100.
    public var revocationPercentage: Decimal? { claims.amount("revocationPercentage") }
    /// The kind of product.
    public var productType: Product.ProductType { .init(rawValue: claims.text("type") ?? "") }
    /// The app's token for its user.
    public var appAccountToken: UUID? { claims.uuid("appAccountToken") }
    /// The environment of the store.
    public var environment: AppStore.Environment { claims.environment }
    /// The word of ``environment``.
    public var environmentStringRepresentation: String { environment.rawValue }
    /// Whether the customer or the store has made it.
    public var reason: Reason { Reason(rawValue: reasonStringRepresentation) }
    /// The word of ``reason``.
    public var reasonStringRepresentation: String { claims.text("transactionReason") ?? "" }
    /// The storefront of the purchase.
    public var storefront: Storefront {
        Storefront(countryCode: storefrontCountryCode, id: claims.text("storefrontId") ?? "", currency: claims.currency)
    }
    /// The alpha-3 country code of ``storefront``.
    public var storefrontCountryCode: String { claims.text("storefront") ?? "" }
    /// The price of the whole purchase.
    public var price: Decimal? { claims.amount("price") }
    /// The currency of ``price``.
    public var currency: Locale.Currency? { claims.currency }
    /// The code of ``currency``.
    public var currencyCode: String? { claims.text("currency") }
    /// The number of the customer's download of the app.
    public var appTransactionID: String { claims.text("appTransactionId") ?? "" }
    /// The proof that the data is for this device.
    public var deviceVerification: Data { claims.deviceVerification }
    /// The nonce of the proof.
    public var deviceVerificationNonce: UUID { claims.deviceVerificationNonce }
    /// How the customer has come to it.
    public var ownershipType: OwnershipType { .init(rawValue: claims.text("inAppOwnershipType") ?? "") }
    /// The time of signing, by the store's clock.
    public var signedDate: Date { claims.signedDate ?? .distantPast }
    /// The plan by which the subscription is paid.
    public var billingPlanType: Product.SubscriptionInfo.BillingPlanType? {
        claims.text("billingPlanType").map { .init(rawValue: $0) }
    }
    /// The period's place in a commitment.
    public var commitmentInfo: CommitmentInfo? { CommitmentInfo(claims) }
    /// The items of an Advanced Commerce purchase. This store has none.
    public var advancedCommerceInfo: AdvancedCommerceInfo? { nil }
    /// The first transaction of the bundle it belongs to. This store has no bundles.
    public var bundleOriginalTransactionID: String? { claims.text("bundleOriginalTransactionId") }
    /// The product of the bundle it belongs to. This store has no bundles.
    public var bundleProductID: String? { claims.text("bundleProductId") }
    /// The group of the bundle it belongs to. This store has no bundles.
    public var bundleSubscriptionGroupID: String? { claims.text("bundleSubscriptionGroupIdentifier") }
    /// The transaction of the bundle it belongs to. This store has no bundles.
    public var bundleTransactionID: String? { claims.text("bundleTransactionId") }
    /// The first transaction before a bundle. This store has no bundles.
    public var previousOriginalTransactionID: UInt64? { claims.identifier("previousOriginalTransactionId") }
    /// The seats of the purchase. This store sells none.
    public var multiSeatInfo: MultiSeatInfo? { nil }
    /// Another reason for the transaction. This store has none.
    public var additionalTransactionReason: AdditionalTransactionReason? { nil }

    /// The payload as the store has signed it.
    public var debugDescription: String { String(decoding: claims.json, as: UTF8.self) }

    /// The status of the subscription that the transaction belongs to. Nil without one, or when it cannot be found out.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? {
        get async {
            guard subscriptionGroupID != nil else { return nil }
            return try? await claims.owner.core?.statuses(transaction: id).first?.statuses.first
        }
    }

    /// Takes the transaction out of ``unfinished``. Deliver the product first. Finishing it again does nothing.
    ///
    /// Returns when the store has answered once. The request is repeated in the background if the store is away.
    /// It goes to the queue that the transaction comes from, and does nothing once the app has released that queue.
    public func finish() async { await claims.owner.core?.finish(self) }
}

extension Transaction: SignedValue {
    static let required =
        ["transactionId", "originalTransactionId"].map { identifier($0) }
        + ["bundleId", "productId", "type", "inAppOwnershipType", "environment"].map { text($0) }
        + ["purchaseDate", "originalPurchaseDate", "signedDate"].map { date($0) } + [number("quantity")] + ofDevice
}

extension Transaction {
    /// The makers of a transaction.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The customer has bought it.
        public static let purchase = Reason(rawValue: "PURCHASE")
        /// The store has renewed a subscription.
        public static let renewal = Reason(rawValue: "RENEWAL")
        /// The reason in English.
        public var localizedDescription: String { rawValue.capitalized }
    }

    /// The reasons of refunds and revocations.
    public struct RevocationReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// An issue with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
        /// Another reason.
        public static let other = RevocationReason(rawValue: 0)
        /// A bundle has replaced it. This store has no bundles.
        public static let upgradedToBundle = RevocationReason(rawValue: 2)
        /// The reason in English.
        public var localizedDescription: String { self == .developerIssue ? "Developer Issue" : "Other" }
    }

    /// The kinds of refund.
    public struct RevocationType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The whole price.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// A part of the price.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// Family Sharing has ended.
        public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
        /// An assignment has ended. This store has none.
        public static let assignmentRevocation = RevocationType(rawValue: "ASSIGNMENT_REVOKE")
    }

    /// The kinds of offer.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// For new subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// For customers whom the app's server chose.
        public static let promotional = OfferType(rawValue: 2)
        /// For a code.
        public static let code = OfferType(rawValue: 3)
        /// For customers who came back.
        public static let winBack = OfferType(rawValue: 4)
        /// The kind's name in English.
        public var localizedDescription: String {
            let names = [1: "Introductory", 2: "Promotional", 3: "Code", 4: "Win-back"]
            return names[rawValue] ?? "Offer \(rawValue)"
        }
    }

    /// The ways in which a customer has come to a product.
    public struct OwnershipType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// By buying it.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// By Family Sharing.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
        /// By a seat. This store sells none.
        public static let assigned = OwnershipType(rawValue: "ASSIGNED")
        /// The way in English.
        public var localizedDescription: String { rawValue.capitalized }
    }

    /// The offer that applied to a transaction.
    public struct Offer: Hashable, Sendable {
        /// The offer's identifier. Nil for the introductory offer.
        public let id: String?
        /// The kind of offer.
        public let type: OfferType
        /// How the customer has paid.
        public let paymentMode: PaymentMode?
        /// The length of the offer.
        public let period: Product.SubscriptionPeriod?

        init?(_ claims: SignedClaims) {
            guard let type = claims.number("offerType") else { return nil }
            self.type = OfferType(rawValue: type)
            id = claims.text("offerIdentifier")
            paymentMode = claims.text("offerDiscountType").map { PaymentMode(rawValue: $0) }
            period = claims.period("offerPeriod")
        }

        /// The ways to pay for an offer, by the words of the payload.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            /// Nothing.
            public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
            /// A reduced price each period.
            public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
            /// One price for all periods.
            public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
            /// One price for a product that does not renew.
            public static let oneTime = PaymentMode(rawValue: "ONE_TIME")
        }
    }

    /// A period's place in a commitment.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The number of the period, from 1.
        public let billingPeriodNumber: UInt64
        /// The number of periods.
        public let totalBillingPeriods: UInt64
        /// The price of the whole commitment.
        public let price: Decimal
        /// The end of the commitment.
        public let expirationDate: Date

        init?(_ claims: SignedClaims) {
            guard let info = claims.object("commitmentInfo"), let number = info["billingPeriodNumber"]?.intValue,
                let count = info["totalBillingPeriods"]?.intValue, let price = info["commitmentPrice"]?.intValue,
                let end = info["commitmentExpiresDate"]?.intValue
            else { return nil }
            (billingPeriodNumber, totalBillingPeriods) = (UInt64(max(number, 0)), UInt64(max(count, 0)))
            (self.price, expirationDate) = (Decimal(price) / 1000, Timestamp(milliseconds: Int64(end)).date)
        }
    }

    /// The seats of a purchase. This store sells none.
    public struct MultiSeatInfo: Hashable, Sendable {
        /// Who invites the members.
        public let invitationManagement: InvitationManagement
        /// The seats by their prices, in no order.
        public let priceTiers: [PriceTier]
        /// The number of seats that were taken back. Nil for none.
        public let revokedSeatQuantity: Int?

        /// Who invites the members of a purchase of several seats.
        public struct InvitationManagement: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            /// The App Store. Each member has a transaction.
            public static let apple = InvitationManagement(rawValue: "APPLE")
            /// The app.
            public static let developer = InvitationManagement(rawValue: "DEVELOPER")
        }

        /// Seats that were bought at one price.
        public struct PriceTier: Hashable, Sendable {
            /// The price of a seat.
            public let price: Decimal
            /// The number of seats at this price.
            public let quantity: Int
        }
    }

    /// Another reason for a transaction.
    public struct AdditionalTransactionReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Seats were added.
        public static let seatAddition = AdditionalTransactionReason(rawValue: "SEAT_ADDITION")
    }
}
