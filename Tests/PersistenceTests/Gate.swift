import Foundation
import Synchronization

/// Holds a database thread until a test opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let waitedFor = Mutex(false)

    var isWaitedFor: Bool { waitedFor.withLock { $0 } }

    func wait() {
        waitedFor.withLock { $0 = true }
        semaphore.wait()
    }

    func open() { semaphore.signal() }
}
