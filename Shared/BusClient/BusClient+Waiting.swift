extension BusClient {
    /// Waits until the client is connected, for at most `timeout`. Tools report "cannot reach" with it instead of
    /// waiting indefinitely.
    ///
    /// - Throws: `timeout`, `cancelled`, `closed` (or the final reason, if any), or `tlsFailed`, because the next
    ///   attempt would fail likewise.
    package func waitUntilConnected(timeout: Duration) async throws(BusError) {
        let client = self
        let outcome = await withTaskGroup(of: Result<Void, BusError>?.self) { group in
            group.addTask { await client.firstConnection() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let outcome else {
            if Task.isCancelled { throw BusError(.cancelled, "the task was cancelled while waiting for the bus") }
            throw BusError(.timeout, "no connection to the bus within \(timeout)")
        }
        try outcome.get()
    }

    private func firstConnection() async -> Result<Void, BusError>? {
        for await state in states {
            if state == .connected { return .success(()) }
            if case .disconnected(let error) = state, error.code == .tlsFailed { return .failure(error) }
        }
        // The stream ends with the client, and early only for a cancelled task.
        return endReason.map { .failure($0) }
    }
}
