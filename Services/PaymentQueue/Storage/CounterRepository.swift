import Persistence

/// Counts up, also while several writers of a store run concurrently.
///
/// A customer's numbers come in the order of the customer's commits, because each commit locks the customer first.
enum CounterRepository {
    enum Counter: String, Sendable {
        /// Identifiers of purchased and restored transactions.
        case transaction
        /// Identifiers of prompts.
        case prompt
        /// Launches of apps, which the number orders without a clock.
        case launch
        /// Customers' downloads of apps, as signed payloads name them.
        case appTransaction = "app_transaction"
    }

    /// Takes the next `count` numbers.
    /// - Returns: The numbers in ascending order.
    static func next(
        _ counter: Counter, count: Int = 1, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [Int64] {
        count == 0 ? [] : try await SQLCounter(counter.rawValue).next(count, in: transaction)
    }

    /// Takes the next number.
    static func next(_ counter: Counter, in transaction: SQLTransaction) async throws(PersistenceError) -> Int64 {
        guard let number = try await next(counter, count: 1, in: transaction).first else {
            preconditionFailure("a counter gives as many numbers as it is asked for")
        }
        return number
    }
}
