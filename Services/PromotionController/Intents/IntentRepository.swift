import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes intents.
enum IntentRepository {
    static func insert(
        _ intent: StoredIntent, at wall: Timestamp, in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            """
            INSERT INTO purchase_intent (intent_identifier, bundle_id, device_id, customer_identifier, account,
                product_identifier, source, payment, product, offer, supported_since, prompt_id, state, expires_at,
                revision, started_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            intent.id, intent.installation.bundleId, intent.installation.deviceId, intent.customerIdentifier,
            intent.account, intent.payment.productIdentifier, intent.source, try StoredJSON.text(intent.payment),
            try StoredJSON.text(intent.product), intent.offer, intent.supportedSince, intent.promptId,
            intent.life.state, intent.life.expiresAt.milliseconds, intent.revision, wall.milliseconds)
    }

    static func find(_ id: String, in reader: SQLReader) async throws -> StoredIntent? {
        try await reader.queryOne("SELECT * FROM purchase_intent WHERE intent_identifier = ?", id)
            .map(StoredIntent.init)
    }

    /// Reads an intent, with its row locked until the commit.
    static func lock(_ id: String, in transaction: SQLTransaction) async throws -> StoredIntent? {
        try await transaction.queryOne(
            "SELECT * FROM purchase_intent WHERE intent_identifier = ? \(transaction.dialect.lockRow)", id
        ).map(StoredIntent.init)
    }

    /// Reads the installation's open intents, of all customers or of one, oldest first.
    static func open(
        of installation: InstallationReference, customer: String? = nil, in reader: SQLReader
    ) async throws -> [StoredIntent] {
        try await open(of: installation, customer, "", in: reader)
    }

    /// Reads the installation's open intents, with the rows locked until the commit.
    ///
    /// All transactions lock older rows first.
    static func lockOpen(
        of installation: InstallationReference, customer: String? = nil, in transaction: SQLTransaction
    ) async throws -> [StoredIntent] {
        try await open(of: installation, customer, transaction.dialect.lockRow, in: transaction)
    }

    /// Locks the open intents of a device, in all apps of its scope.
    static func lockOpen(
        on device: ScopedIdentifier, in transaction: SQLTransaction
    ) async throws -> [StoredIntent] {
        let apps = device.scope.condition()
        return try await transaction.query(
            """
            SELECT * FROM purchase_intent
            WHERE device_id = ? AND state IN ('pending', 'deferred') AND \(apps.sql)
            ORDER BY intent_identifier \(transaction.dialect.lockRow)
            """, arguments: [device.id] + apps.arguments
        ).map(StoredIntent.init)
    }

    private static func open(
        of installation: InstallationReference, _ customer: String?, _ lock: String, in reader: SQLReader
    ) async throws -> [StoredIntent] {
        try await reader.query(
            """
            SELECT * FROM purchase_intent
            WHERE device_id = ? AND bundle_id = ? AND state IN ('pending', 'deferred')
                \(customer == nil ? "" : "AND customer_identifier = ?")
            ORDER BY intent_identifier \(lock)
            """, arguments: [installation.deviceId, installation.bundleId] + [customer].compactMap(\.self)
        ).map(StoredIntent.init)
    }

    /// Writes the next revision of a row that was at `revision`.
    /// - Returns: False when another transaction was first and nothing is written.
    static func update(
        _ intent: StoredIntent, from revision: Int64, in transaction: SQLTransaction
    ) async throws -> Bool {
        try await transaction.execute(
            """
            UPDATE purchase_intent SET
                state = ?, answer_by = ?, deferred_by = ?, feedback = ?, prompt_id = ?, addition = ?, is_added = ?,
                transaction_id = ?, revision = ?
            WHERE intent_identifier = ? AND revision = ?
            """,
            intent.life.state, intent.life.answerBy?.milliseconds, intent.life.deferredBy, intent.life.feedback,
            intent.promptId, try intent.addition.map(StoredJSON.text), intent.life.isAdded, intent.transactionId,
            intent.revision, intent.id, revision) == 1
    }
}

/// Queries of `intent.clear`, for one account in an app or for all.
extension IntentRepository {
    /// Reads devices after `after` that have open intents or prompts.
    static func devicesToClear(
        _ request: ClearIntentsRequest, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [String] {
        try await reader.query(
            """
            SELECT device_id FROM purchase_intent
            WHERE \(condition(request)) AND state IN ('pending', 'deferred') AND device_id > ?
            UNION
            SELECT device_id FROM app_prompt WHERE \(condition(request)) AND device_id > ?
            ORDER BY device_id LIMIT ?
            """, arguments: arguments(request) + [after] + arguments(request) + [after, limit]
        ).map { try $0["device_id"] }
    }

    /// Reads continued intents whose payment PaymentQueue has not confirmed.
    static func unaddedIdentifiers(
        _ request: ClearIntentsRequest, limit: Int, in reader: SQLReader
    ) async throws -> [String] {
        try await reader.query(
            """
            SELECT intent_identifier FROM purchase_intent
            WHERE state = 'continued' AND is_added = 0 AND \(condition(request))
            ORDER BY intent_identifier LIMIT ?
            """, arguments: arguments(request) + [limit]
        ).map { try $0["intent_identifier"] }
    }

    private static func condition(_ request: ClearIntentsRequest) -> String {
        request.account == nil ? "bundle_id = ?" : "bundle_id = ? AND account = ?"
    }

    private static func arguments(_ request: ClearIntentsRequest) -> [any SQLValueConvertible] {
        [request.bundleId] + [request.account].compactMap(\.self)
    }
}

extension IntentRepository {
    /// Reads one customer's intents on one installation, oldest first.
    static func list(_ request: IntentsRequest, in reader: SQLReader) async throws -> [StoredIntent] {
        let states = request.states.isEmpty ? StorePurchaseIntent.State.allCases : request.states
        let placeholders = Array(repeating: "?", count: states.count).joined(separator: ", ")
        return try await reader.query(
            """
            SELECT * FROM purchase_intent
            WHERE device_id = ? AND bundle_id = ? AND customer_identifier = ? AND intent_identifier > ?
                AND state IN (\(placeholders))
            ORDER BY intent_identifier LIMIT ?
            """,
            arguments: [request.deviceId, request.bundleId, request.customerIdentifier, request.after ?? ""]
                + states.map(\.rawValue) + [request.limit + 1]
        ).map(StoredIntent.init)
    }

    /// Reads intents of all devices for the operator, oldest first.
    static func search(_ request: IntentListRequest, in reader: SQLReader) async throws -> [StoredIntent] {
        var filter = OperatorFilter(app: request.bundleId, after: request.after, by: "intent_identifier")
        filter.add("account = ?", request.account)
        filter.add("device_id = ?", request.deviceId)
        filter.add("state = ?", request.state)
        return try await reader.query(
            """
            SELECT * FROM purchase_intent WHERE \(filter.sql)
            ORDER BY intent_identifier LIMIT ?
            """, arguments: filter.arguments + [request.limit + 1]
        ).map(StoredIntent.init)
    }
}
