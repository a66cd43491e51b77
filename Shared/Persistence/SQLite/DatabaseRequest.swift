internal import EventLoop

/// A body that waits for its turn on a database thread.
protocol DatabaseJob<Access>: Sendable {
    associatedtype Access: SQLReader
    /// Runs the body and keeps its result to itself.
    /// - Returns: The error that the body threw.
    func perform(_ access: Access) async -> (any Error)?
    /// Hands the result to the waiter. Called exactly once. A failure replaces the body's own result, because the
    /// body's view was never committed.
    func deliver(failure: PersistenceError?)
}

/// One call of ``SQLiteDatabase/write(_:)`` or ``SQLiteDatabase/read(_:)``.
final class DatabaseRequest<Access: SQLReader, Output: Sendable>: DatabaseJob {
    private let body: @Sendable (Access) async throws -> Output
    private let continuation: CheckedContinuation<Output, any Error>
    private let result = Locked<Result<Output, any Error>?>(nil)

    init(
        _ body: @escaping @Sendable (Access) async throws -> Output,
        _ continuation: CheckedContinuation<Output, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func perform(_ access: Access) async -> (any Error)? {
        do {
            let output = try await body(access)
            if let failure = access.session.failure { throw failure }
            result.withLock { $0 = .success(output) }
            return nil
        } catch {
            result.withLock { $0 = .failure(error) }
            return error
        }
    }

    func deliver(failure: PersistenceError?) {
        if let failure {
            continuation.resume(throwing: failure)
        } else if let outcome = result.withLock({ $0 }) {
            continuation.resume(with: outcome)
        } else {
            preconditionFailure("a request is performed before its result is delivered")
        }
    }
}
