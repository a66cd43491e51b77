import BusService
import Signing
import StoreModels

/// Signs the data that an app and its server read, in the app's environment.
struct PayloadSigner: Sendable {
    let app: ServerApp
    private let signer: JWSSigner

    init(_ signing: SigningKeys, app: ServerApp) async throws {
        let appStore = try await signing.appStore()
        self.app = app
        signer = app.environment == .xcode ? appStore.xcode : appStore.signer
    }

    func sign(_ payload: [UInt8]) throws -> String { try signer.sign(payload) }

    /// Signs a payload with a fault, or correctly for nil.
    /// - Throws: `requestInvalid` that names `path`, for a fault that cannot be done to the payload.
    func sign(_ payload: [UInt8], broken: BrokenSignature?, at path: String) throws -> String {
        guard let broken else { return try sign(payload) }
        do {
            return try signer.sign(payload, broken: broken)
        } catch let error as BrokenSignature.NotApplicable {
            throw StoreError.invalid(
                path, "\(error.broken.rawValue) cannot be done to this payload in \(app.environment.rawValue)")
        }
    }

    // MARK: Payloads

    /// Writes a transaction.
    /// - Parameter storefronts: Apple's numbers of the storefronts that transactions name.
    func transaction(
        _ value: ServerTransaction, appTransactionId: String, storefronts: [ExactText: Storefront], at now: Timestamp
    ) throws -> [UInt8] {
        try StoreJSON.encode(
            TransactionClaims(
                value, of: app, storefrontId: storefronts[value.storefront]?.identifier,
                appTransactionId: appTransactionId, signedDate: now))
    }

    /// Writes the renewal information of a subscription.
    func renewal(_ value: ServerSubscription, appTransactionId: String, at now: Timestamp) throws -> [UInt8] {
        try StoreJSON.encode(
            RenewalClaims(value, environment: app.environment, appTransactionId: appTransactionId, signedDate: now))
    }

    /// Writes a customer's download of the app.
    func appTransaction(_ value: TransactionLookupReply, applicationVersion: String) throws -> [UInt8] {
        try StoreJSON.encode(
            AppTransactionClaims(
                value, of: app, applicationVersion: applicationVersion,
                originalApplicationVersion: ReceiptMaker.originalApplicationVersion))
    }
}
