/// The payload of a signed app transaction, with Apple's member names. Instants are milliseconds since 1970.
public struct AppTransactionClaims: Hashable, Sendable, Codable {
    /// The environment.
    public var receiptType: String
    /// In production only.
    public var appAppleId: Int64?
    @ShownApp public var bundleId: String
    /// The app's version in the catalogue.
    public var applicationVersion: String
    /// Now, by the app's clock.
    public var receiptCreationDate: Int64
    /// The time of the customer's first session with the app.
    public var originalPurchaseDate: Int64
    /// Always 1.0, as in receipts.
    public var originalApplicationVersion: String
    /// Decimal digits, one for each customer of an app.
    public var appTransactionId: String
    /// Binds the payload to the device it was signed for: Base64 of SHA-384. Absent in payloads for
    /// an app's server.
    public var deviceVerification: String?
    /// A UUID in lower case, present with ``deviceVerification``.
    public var deviceVerificationNonce: String?
    public var originalPlatform: String

    /// Makes the claims of a customer's download of the app.
    /// - Parameters:
    ///   - applicationVersion: The app's current version.
    ///   - originalApplicationVersion: The version first downloaded.
    public init(
        _ value: TransactionLookupReply, of app: ServerApp, applicationVersion: String,
        originalApplicationVersion: String
    ) {
        receiptType = app.environment.rawValue
        appAppleId = app.environment == .production ? app.appAppleId : nil
        bundleId = app.bundleId
        self.applicationVersion = applicationVersion
        receiptCreationDate = value.businessNow.milliseconds
        originalPurchaseDate = value.firstSeen.milliseconds
        self.originalApplicationVersion = originalApplicationVersion
        appTransactionId = value.appTransactionIdentifier
        originalPlatform = "iOS"
    }
}
