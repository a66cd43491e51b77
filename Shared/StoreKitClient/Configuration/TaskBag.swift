/// The running tasks of an object, cancelled when it is deallocated.
///
/// A task references its owner weakly, because the owner would otherwise never be deallocated.
final class TaskBag: Sendable {
    private struct State: Sendable {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = LockedValue(State())

    deinit { for task in state.withLock({ $0.tasks.values }) { task.cancel() } }

    /// Starts a task and returns immediately.
    func run(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let number = state.next
            state.next += 1
            // Unstructured, because StoreKit's calls return immediately. It cannot end before it is stored: ending
            // takes the lock that is held here.
            state.tasks[number] = Task { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[number] = nil }
            }
        }
    }
}
