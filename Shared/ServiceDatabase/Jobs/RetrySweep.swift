import EventLoop

/// Retries the work that a table records as undone. It goes page by page and runs several attempts concurrently, each
/// when its time has come (``RetrySchedule``). It remembers only those times: each sweep reads the table.
///
/// ```swift
/// let open = try await sweep.run(
///     id: \.key, page: { after, limit in try await store.open(after: after, limit: limit) },
///     attempt: { refund in await refunds.send(refund, until: .now + .seconds(3)) })
/// ```
package final class RetrySweep: Sendable {
    /// Maximum number of rows of one page.
    static let pageSize = 256

    private let concurrency: Int
    private let schedule = Locked(RetrySchedule())

    /// - Parameter concurrency: The number of concurrent attempts.
    package init(concurrency: Int) { self.concurrency = concurrency }

    /// Tries everything that is due once.
    /// - Parameters:
    ///   - now: An instant of the monotonic clock. Rows due by it are tried.
    ///   - id: A row's identifier. Pages are in its order.
    ///   - page: The rows after an identifier, up to the limit. The first page is after "".
    ///   - isTaken: Whether another task is working on a row. Then it is skipped.
    ///   - attempt: Tries one row, and returns whether it is done for good.
    /// - Returns: The number of rows still undone.
    package func run<Row: Sendable>(
        now: ContinuousClock.Instant = .now, id: @Sendable @escaping (Row) -> String,
        page: (_ after: String, _ limit: Int) async throws -> [Row], isTaken: (Row) -> Bool = { _ in false },
        attempt: @Sendable @escaping (Row) async -> Bool
    ) async throws -> Int {
        var (undone, after) = (0, "")
        while !Task.isCancelled {
            let rows = try await page(after, Self.pageSize)
            undone += await run(rows, now: now, id: id, isTaken: isTaken, attempt: attempt)
            guard rows.count == Self.pageSize, let last = rows.last else { break }
            after = id(last)
        }
        return undone
    }

    /// Tries one, due or not, and notes when it may be tried again.
    /// - Returns: Whether it is done for good, as returned by `body`.
    package func attempt(_ id: String, _ body: () async -> Bool) async -> Bool {
        let isDone = await body()
        schedule.withLock { isDone ? $0.settled(id) : $0.failed(id, now: .now) }
        return isDone
    }

    /// Makes an identifier due, because there is news of it.
    package func hurry(_ id: String) { schedule.withLock { $0.settled(id) } }

    /// Tries the rows of one page.
    private func run<Row: Sendable>(
        _ rows: [Row], now: ContinuousClock.Instant, id: @Sendable @escaping (Row) -> String, isTaken: (Row) -> Bool,
        attempt: @Sendable @escaping (Row) async -> Bool
    ) async -> Int {
        await withTaskGroup { group in
            var (running, undone) = (0, 0)
            for row in rows {
                // Checked as late as possible: another task may have begun while other rows were tried.
                guard !isTaken(row), schedule.withLock({ $0.isDue(id(row), now: now) }) else {
                    undone += 1
                    continue
                }
                if running == concurrency {
                    undone += await group.next() == false ? 1 : 0
                    running -= 1
                }
                group.addTask { await self.attempt(id(row)) { await attempt(row) } }
                running += 1
            }
            for await isDone in group where !isDone { undone += 1 }
            return undone
        }
    }
}
