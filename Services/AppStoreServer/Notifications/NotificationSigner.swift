import BusService
import Persistence
import Signing
import StoreModels

/// Signs notifications, each once.
struct NotificationSigner: Sendable {
    /// Signs drafts, in their order.
    typealias Sign = @Sendable ([NotificationDraft], CallContext) async throws -> [String]

    /// Notifications that are signed at once, before they begin one by one.
    static let batch = 32
    /// Time for the names of storefronts and the app's version, without which notifications are signed, too.
    static let signTime: Duration = .seconds(5)

    let database: any SQLDatabase
    let signing: SigningKeys
    let serverApps: ServerApps
    let storefronts: StorefrontDirectory
    let services: ServiceCaller
    /// Signs in place of the store's keys. Nil for these.
    var replacement: Sign?

    /// Signs those notifications that are not signed.
    ///
    /// The caller writes the payloads (``NotificationRepository/keep(_:in:)``) before anybody gets one.
    /// - Returns: The new payloads by position.
    /// - Throws: The error of the database or of the keys.
    func payloads(
        of positions: [Int64], until deadline: ContinuousClock.Instant = .now + signTime
    ) async throws -> [Int64: String] {
        guard !positions.isEmpty else { return [:] }
        let drafts = try await database.read { try await NotificationRepository.drafts(of: positions, in: $0) }
        guard !drafts.isEmpty else { return [:] }
        let payloads = try await sign(drafts.map(\.draft), CallContext(deadline: deadline))
        return Dictionary(uniqueKeysWithValues: zip(drafts.map(\.position), payloads))
    }

    /// Signs drafts, in their order: their transactions and renewal information, then the whole.
    /// - Throws: `requestInvalid` for a draft that cannot be signed, or the error of the keys.
    func sign(_ drafts: [NotificationDraft], _ context: CallContext) async throws -> [String] {
        if let replacement { return try await replacement(drafts, context) }
        var optional = context
        optional.deadline = context.deadline.forOptionalServices
        let numbers = await storefronts.all(optional)
        var apps: [ExactText: (signer: PayloadSigner, version: String?)] = [:]
        var payloads: [String] = []
        for draft in drafts {
            let name = ExactText(draft.bundleId)
            let app: (signer: PayloadSigner, version: String?)
            if let known = apps[name] {
                app = known
            } else {
                app = (
                    try await PayloadSigner(signing, app: try await serverApps.app(draft.bundleId)),
                    await services.currentVersion(of: draft.bundleId, optional)
                )
                apps[name] = app
            }
            payloads.append(try Self.sign(draft, app.signer, bundleVersion: app.version, storefronts: numbers))
        }
        return payloads
    }

    /// - Parameter bundleVersion: The app's current version. Nil while Catalog is away.
    /// - Throws: `requestInvalid` that names a member of the draft.
    private static func sign(
        _ draft: NotificationDraft, _ signer: PayloadSigner, bundleVersion: String?,
        storefronts: [ExactText: Storefront]
    ) throws -> String {
        let customer = draft.appTransactionIdentifier
        guard let appTransactionId = customer ?? (draft.transaction == nil && draft.subscription == nil ? "" : nil)
        else {
            throw StoreError.invalid(
                "$.appTransactionIdentifier", "is missing: the transaction names the customer's download by it")
        }
        let transaction = try draft.transaction.map {
            try signer.sign(
                signer.transaction(
                    $0, appTransactionId: appTransactionId, storefronts: storefronts, at: draft.signedDate))
        }
        let renewal = try draft.subscription.map {
            try signer.sign(signer.renewal($0, appTransactionId: appTransactionId, at: draft.signedDate))
        }
        let claims = NotificationClaims(
            draft, of: signer.app, bundleVersion: bundleVersion, transaction: transaction, renewal: renewal)
        let payload = try PayloadSigner.setting(draft.set ?? [:], in: try StoreJSON.encode(claims))
        return try signer.sign(payload, broken: draft.break, at: "$.break")
    }
}

extension ServiceCaller {
    /// The app's version according to Catalog. Nil without Catalog.
    func currentVersion(of bundleId: String, _ context: CallContext) async -> String? {
        let app = try? await call(CatalogEndpoints.getApp, AppRequest(bundleId: bundleId), context: context)
        return app?.settings.currentVersion
    }
}
