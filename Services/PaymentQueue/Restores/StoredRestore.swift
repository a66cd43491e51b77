import Persistence
import ServiceDatabase
import StoreModels

/// A restore's row: the restore as its device sees it, and its progress.
struct StoredRestore: Hashable, Sendable {
    var customer: CustomerReference
    /// The only device that is notified.
    var deviceId: String
    /// The idempotency key, chosen by the client.
    var requestKey: String
    var restore: Restore
    /// The last transaction number of the restore. Later originals were purchased after it began.
    var throughNumber: Int64
    /// The transaction number of the last restored original. 0 before the first.
    var lastNumber: Int64

    var id: String { restore.restoreIdentifier }
}

extension StoredRestore {
    init(_ row: SQLRow) throws {
        let error: String? = try row["error"]
        self.init(
            customer: try CustomerReference(row),
            deviceId: try row["device_id"], requestKey: try row["request_key"],
            restore: Restore(
                restoreIdentifier: try row["id"], state: try row["state"],
                error: try error.map { try StoredJSON.value(TransactionError.self, $0) }, restored: try row["restored"],
                applicationUsername: try row["application_username"]),
            throughNumber: try row["through_number"], lastNumber: try row["last_number"])
    }
}

extension Restore.State: SQLValueConvertible {}
