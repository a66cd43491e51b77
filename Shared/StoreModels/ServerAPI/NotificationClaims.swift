/// The payload of a signed notification, with Apple's member names: `ResponseBodyV2DecodedPayload`.
///
/// Instants are milliseconds since 1970. Absent members are left out.
public struct NotificationClaims: Hashable, Sendable, Codable {
    /// The subject of a notification about one customer.
    public struct Data: Hashable, Sendable, Codable {
        /// Set in Production only.
        public var appAppleId: Int64?
        @ShownApp public var bundleId: String
        /// The app's current version.
        public var bundleVersion: String?
        public var environment: String
        /// A JWS of ``TransactionClaims``.
        public var signedTransactionInfo: String?
        /// A JWS of ``RenewalClaims``.
        public var signedRenewalInfo: String?
        /// The subscription's state by its number, as Apple's server has it.
        public var status: Int?
        /// As ``ConsumptionRequestReason``, in a `CONSUMPTION_REQUEST` only.
        public var consumptionRequestReason: String?
    }

    /// The outcome of an extension of a product's subscriptions.
    public struct Summary: Hashable, Sendable, Codable {
        public var requestIdentifier: String
        public var environment: String
        /// Set in Production only.
        public var appAppleId: Int64?
        @ShownApp public var bundleId: String
        public var productId: String
        /// Absent for all storefronts.
        public var storefrontCountryCodes: [String]?
        public var succeededCount: Int64
        public var failedCount: Int64

        /// Makes the summary of an extension that has ended.
        public init(_ value: SubscriptionExtensions, of app: ServerApp) {
            requestIdentifier = value.requestIdentifier
            environment = app.environment.rawValue
            appAppleId = app.appAppleId
            bundleId = app.bundleId
            productId = value.productIdentifier
            storefrontCountryCodes = value.storefronts
            succeededCount = value.succeededCount
            failedCount = value.failedCount
        }
    }

    public var notificationType: String
    public var subtype: String?
    public var notificationUUID: String
    public var data: Data?
    /// Takes the place of `data` where all subscriptions of a product were extended.
    public var summary: Summary?
    /// Always 2.0.
    public var version: String
    /// The event's instant, by the app's clock.
    public var signedDate: Int64

    /// Makes the payload of a notification.
    /// - Parameters:
    ///   - bundleVersion: The app's current version, or nil if it is unknown.
    ///   - transaction: The signed transaction, or nil for a notification without one.
    ///   - renewal: The signed renewal information, or nil without a subscription.
    public init(
        _ draft: NotificationDraft, of app: ServerApp, bundleVersion: String?, transaction: String?, renewal: String?
    ) {
        notificationType = draft.notificationType.rawValue
        subtype = draft.subtype?.rawValue
        notificationUUID = draft.notificationUUID
        version = "2.0"
        signedDate = draft.signedDate.milliseconds
        if let extensions = draft.extensions {
            summary = Summary(extensions, of: app)
            return
        }
        data = Data(
            appAppleId: app.appAppleId, bundleId: app.bundleId, bundleVersion: bundleVersion,
            environment: app.environment.rawValue, signedTransactionInfo: transaction, signedRenewalInfo: renewal,
            status: draft.subscription?.subscription.state.serverNumber,
            consumptionRequestReason: draft.consumptionRequestReason?.rawValue)
    }
}
