import EventLoop

/// A gate that opens once, and the tasks that wait for it.
final class Readiness: Sendable {
    private struct Contents {
        var isOpen = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let contents = Locked(Contents())

    /// Opens the gate for present and future waiters.
    func open() {
        let waiters = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.waiters = [:] }
            return contents.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns when the gate opens, or the task is cancelled.
    func wait() async {
        let number = contents.withLock { contents in
            contents.nextWaiter += 1
            return contents.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    if contents.isOpen || Task.isCancelled { return true }
                    contents.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
