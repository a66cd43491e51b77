import Persistence

/// Numbers that only grow, also while several writers of a store run concurrently. A customer's numbers come in the
/// order of the customer's commits, because those lock the customer first.
enum CounterRepository {
    enum Counter: String, Sendable {
        /// Identifiers of purchased and restored transactions.
        case transaction
        /// Identifiers of prompts.
        case prompt
        /// Launches of apps, so that the last one is known without a clock.
        case launch
    }

    /// - Returns: `count` numbers, growing.
    static func next(
        _ counter: Counter, count: Int = 1, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [Int64] {
        count == 0 ? [] : try await SQLCounter(counter.rawValue).next(count, in: transaction)
    }

    static func next(_ counter: Counter, in transaction: SQLTransaction) async throws(PersistenceError) -> Int64 {
        guard let number = try await next(counter, count: 1, in: transaction).first else {
            preconditionFailure("a counter gives as many numbers as it is asked for")
        }
        return number
    }
}
