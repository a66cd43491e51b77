import BusService
import Signing
import StoreModels

/// Signs notifications.
struct NotificationPayloads: Sendable {
    let signing: SigningKeys
    let serverApps: ServerApps
    let storefronts: StorefrontDirectory
    let services: ServiceCaller

    /// Signs notifications: their transactions and renewal information, then the whole.
    /// - Throws: `requestInvalid` for a draft that cannot be signed.
    func signed(_ drafts: [NotificationDraft], _ context: CallContext) async throws -> [String] {
        var optional = context
        optional.deadline = context.deadline.forOptionalServices
        let numbers = await storefronts.all(optional)
        var signers: [ExactText: AppNotificationSigner] = [:]
        var payloads: [String] = []
        for draft in drafts {
            let app = ExactText(draft.bundleId)
            let signer: AppNotificationSigner
            if let known = signers[app] {
                signer = known
            } else {
                signer = AppNotificationSigner(
                    signer: try await PayloadSigner(signing, app: try await serverApps.app(draft.bundleId)),
                    bundleVersion: await services.currentVersion(of: draft.bundleId, optional), storefronts: numbers)
                signers[app] = signer
            }
            payloads.append(try signer.sign(draft))
        }
        return payloads
    }

    /// Replaces members of a payload. Null removes one.
    static func setting(_ members: [String: JSONValue], in payload: [UInt8]) throws -> [UInt8] {
        guard !members.isEmpty, var changed = try StrictJSON.parse(payload).objectValue else { return payload }
        for (name, value) in members { changed[name] = value == .null ? nil : value }
        return try StoreJSON.encode(JSONValue.object(changed))
    }
}

/// Signs the notifications of one app.
private struct AppNotificationSigner {
    let signer: PayloadSigner
    /// The app's current version. Nil while Catalog is away.
    let bundleVersion: String?
    let storefronts: [ExactText: Storefront]

    /// - Throws: `requestInvalid` that names a member of the draft.
    func sign(_ draft: NotificationDraft) throws -> String {
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
        let payload = try NotificationPayloads.setting(draft.set ?? [:], in: try StoreJSON.encode(claims))
        return try signer.sign(payload, broken: draft.break, at: "$.break")
    }
}
