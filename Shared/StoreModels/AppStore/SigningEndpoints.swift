/// AppStoreServer's request subjects about certificates, receipts and isolated stores, `sb.appstore.v1.…`.
public enum SigningEndpoints {
    /// Reads what a program needs to verify the store's data and to call its API.
    public static let verification = Endpoint<AppRequest, VerificationFacts>(
        .appStoreServer, "verification.get", isIdempotent: true, errors: [])
    /// Reads what an app on a device needs to verify its signed data, and the issuer of tokens.
    public static let trust = Endpoint<AppRequest, TrustFacts>(
        .appStoreServer, "trust.get", isIdempotent: true, errors: [])
    /// Signs what has changed of a customer, for one device.
    /// - Throws: `notFound` for an unknown customer.
    public static let signChanges = Endpoint<SignChangesRequest, SignedChanges>(
        .appStoreServer, "changes.sign", isIdempotent: true, errors: [.notFound])
    /// Sets the address at which clients reach the gateway. Certificates name it.
    public static let putAddress = Endpoint<StoreAddress, Empty>(
        .appStoreServer, "address.put", isIdempotent: true, errors: [])
    /// Certifies a public key for a gateway's HTTPS port, below the store's root. The private key stays in the gateway.
    /// - Throws: `requestInvalid` for a key that is not on P-256.
    public static let certify = Endpoint<CertifyRequest, Certified>(
        .appStoreServer, "certificate.issue", isIdempotent: true, errors: [])
    /// Reads those purchases of a receipt of this store that decide about introductory offers.
    /// - Throws: `receiptInvalid`, or `bodyTooLarge` for a receipt with more of them than a reply has room for. An error
    ///   of the call for PaymentQueue's clock has a ``StoreError/missingService``.
    public static let readReceipt = Endpoint<ReadReceiptRequest, ReceiptHistory>(
        .appStoreServer, "receipt.read", isIdempotent: true, errors: [.receiptInvalid, .bodyTooLarge])
    /// Makes an isolated store's key, and copies the settings of the app that it was copied from.
    /// - Throws: `requestInvalid` for an app of the installation.
    public static let openStore = Endpoint<OpenStoreRequest, NewAppKey>(
        .appStoreServer, "store.open", isIdempotent: false, errors: [])
}

extension StoreError {
    /// The service that the failed one could not reach. Nil where it failed by itself, or was not reached.
    package var missingService: ServiceName? {
        get { details["service"]?.stringValue.flatMap(ServiceName.init(rawValue:)) }
        set { details["service"] = newValue.map { JSONValue.string($0.rawValue) } }
    }
}

/// The facts by which a program verifies the store's data and calls its API.
public struct VerificationFacts: Hashable, Sendable, Codable {
    /// Base64 of DER.
    public var rootCertificate: String
    /// The `iss` of tokens, one for the store.
    public var issuerId: String
    /// The app's newest `inAppPurchase` key.
    public var keyIdentifier: String?
}

/// What an app on a device needs to verify its signed data, and what the gateway needs to verify its server's.
public struct TrustFacts: Hashable, Sendable, Codable {
    /// Base64 of DER. Nil where signed data names Production, which an app does not trust by its session.
    public var rootCertificate: String?
    public var environment: AppStoreEnvironment
    /// As ``VerificationFacts/issuerId``.
    public var issuerId: String
}

/// The address at which clients reach the gateway.
public struct StoreAddress: Hashable, Sendable, Codable {
    /// Without a slash at its end: `http://store:7430`.
    public var url: String
}

/// Asks for a certificate of a public key.
public struct CertifyRequest: Hashable, Sendable, Codable {
    /// PEM of a key on P-256.
    public var publicKey: String
    /// Names and addresses by which clients reach the gateway.
    public var hosts: [String]
}

/// A certificate and those above it, without the root.
public struct Certified: Hashable, Sendable, Codable {
    /// Base64 of DER, the key's own first.
    public var chain: [String]
}

/// Asks for an isolated store's key.
public struct OpenStoreRequest: Hashable, Sendable, Codable {
    /// The app that the store was copied from.
    public var from: String
    /// As ``IsolatedApp/bundleId``.
    public var to: String
    /// When the store ends, by the wall clock. None of its keys is found from then on.
    public var expiresAt: Timestamp
}

/// Asks for the subscriptions of a receipt.
public struct ReadReceiptRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Base64, as from `GET /v1/receipt`.
    public var receiptData: String
}
