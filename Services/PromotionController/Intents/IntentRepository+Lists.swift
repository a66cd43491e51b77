import Persistence
import StoreModels

extension IntentRepository {
    /// Reads one customer's intents on one installation, oldest first.
    static func list(_ request: IntentsRequest, in reader: SQLReader) async throws -> [StoredIntent] {
        let states = request.states.isEmpty ? PurchaseIntent.State.allCases : request.states
        let places = Array(repeating: "?", count: states.count).joined(separator: ", ")
        return try await reader.query(
            """
            SELECT * FROM purchase_intent
            WHERE device_id = ? AND bundle_id = ? AND customer_identifier = ? AND intent_identifier > ?
                AND state IN (\(places))
            ORDER BY intent_identifier LIMIT ?
            """,
            arguments: [request.deviceId, request.bundleId, request.customerIdentifier, request.after ?? ""]
                + states.map(\.rawValue) + [request.limit + 1]
        ).map(StoredIntent.init)
    }

    /// Reads intents of all devices for the operator, oldest first.
    static func search(_ request: IntentListRequest, in reader: SQLReader) async throws -> [StoredIntent] {
        var conditions = ["intent_identifier > ?"]
        var arguments: [any SQLValueConvertible] = [request.after ?? ""]
        func add(_ column: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append("\(column) = ?")
            arguments.append(argument)
        }
        add("bundle_id", request.bundleId)
        add("account", request.account)
        add("device_id", request.deviceId)
        add("state", request.state)
        return try await reader.query(
            """
            SELECT * FROM purchase_intent WHERE \(conditions.joined(separator: " AND "))
            ORDER BY intent_identifier LIMIT ?
            """, arguments: arguments + [request.limit + 1]
        ).map(StoredIntent.init)
    }
}
