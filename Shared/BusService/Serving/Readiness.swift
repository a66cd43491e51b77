import EventLoop

/// A gate that opens once and closes for good, and the tasks that wait for its opening.
final class Readiness: Sendable {
    private struct Contents {
        var isOpen = false
        var isClosed = false
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

    /// Closes the gate. Waiting callers were let through before.
    func close() { contents.withLock { $0.isClosed = true } }

    /// Whether it has opened and not closed.
    var isOpen: Bool { contents.withLock { $0.isOpen && !$0.isClosed } }

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
