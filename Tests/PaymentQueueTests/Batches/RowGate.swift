import EventLoop

/// Holds a transaction until a test opens it.
final class RowGate: Sendable {
    private struct Contents {
        var isOpen = false
        var holder: CheckedContinuation<Void, Never>?
    }

    private let contents = Locked(Contents())

    var isWaitedFor: Bool { contents.withLock { $0.holder != nil } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.holder = continuation }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Again does nothing.
    func open() {
        let holder = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.holder = nil }
            return contents.holder
        }
        holder?.resume()
    }
}
