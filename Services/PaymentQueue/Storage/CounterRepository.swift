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

    /// - Returns: the first of `count` numbers that follow one another.
    package static func next(
        _ counter: Counter, count: Int = 1, in transaction: SQLTransaction
    ) async throws -> Int64 {
        let row = try await transaction.queryOne(
            "UPDATE counter SET value = value + ? WHERE name = ? RETURNING value", count, counter.rawValue)
        guard let row else { throw StoreError(.internal, "the counter '\(counter.rawValue)' is missing") }
        return try row["value"] - Int64(count) + 1
    }

    /// The last number that was given.
    package static func last(_ counter: Counter, in reader: SQLReader) async throws -> Int64 {
        guard let row = try await reader.queryOne("SELECT value FROM counter WHERE name = ?", counter.rawValue) else {
            throw StoreError(.internal, "the counter '\(counter.rawValue)' is missing")
        }
        return try row["value"]
    }
}
