import EventLoop

/// The requests that a service has taken and not answered. They are counted per endpoint for the bulkhead, and kept, so
/// that a stopping service can wait for them.
final class InFlightRequests: Sendable {
    private struct Contents {
        var nextIdentifier = 0
        /// nil for the moment between taking the request and the start of its task.
        var tasks: [Int: Task<Void, Never>?] = [:]
        var counts: [String: Int] = [:]
        var drainers: [CheckedContinuation<Int, Never>] = []
    }

    private let contents = Locked(Contents())

    /// The number of requests that were taken and not answered.
    var count: Int { contents.withLock { $0.tasks.count } }

    /// Takes a place. Nil when the endpoint's 1024 are in use.
    func begin(_ endpoint: String) -> Int? {
        contents.withLock { contents in
            guard contents.counts[endpoint, default: 0] < BusServiceLimits.bulkhead else { return nil }
            contents.counts[endpoint, default: 0] += 1
            contents.nextIdentifier += 1
            contents.tasks.updateValue(nil, forKey: contents.nextIdentifier)
            return contents.nextIdentifier
        }
    }

    /// Keeps the task of a place, unless it has ended already.
    func attach(_ task: Task<Void, Never>, to identifier: Int) {
        contents.withLock { contents in
            if contents.tasks[identifier] != nil { contents.tasks.updateValue(task, forKey: identifier) }
        }
    }

    /// Frees the place.
    func end(_ identifier: Int, _ endpoint: String) {
        let drainers: [CheckedContinuation<Int, Never>] = contents.withLock { contents in
            guard contents.tasks.removeValue(forKey: identifier) != nil else { return [] }
            contents.counts[endpoint, default: 1] -= 1
            guard contents.tasks.isEmpty else { return [] }
            defer { contents.drainers = [] }
            return contents.drainers
        }
        for drainer in drainers { drainer.resume(returning: 0) }
    }

    /// Waits until all are done, but no longer than `limit`, then cancels the rest.
    ///
    /// - Returns: How many were cancelled.
    func drain(within limit: Duration) async -> Int {
        // The clock of this wait; it ends with it.
        let clock = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            abandon()
        }
        defer { clock.cancel() }
        return await withCheckedContinuation { continuation in
            let isEmpty = contents.withLock { contents in
                if !contents.tasks.isEmpty { contents.drainers.append(continuation) }
                return contents.tasks.isEmpty
            }
            if isEmpty { continuation.resume(returning: 0) }
        }
    }

    private func abandon() {
        let (tasks, drainers) = contents.withLock { contents in
            defer { contents.drainers = [] }
            return (Array(contents.tasks.values), contents.drainers)
        }
        for task in tasks { task?.cancel() }
        for drainer in drainers { drainer.resume(returning: tasks.count) }
    }
}
