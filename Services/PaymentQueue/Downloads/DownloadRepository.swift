import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the states of downloads, one row per transaction and device.
///
/// A transaction has at most one package. A device that has not touched its download has no row.
enum DownloadRepository {
    /// Reads a transaction's download on a device. One that the device has not touched is waiting.
    static func find(
        _ transactionID: String, deviceId: String, of customer: CustomerReference
    ) -> SQLLookup<DownloadStateMachine> {
        SQLLookup(first: ofDevice, transactionID, deviceId, customer.bundleId, customer.customerIdentifier) {
            try machine($0)
        }.map { $0 ?? DownloadStateMachine() }
    }

    private static let ofDevice = SQLBatchStatement.query(
        """
        SELECT state, error FROM download
        WHERE transaction_id = ? AND device_id = ? AND bundle_id = ? AND customer_identifier = ?
        """, .text, .text, .text, .text)

    /// Reads a transaction's download on each device that has touched it.
    static func all(
        of transactionID: String, _ customer: CustomerReference
    ) -> SQLLookup<[(deviceId: String, machine: DownloadStateMachine)]> {
        SQLLookup(all: ofTransaction, transactionID, customer.bundleId, customer.customerIdentifier) { row in
            (deviceId: try row["device_id"], machine: try machine(row))
        }
    }

    private static let ofTransaction = SQLBatchStatement.query(
        """
        SELECT device_id, state, error FROM download
        WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? ORDER BY device_id
        """, .text, .text, .text)

    static func put(
        _ machine: DownloadStateMachine, _ transactionID: String, deviceId: String, of customer: CustomerReference
    ) throws -> SQLChange {
        SQLChange(
            written, transactionID, deviceId, customer.bundleId, customer.customerIdentifier, machine.state,
            try machine.error.map(StoredJSON.text))
    }

    private static let written = SQLBatchStatement.insert(
        into: "download",
        [
            "transaction_id": .text, "device_id": .text, "bundle_id": .text, "customer_identifier": .text,
            "state": .text, "error": .text,
        ],
        "ON CONFLICT (transaction_id, device_id) DO UPDATE SET state = excluded.state, error = excluded.error")

    /// Returns each transaction with its downloads as one device sees them.
    ///
    /// It reads no rows when no transaction has downloads.
    static func view(
        _ transactions: [(stored: StoredTransaction, deviceId: String)], in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let wanted = transactions.filter { !$0.stored.transaction.downloads.isEmpty }
        if wanted.isEmpty { return transactions.map(\.stored) }
        let pairs = Array(repeating: "(?, ?)", count: wanted.count).joined(separator: ", ")
        let rows = try await reader.query(
            """
            SELECT transaction_id, device_id, state, error FROM download
            WHERE (transaction_id, device_id) IN (VALUES \(pairs))
            """, arguments: wanted.flatMap { [$0.stored.id, $0.deviceId] })
        var machines: [ExactText: DownloadStateMachine] = [:]
        for row in rows { machines[try row["transaction_id"]] = try machine(row) }
        return transactions.map { $0.stored.showing(machines[$0.stored.id] ?? DownloadStateMachine()) }
    }

    /// Returns transactions with their downloads as one device sees them.
    static func view(
        _ transactions: [StoredTransaction], deviceId: String, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await view(transactions.map { ($0, deviceId) }, in: reader)
    }

    private static func machine(_ row: SQLRow) throws -> DownloadStateMachine {
        let error: String? = try row["error"]
        return DownloadStateMachine(
            try row["state"], error: try error.map { try StoredJSON.value(TransactionError.self, $0) })
    }
}

extension StoredTransaction {
    /// Returns the transaction with its downloads as one device sees them.
    ///
    /// A finish cancels the downloads that are pending, without a row of their own (M54).
    func showing(_ machine: DownloadStateMachine) -> StoredTransaction {
        let isCancelled = isFinished && DownloadStateMachine.isPending(machine.state)
        var shown = self
        for index in shown.transaction.downloads.indices {
            shown.transaction.downloads[index].state = isCancelled ? .cancelled : machine.state
            shown.transaction.downloads[index].error = machine.error
        }
        return shown
    }
}

extension Download.State: SQLValueConvertible {}
