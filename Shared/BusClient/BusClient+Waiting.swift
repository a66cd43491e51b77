extension BusClient {
    /// Waits for a connection. For tools that want to say "cannot reach" instead of waiting for ever.
    ///
    /// - Throws: `timeout`; `closed`, or the final reason when there is one; `cancelled`.
    package func waitUntilConnected(timeout: Duration) async throws(BusError) {
        let states = self.states
        let outcome = await withTaskGroup(of: Result<Void, BusError>?.self) { group in
            group.addTask { await Self.firstConnection(in: states) }
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

    private static func firstConnection(in states: AsyncStream<BusConnectionState>) async -> Result<Void, BusError>? {
        var reason = BusError(.closed, "the client was closed")
        for await state in states {
            switch state {
            case .connected: return .success(())
            case .disconnected(let error): reason = error
            case .connecting: break
            case .closed: return .failure(reason)
            }
        }
        // The stream ends early only for a cancelled task.
        return Task.isCancelled ? nil : .failure(reason)
    }
}
