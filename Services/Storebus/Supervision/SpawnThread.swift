import Dispatch
import Glibc
import Synchronization

/// The thread every child is started from. It never ends, because the kernel ties a child's parent-death signal to the
/// thread that made it and not to the process: a child started from a pool's thread, the main actor's included, would be
/// killed when the pool lets that thread go.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let work = Mutex<[@Sendable () -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        var thread = pthread_t()
        // Released never: the thread lives as long as the process.
        let this = Unmanaged.passRetained(self).toOpaque()
        let error = pthread_create(&thread, nil, { SpawnThread.loop($0) }, this)
        precondition(error == 0, "the system has no thread left to start processes from")
        pthread_detach(thread)
    }

    /// Runs `body` on the thread and waits for it, the millisecond a fork takes.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let answer = Answer<Result>()
        work.withLock { $0.append { answer.give(body()) } }
        arrived.signal()
        return answer.wait()
    }

    private static func loop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let this = Unmanaged<SpawnThread>.fromOpaque(context).takeUnretainedValue()
        while true {
            this.arrived.wait()
            this.work.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
        }
    }

    /// One result, handed from thread to thread.
    private final class Answer<Result: Sendable>: Sendable {
        private let result = Mutex<Result?>(nil)
        private let given = DispatchSemaphore(value: 0)

        func give(_ value: Result) {
            result.withLock { $0 = value }
            given.signal()
        }

        func wait() -> Result {
            given.wait()
            guard let value = result.withLock({ $0 }) else { preconditionFailure("signalled without a result") }
            return value
        }
    }
}
