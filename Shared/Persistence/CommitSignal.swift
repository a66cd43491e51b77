internal import EventLoop

/// Announces this process's commits, so that jobs can rest until there may be work.
///
/// Work is a row that a commit has written. A job that found no work waits for the next commit instead of reading
/// again.
///
/// ```swift
/// let position = database.commits.position          // before the tables are read
/// if try await nothingIsLeft() { await database.commits.wait(beyond: position, until: .now + .seconds(5)) }
/// ```
package final class CommitSignal: Sendable {
    private struct Contents {
        var position = 0
        /// The continuations of waiting tasks, by their numbers.
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextNumber = 0
    }

    private let contents = Locked(Contents())

    /// Creates a signal without commits.
    package init() {}

    /// The number of announcements so far.
    package var position: Int { contents.withLock { $0.position } }

    /// Announces a commit, or work that is kept in memory.
    package func notify() {
        let waiting = contents.withLock { contents in
            contents.position += 1
            // Mostly empty: while commits come, jobs do not rest.
            guard !contents.waiting.isEmpty else { return [Int: AsyncStream<Void>.Continuation]() }
            defer { contents.waiting = [:] }
            return contents.waiting
        }
        for continuation in waiting.values { continuation.finish() }
    }

    /// Waits until something is announced behind a position, or until a deadline.
    ///
    /// A cancelled task waits no longer.
    package func wait(beyond position: Int, until deadline: ContinuousClock.Instant) async {
        let (announced, continuation) = AsyncStream<Void>.makeStream()
        let number = contents.withLock { contents -> Int? in
            guard contents.position == position else { return nil }
            contents.nextNumber += 1
            contents.waiting[contents.nextNumber] = continuation
            return contents.nextNumber
        }
        guard let number else { return }
        await withTaskGroup { group in
            group.addTask { for await _ in announced {} }
            group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
        // The stream keeps its continuation, which is released outside of the lock.
        _ = contents.withLock { $0.waiting.removeValue(forKey: number) }
    }
}
