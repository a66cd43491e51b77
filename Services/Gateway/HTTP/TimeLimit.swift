/// Runs `operation` and cancels it when the time is over.
///
/// The operation must respond to cancellation; every wait here (the bus, a body, a sleep) does.
/// - Throws: `error` at the limit, otherwise the operation's error.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, else error: any Error, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        // The first result decides: a value, the operation's error, or nil for the limit.
        guard let first = try await group.next(), let value = first else { throw error }
        return value
    }
}
