import Persistence
import StoreModels

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

        /// The number before the first one. Nil for counters that isolated stores do not have for themselves.
        fileprivate var start: Int64? {
            switch self {
            case .transaction: 2_000_000_000_000_000
            case .appTransaction: 7_000_000_000_000_000_000
            case .prompt, .launch: nil
            }
        }

        /// Whether each isolated store has a counter of its own.
        var isOfIsolatedStores: Bool { start != nil }
    }

    /// Takes the next `count` numbers for an app. The installation's apps share a counter. An isolated store has its
    /// own, whose start depends on its seed.
    /// - Returns: The numbers in ascending order.
    static func next(
        _ counter: Counter, count: Int = 1, of bundleId: String, in transaction: SQLTransaction
    ) async throws -> [Int64] {
        try await numbers(start(counter, count: count, of: bundleId, in: transaction))
    }

    /// Numbers that were asked for.
    enum Started {
        case taken([Int64])
        /// A sequence's numbers, one a row.
        case sequence(StartedQuery)
        /// An isolated store's counter after the last of `count` numbers.
        case isolated(StartedQuery, count: Int)
    }

    /// Starts to take the next `count` numbers for an app, as ``next(_:count:of:in:)`` does.
    static func start(
        _ counter: Counter, count: Int, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Started {
        guard count > 0 else { return .taken([]) }
        guard let app = IsolatedApp(bundleId), let start = counter.start else {
            let counter = SQLCounter(counter.rawValue)
            if let query = try await counter.startNext(count, in: transaction) { return .sequence(query) }
            return .taken(try await counter.next(count, in: transaction))
        }
        let query = try await transaction.start(
            """
            INSERT INTO isolated_counter (bundle_id, name, value) VALUES (?, ?, ?)
            ON CONFLICT (bundle_id, name) DO UPDATE SET value = isolated_counter.value + ?
            RETURNING value
            """, bundleId, counter.rawValue, start + app.numbersOffset + Int64(count), count)
        return .isolated(query, count: count)
    }

    /// Waits for numbers that were asked for.
    /// - Returns: The numbers in ascending order.
    static func numbers(_ started: Started) async throws -> [Int64] {
        switch started {
        case .taken(let numbers): return numbers
        case .sequence(let query): return try await query.rows().values(of: "value")
        case .isolated(let query, let count):
            guard let last: Int64 = try await query.first()?["value"] else {
                throw StoreError(.internal, "a store's counter was not written")
            }
            return Array(last - Int64(count) + 1...last)
        }
    }

    /// Gives back this commit's last `count` numbers, so that isolated stores have no gaps.
    ///
    /// The counter's row is locked since they were taken. Gaps in the installation's numbers are harmless, and stay.
    static func release(
        _ count: Int, _ counter: Counter, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        guard count > 0, IsolatedApp(bundleId) != nil else { return }
        try await transaction.execute(
            "UPDATE isolated_counter SET value = value - ? WHERE bundle_id = ? AND name = ?", count, bundleId,
            counter.rawValue)
    }

    /// Takes the next number.
    static func next(_ counter: Counter, in transaction: SQLTransaction) async throws(PersistenceError) -> Int64 {
        guard let number = try await SQLCounter(counter.rawValue).next(in: transaction).first else {
            preconditionFailure("a counter gives as many numbers as it is asked for")
        }
        return number
    }
}
