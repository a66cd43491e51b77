import Persistence
import ServiceDatabase
import StoreModels

/// A prompt to buy a paid app for a device.
struct StoredAppPrompt: Hashable, Sendable {
    let id: String
    let installation: InstallationReference
    let account: String
    /// The version to install when it is bought.
    let version: String
    /// The first tapped product that waits for the app. Nil in prompts from before it was stored.
    let product: String?
    /// The app's price at that time. Nil in prompts from before it was stored.
    let appPrice: Money?
    /// When it was created, in wall time.
    let createdAt: Timestamp

    init(_ row: SQLRow) throws {
        id = try row["id"]
        installation = InstallationReference(bundleId: try row["bundle_id"], deviceId: try row["device_id"])
        account = try row["account"]
        version = try row["version"]
        product = try row["product_identifier"]
        appPrice = try (row["app_price"] as String?).map { try StoredJSON.value(Money.self, $0) }
        createdAt = try row["created_at"]
    }

    /// The prompt as the operator sees it.
    var prompt: Prompt {
        with(
            Prompt(
                id: id, kind: .appPurchase, bundleId: installation.bundleId, account: account, transaction: nil,
                createdAt: createdAt, answers: Prompt.Answer.allCases)
        ) {
            $0.productIdentifier = product
            $0.appPrice = appPrice
        }
    }
}
