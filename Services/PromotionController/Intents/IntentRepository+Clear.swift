import Persistence
import StoreModels

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
