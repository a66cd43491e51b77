import Persistence
import StoreModels

/// Numbers that only grow. In one database a number is given in the transaction that uses it, so their order is the
/// order of the commits; where an engine lets writers run side by side the counter's row makes them queue.
package enum CounterRepository {
    package enum Counter: String, Sendable {
        /// Identifiers of purchased and restored transactions.
        case transaction
        /// Places among the store's events.
        case event
        /// Identifiers of prompts.
        case prompt
    }

    package static func next(_ counter: Counter, in transaction: SQLTransaction) async throws -> Int64 {
        let row = try await transaction.queryOne(
            "UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value", counter.rawValue)
        guard let row else { throw StoreError(.internal, "the counter '\(counter.rawValue)' is missing") }
        return try row["value"]
    }

    /// The last number that was given.
    package static func last(_ counter: Counter, in reader: SQLReader) async throws -> Int64 {
        guard let row = try await reader.queryOne("SELECT value FROM counter WHERE name = ?", counter.rawValue) else {
            throw StoreError(.internal, "the counter '\(counter.rawValue)' is missing")
        }
        return try row["value"]
    }
}
