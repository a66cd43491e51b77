/// The payload of a signed transaction, with Apple's member names: `JWSTransactionDecodedPayload`.
///
/// Instants are milliseconds since 1970, the price is in thousandths of the currency. Absent members are left out.
public struct TransactionClaims: Hashable, Sendable, Codable {
    public var transactionId: String
    public var originalTransactionId: String
    /// Of a subscription.
    public var webOrderLineItemId: String?
    @ShownApp public var bundleId: String
    public var productId: String
    public var subscriptionGroupIdentifier: String?
    public var purchaseDate: Int64
    public var originalPurchaseDate: Int64
    public var expiresDate: Int64?
    public var quantity: Int
    public var type: String
    public var appAccountToken: String?
    /// PURCHASED, or FAMILY_SHARED for one that a member of the customer's family has bought.
    public var inAppOwnershipType: String
    /// The time of signing, by the app's clock.
    public var signedDate: Int64
    /// 1 for an issue with the app, 0 for another reason.
    public var revocationReason: Int?
    public var revocationDate: Int64?
    /// As ``RevocationType``.
    public var revocationType: String?
    /// The refunded part of the price, in thousandths of a percent.
    public var revocationPercentage: Int?
    /// Present only when true.
    public var isUpgraded: Bool?
    /// 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    public var offerType: Int?
    /// Absent for the introductory offer.
    public var offerIdentifier: String?
    public var offerDiscountType: String?
    /// The length of the offer, ISO 8601.
    public var offerPeriod: String?
    public var environment: String
    /// Alpha-3, of the purchase.
    public var storefront: String
    /// Apple's number of the storefront.
    public var storefrontId: String?
    public var transactionReason: String
    /// Thousandths of the currency, for the whole purchase. Absent for a purchase that was given again.
    public var price: Int64?
    public var currency: String?
    public var appTransactionId: String
    /// As ``BillingPlan``. Absent for a product that has one plan.
    public var billingPlanType: String?
    /// Of a payment in a commitment.
    public var commitmentInfo: CommitmentClaims?
    /// Binds the payload to the device it was signed for: Base64 of SHA-384. Absent in payloads for
    /// an app's server.
    public var deviceVerification: String?
    /// A UUID in lower case, present with ``deviceVerification``.
    public var deviceVerificationNonce: String?

    /// Makes the claims of a transaction.
    /// - Parameters:
    ///   - storefrontId: Apple's number of the storefront, or nil if it is unknown.
    ///   - signedDate: The business clock.
    public init(
        _ value: ServerTransaction, of app: ServerApp, storefrontId: String?, appTransactionId: String,
        signedDate: Timestamp
    ) {
        let item = value.item
        transactionId = item.transactionIdentifier
        originalTransactionId = item.originalTransactionIdentifier
        webOrderLineItemId = item.webOrderLineItemIdentifier
        bundleId = app.bundleId
        productId = item.productIdentifier
        subscriptionGroupIdentifier = item.subscriptionGroupIdentifier
        purchaseDate = item.purchaseDate.milliseconds
        originalPurchaseDate = item.originalPurchaseDate.milliseconds
        expiresDate = item.expiresDate?.milliseconds
        quantity = item.quantity
        type = item.type.serverName
        appAccountToken = item.appAccountToken
        inAppOwnershipType = item.ownershipType
        self.signedDate = signedDate.milliseconds
        revocationDate = item.cancellationDate?.milliseconds
        revocationReason = item.cancellationReason?.serverNumber
        revocationType = item.revocationType?.rawValue
        revocationPercentage = item.revocationPercentage
        isUpgraded = item.isUpgraded == true ? true : nil
        offerType = item.offer?.type.serverNumber
        offerIdentifier = item.offer?.type == .introductory ? nil : item.offer?.identifier
        offerDiscountType = item.offer?.paymentMode.serverName
        offerPeriod = item.offer?.period?.iso8601
        environment = app.environment.rawValue
        storefront = value.storefront
        self.storefrontId = storefrontId
        transactionReason = value.reason == .renewal ? "RENEWAL" : "PURCHASE"
        price = value.price?.thousandths
        currency = value.price?.currency.code
        self.appTransactionId = appTransactionId
        billingPlanType = item.billingPlanType?.rawValue
        commitmentInfo = item.commitment.map { CommitmentClaims($0) }
    }
}

/// A payment's place in a commitment, Apple's `commitmentInfo` of a transaction.
public struct CommitmentClaims: Hashable, Sendable, Codable {
    /// From 1.
    public var billingPeriodNumber: Int
    public var totalBillingPeriods: Int
    /// Of all payments, in thousandths of the currency.
    public var commitmentPrice: Int64?
    public var commitmentExpiresDate: Int64

    /// Makes the claims of a payment.
    public init(_ value: Commitment) {
        billingPeriodNumber = value.billingPeriodNumber
        totalBillingPeriods = value.totalBillingPeriods
        commitmentPrice = value.price.thousandths
        commitmentExpiresDate = value.expiresDate.milliseconds
    }
}

extension ReceiptItem {
    /// Apple's `inAppOwnershipType`, which receipts have as `in_app_ownership_type`.
    public var ownershipType: String { isFamilyShared == true ? "FAMILY_SHARED" : "PURCHASED" }
}

extension ProductType {
    /// The name in signed transactions.
    public var serverName: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewable: "Non-Renewing Subscription"
        case .autoRenewable: "Auto-Renewable Subscription"
        }
    }
}

extension RefundRequest.Reason {
    /// Apple's number: 1 for an issue with the app, 0 for any other reason.
    public var serverNumber: Int {
        switch self {
        case .appIssue: 1
        case .other: 0
        }
    }
}

extension AppliedOffer.Kind {
    /// Apple's `offerType`.
    var serverNumber: Int {
        switch self {
        case .introductory: 1
        case .subscription: 2
        case .code: 3
        case .winBack: 4
        }
    }
}

extension ProductDiscount.PaymentMode {
    /// Apple's `offerDiscountType`.
    var serverName: String {
        switch self {
        case .freeTrial: "FREE_TRIAL"
        case .payAsYouGo: "PAY_AS_YOU_GO"
        case .payUpFront: "PAY_UP_FRONT"
        }
    }
}

extension Money {
    /// The amount in thousandths of the currency: 1990 for 1.99 dollars, 300000 for 300 yen.
    var thousandths: Int64? {
        // A currency has three digits at most.
        let factor: Int64 = [1000, 100, 10, 1][currency.exponent]
        let (value, overflow) = minorUnits.multipliedReportingOverflow(by: factor)
        return overflow ? nil : value
    }
}
