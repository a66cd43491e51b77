internal import CLibUV
import DequeModule
import Dispatch
import Glibc
import Synchronization

/// A libuv loop on one thread, as Swift executors.
///
/// Actors pin themselves to it, and then their methods, the callbacks of their handles and every job between them run
/// on one thread without a lock or a hop:
/// ```swift
/// actor Connection {
///     let loop: UVLoop
///     nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
/// }
/// ```
/// It is a task executor too, and tasks that work with such actors should prefer it: `Task(executorPreference: loop)`
/// or `withTaskExecutorPreference(loop)`. A continuation (and an `AsyncStream`, which uses one) resumes its task on the
/// task's executor before the actor's. Without the preference that is the global pool, so each await of one costs a
/// visit to another thread and a wake-up. A plain `Task { }` does not inherit the preference.
///
/// **Turns.** The loop polls, runs the callbacks of ready handles, then runs all jobs, then the work registered with
/// `atEndOfTurn`, and polls again. So output written in any number of callbacks and jobs leaves in one write per turn.
///
/// **Ownership.** A handle object (`TCPStream`, `LoopTimer`, …) owns C memory that never moves. From its initializer
/// until its close callback the loop keeps the object alive. The memory is freed in the close callback only. Dropping
/// the last reference to an open handle does not close it: call its `close()`, or let `UVLoop.close()` do it.
///
/// **Callback rule.** A C callback finds the object from `handle.data` (`LoopHandle.of`) and only calls it.
///
/// **After close.** See `close()`.
package final class UVLoop: TaskExecutor, @unchecked Sendable {
    // Why unchecked: `inbox` is guarded by its mutex, the atomics are atomics, and everything else is touched by the
    // owning thread alone, which the mutex hands from the creator to the loop thread and on to the late queue.

    /// For logs, and (its first 15 bytes) for the thread.
    package let name: String

    let uv: UnsafeMutablePointer<uv_loop_t>
    let wakeUp: UnsafeMutablePointer<uv_async_t>
    let endOfPoll: UnsafeMutablePointer<uv_prepare_t>
    let doNotBlock: UnsafeMutablePointer<uv_idle_t>

    let inbox = Locked(LoopInbox())
    /// The executor of the actors pinned to the loop.
    let isolation = LoopIsolation()
    /// The thread that may touch the loop's state now, or 0 without one.
    let owner = Atomic<UInt>(0)
    let wakeUps = Atomic<Int>(0)
    let lastTurn = Atomic<UInt64>(0)
    let longestTurn = Atomic<UInt64>(0)
    /// Runs jobs that are enqueued after the loop has ended, one at a time.
    let lateQueue: DispatchQueue

    // From here on: the owning thread's.

    /// Whether `uv_run` is on the stack. Jobs of this thread are then taken at the end of the turn.
    var isRunning = false
    /// Whether `close()` has reached the loop, which then refuses new handles.
    var isClosing = false
    var local = Deque<LoopJob>()
    var endOfTurnWork: [() -> Void] = []
    var handlesWithOutput: [TCPStream] = []
    /// Empty arrays to swap with those above and with the inbox. A turn then makes no allocation.
    var spareJobs: [LoopJob] = []
    var spareWork: [() -> Void] = []
    var spareHandles: [TCPStream] = []
    var openHandles = 0
    var lookups: [ObjectIdentifier: AddressLookup] = [:]
    /// The beginning of this turn's first callback, in nanoseconds of `uv_hrtime`, or 0 between turns.
    var turnStart: UInt64 = 0
    /// Input of the stream that is being read. Valid during one `onRead` only.
    let readBuffer: UnsafeMutableRawBufferPointer

    /// Makes a loop that is not running yet, and ignores SIGPIPE for the process. Use it with `run()` if the caller's
    /// thread is to become the loop. Otherwise use `start(name:)`.
    /// - Throws: `EMFILE` and the like, if the kernel gives no descriptors.
    package init(name: String) throws(UVError) {
        ignoreBrokenPipe()
        self.name = name
        lateQueue = DispatchQueue(label: "storebus.loop.\(name).late")
        uv = .allocate(capacity: 1)
        wakeUp = .allocate(capacity: 1)
        endOfPoll = .allocate(capacity: 1)
        doNotBlock = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: EventLoopLimits.readBytes, alignment: 16)
        isolation.loop = self
        var result = uv_loop_init(uv)
        if result == 0 {
            // The C callbacks find the loop here, unretained: a running loop is kept alive by its thread.
            let me = Unmanaged.passUnretained(self).toOpaque()
            uv.pointee.data = me
            result = uv_async_init(uv, wakeUp) { UVLoop.of($0!.pointee.loop).takeInbox() }
            if result == 0 {
                uv_prepare_init(uv, endOfPoll)
                uv_prepare_start(endOfPoll) { UVLoop.of($0!.pointee.loop).finishTurn() }
                uv_idle_init(uv, doNotBlock)
            } else {
                uv_loop_close(uv)
            }
        }
        if result != 0 {
            freeMemory()
            throw UVError(code: result, operation: "create loop \(name)")
        }
    }

    deinit {
        let phase = inbox.withLock { $0.phase }
        precondition(phase != .running && phase != .ending, "loop \(name) was dropped while it runs")
        if phase == .idle { closeWithoutRunning() }
        readBuffer.deallocate()
        uv.deallocate()
    }

    /// The loop that `pointer` belongs to.
    static func of(_ pointer: UnsafeMutablePointer<uv_loop_t>) -> UVLoop {
        Unmanaged<UVLoop>.fromOpaque(pointer.pointee.data).takeUnretainedValue()
    }

    private func freeMemory() {
        wakeUp.deallocate()
        endOfPoll.deallocate()
        doNotBlock.deallocate()
    }
}

extension UVLoop {
    /// Makes a loop and a thread of its own that runs it until `close()`.
    /// - Throws: If the kernel gives no descriptors or no thread.
    package static func start(name: String) throws(UVError) -> UVLoop {
        let loop = try UVLoop(name: name)
        loop.inbox.withLock { $0.runClaimed = true }
        do {
            // The thread's reference keeps the loop alive for as long as it runs.
            try DetachedThread.start(name: name) { loop.runUntilClosed() }
        } catch {
            loop.inbox.withLock { $0.runClaimed = false }
            throw error
        }
        return loop
    }

    /// Runs the loop on the calling thread until it is closed. For tools that own their thread: enqueue the set-up with
    /// `execute`, then call this. Returns immediately when the loop runs elsewhere or has been closed.
    package func run() {
        let mine = inbox.withLock { inbox in
            defer { inbox.runClaimed = true }
            return !inbox.runClaimed
        }
        if mine { runUntilClosed() }
    }

    func runUntilClosed() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        isRunning = true
        inbox.withLock { $0.phase = .running }
        uv_update_time(uv)
        uv_run(uv, UV_RUN_DEFAULT)
        isRunning = false
        let result = uv_loop_close(uv)
        precondition(result == 0, "loop \(name) ended with an open handle: \(String(cString: uv_strerror(result)))")
        owner.store(0, ordering: .relaxed)
        leave()
    }

    /// Hands the remaining jobs over to the late queue and lets `close()` return. The thread's last act.
    private func leave() {
        var rest: [LoopJob] = []
        while let job = local.popFirst() { rest.append(job) }
        let closers = inbox.withLock { inbox in
            inbox.phase = .closed
            inbox.jobs = rest + inbox.jobs
            if !inbox.jobs.isEmpty { scheduleLateRun(&inbox) }
            defer { inbox.closers = [] }
            return inbox.closers
        }
        for closer in closers { closer.resume() }
    }
}

extension UVLoop {
    /// Suspends the task for `duration` of monotonic time. The task may run anywhere, but the timer is on the loop.
    /// - Throws: If the task is cancelled, or if the loop closes meanwhile or is closed.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        let sleeper = Sleeper(loop: self)
        let completed = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                execute { sleeper.start(duration, continuation) }
            }
        } onCancel: {
            execute { sleeper.wake(completed: false) }
        }
        if !completed { throw CancellationError() }
    }
}

/// One sleep. Unchecked, because it travels between the sleeping task and the loop as a reference only. Its state is
/// touched on the loop.
private final class Sleeper: @unchecked Sendable {
    private let loop: UVLoop
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Bool, Never>?
    /// Whether it has ended. A cancellation may overtake the start.
    private var isOver = false

    init(loop: UVLoop) { self.loop = loop }

    func start(_ duration: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
        let timer = LoopTimer(loop: loop)
        if isOver || timer.isClosed {
            timer.close()
            return continuation.resume(returning: false)
        }
        self.continuation = continuation
        self.timer = timer
        timer.afterClose = { self.wake(completed: false) }
        timer.start(after: duration) { self.wake(completed: true) }
    }

    func wake(completed: Bool) {
        isOver = true
        let waiting = continuation
        continuation = nil
        timer?.close()
        timer = nil
        waiting?.resume(returning: completed)
    }
}

/// Ignores SIGPIPE for the whole process. Writing to a closed connection is then an error and does not end the process.
/// Making a `UVLoop` calls it, since libuv's writes raise the signal. Tools without a loop call it themselves.
package func ignoreBrokenPipe() {
    signal(SIGPIPE, SIG_IGN)
}
