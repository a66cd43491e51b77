import Logging
import StoreModels

/// Takes restores to their end that a process or a request has left on the way. Knows nothing by heart: each sweep reads
/// the table.
struct RestoreJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// Rows of one page of a sweep.
    static let pageSize = 64
    /// For one restore in one sweep, so that the others get their turn.
    static let attemptTime: Duration = .seconds(2)

    let store: RestoreStore
    let desk: RestoreDesk
    let logger: Logger

    /// - Returns: how many are still running.
    @discardableResult
    func sweep() async throws -> Int {
        var running = 0
        var after = ""
        while !Task.isCancelled {
            let page = try await store.running(after: after, limit: Self.pageSize)
            for stored in page where await !finish(stored) { running += 1 }
            guard page.count == Self.pageSize, let last = page.last?.id else { break }
            after = last
        }
        return running
    }

    private func finish(_ stored: StoredRestore) async -> Bool {
        do {
            return try await desk.finish(stored, until: .now + Self.attemptTime).restore.state != .running
        } catch let error as StoreError where error.code == .notFound {
            return true
        } catch {
            logger.warning("restore not ended", metadata: ["restore": "\(stored.id)", "error": "\(error)"])
            return false
        }
    }
}
