import Persistence
import ServiceDatabase
import StoreModels

/// A server event as stored: with everything as of its commit, except the facts of immutable rows.
struct StoredServerEvent: Hashable, Sendable, Codable {
    /// One change of a transaction or subscription.
    struct Change: Hashable, Sendable, Codable {
        var kind: ServerEvent.Kind
        var transaction: ServerTransaction
        var subscription: Snapshot?
        var level: ServerEvent.LevelChange?
        var endsRenewal: Bool?
        var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// A subscription after the commit.
    struct Snapshot: Hashable, Sendable, Codable {
        /// With the price of the next renewal, unless only a quote knows it.
        var value: Subscription
        /// The `id` of the first transaction.
        var originalID: String
        var rate: SubscriptionRenewalRate
        /// The offer of the next renewal. Nil at the regular price.
        var nextOffer: AppliedOffer?
    }

    /// Empty for an event without a customer.
    var account: String
    /// The customer's download of the app. 0 for an event without a customer.
    var appTransaction: Int64
    /// Business time.
    var at: Timestamp
    var changes: [Change]
    /// The end of an extension of a product's subscriptions. Nil for an event of a customer.
    var extensions: SubscriptionExtensions?
}

/// Reads and writes server events. An event's own commit writes its row.
enum ServerEventRepository {
    static let table = EventTable("server_event")
    /// The name of the only reader's row.
    private static let reader = "app-store-server"

    /// A stored event with its place and customer.
    struct Row: Sendable {
        var position: EventPosition
        var customer: CustomerReference
        var event: StoredServerEvent
        /// The number of bytes stored of the event.
        var byteCount: Int
    }

    /// Writes an event.
    /// - Parameter customer: The customer, with an empty identifier for an event without one.
    static func insert(
        _ event: StoredServerEvent, of customer: CustomerReference, wall: Timestamp, in transaction: SQLTransaction
    ) async throws {
        try await transaction.send(
            "INSERT INTO server_event (bundle_id, customer_identifier, written_at, body) VALUES (?, ?, ?, ?)",
            customer.bundleId, customer.customerIdentifier, wall.milliseconds, try StoredJSON.text(event))
    }

    /// Reads the settled events after a place, in order.
    static func list(after: EventPosition, limit: Int, in reader: SQLReader) async throws -> [Row] {
        let dialect = reader.dialect
        return try await reader.query(
            """
            SELECT xact, position, bundle_id, customer_identifier, body FROM server_event
            WHERE \(dialect.eventPosition) > \(dialect.eventParameter)\(dialect.eventIsSettled)
            ORDER BY \(dialect.eventOrder) LIMIT ?
            """, arguments: dialect.arguments(after) + [limit]
        ).map { row in
            let body: String = try row["body"]
            return Row(
                position: try EventPosition(row), customer: try CustomerReference(row),
                event: try StoredJSON.value(StoredServerEvent.self, body), byteCount: body.utf8.count)
        }
    }

    /// Records the last event that AppStoreServer has stored. The record moves back if AppStoreServer reads again.
    static func acknowledge(_ position: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO server_event_reader (name, position) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET position = excluded.position
            """, reader, position)
    }

    /// Reads the last event that AppStoreServer has stored, or nil before the first.
    static func acknowledged(in reader: SQLReader) async throws(PersistenceError) -> String? {
        try await reader.queryOne("SELECT position FROM server_event_reader WHERE name = ?", Self.reader)?["position"]
    }
}
