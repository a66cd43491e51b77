import Synchronization

/// Holds handlers until the test lets them go.
final class Gate: Sendable {
    private struct Contents {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Mutex(Contents())

    /// Handlers inside now.
    var waiting: Int { contents.withLock { $0.waiters.count } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.waiters.append(continuation) }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
