/// The tasks an object has begun. They are cancelled with it.
///
/// A task in the bag holds its owner weakly, or the owner would never go.
final class TaskBag: Sendable {
    private struct State: Sendable {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Locked(State())

    deinit { for task in state.withLock({ $0.tasks.values }) { task.cancel() } }

    /// Runs an operation without waiting for its end.
    func run(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let number = state.next
            state.next += 1
            // Unstructured, because StoreKit's calls return immediately. It cannot end before it is in the bag: ending
            // takes the lock that is held here.
            state.tasks[number] = Task { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[number] = nil }
            }
        }
    }
}
