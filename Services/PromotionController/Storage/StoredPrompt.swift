import Persistence
import StoreModels

/// An app that costs something and waits to be bought for a device.
struct StoredPrompt: Hashable, Sendable {
    let id: String
    let installation: InstallationReference
    let account: String
    /// What is installed when it is bought.
    let version: String
    /// Wall time.
    let createdAt: Timestamp

    init(_ row: SQLRow) throws(PersistenceError) {
        id = try row["id"]
        installation = InstallationReference(bundleId: try row["bundle_id"], deviceId: try row["device_id"])
        account = try row["account"]
        version = try row["version"]
        createdAt = Timestamp(milliseconds: try row["created_at"])
    }

    /// As the operator sees it.
    var prompt: Prompt {
        Prompt(
            id: id, kind: .appPurchase, bundleId: installation.bundleId, account: account, transaction: nil,
            createdAt: createdAt, answers: Prompt.Answer.allCases)
    }
}
