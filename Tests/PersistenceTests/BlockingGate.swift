import EventLoop

/// Holds a body until a test opens it.
final class BlockingGate: Sendable {
    private struct Contents {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Locked(Contents())

    var isWaitedFor: Bool { contents.withLock { !$0.waiting.isEmpty || $0.isOpen } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.waiting.append(continuation) }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Again does nothing.
    func open() {
        let waiting = contents.withLock { contents in
            defer { contents.waiting = [] }
            contents.isOpen = true
            return contents.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
