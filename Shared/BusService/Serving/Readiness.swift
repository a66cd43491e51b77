import Synchronization

/// A gate that opens once, and everybody who waits for it.
final class Readiness: Sendable {
    private struct Contents {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Mutex(Contents())

    /// Lets everybody through, now and later.
    func open() {
        let waiters = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.waiters.append(continuation) }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
