internal import CLibUV
import Dispatch
import Glibc
import Synchronization

extension UVLoop {
    /// Closes all open handles, waits for their close callbacks and ends the loop. Idempotent. Every caller returns
    /// after the end. Streams get `onClose` with `ECANCELED`, sleepers a `CancellationError`.
    ///
    /// **Jobs after close.** No continuation hangs and isolation holds: once the loop thread has left, jobs enqueued
    /// here run one at a time on a dispatch queue of this loop, on which `isCurrent` is true, so actors pinned to the
    /// loop can finish. New handles are refused with `ECANCELED`, timers never fire, sleeping throws immediately.
    package func close() async {
        await withCheckedContinuation { continuation in
            enum Step { case resume, wait, post, run }
            let step: Step = inbox.withLock { inbox in
                if inbox.phase == .closed { return .resume }
                inbox.closers.append(continuation)
                defer { inbox.closeRequested = true }
                if inbox.closeRequested { return .wait }
                return inbox.runClaimed ? .post : .run
            }
            switch step {
            case .resume: continuation.resume()
            case .wait: break
            case .post: execute { self.beginClosing() }
            case .run:
                // The loop was never run: the caller runs it briefly.
                execute { self.beginClosing() }
                run()
            }
        }
    }

    private func beginClosing() {
        isClosing = true
        // The walk visits all handles; the loop's own three are not LoopHandles and go last.
        uv_walk(
            uv,
            { handle, _ in
                guard let handle, let object = LoopHandle.from(handle) else { return }
                object.loopCloses()
            }, nil)
        for lookup in lookups.values { lookup.cancel() }
    }

    /// Ends the loop when it is closing and no handle is open. Part of every turn: the loop's own handles close, and
    /// `uv_run` returns.
    func endIfNothingIsOpen() {
        guard isClosing, openHandles == 0, lookups.isEmpty, uv_is_closing(loopHandle(wakeUp)) == 0 else { return }
        // From here on nothing may wake the loop; what other threads enqueue waits for its end.
        inbox.withLock { $0.phase = .ending }
        closeOwnHandles()
    }

    private func closeOwnHandles() {
        uv_close(loopHandle(endOfPoll)) { UVLoop.free($0, uv_prepare_t.self) }
        uv_close(loopHandle(doNotBlock)) { UVLoop.free($0, uv_idle_t.self) }
        uv_close(loopHandle(wakeUp)) { UVLoop.free($0, uv_async_t.self) }
    }

    private static func free<Handle>(_ handle: UnsafeMutablePointer<uv_handle_t>?, _ type: Handle.Type) {
        UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: type).deallocate()
    }

    /// Closes a loop that is dropped before it ran.
    func closeWithoutRunning() {
        closeOwnHandles()
        uv_run(uv, UV_RUN_DEFAULT)
        uv_loop_close(uv)
    }

    private func loopHandle<Handle>(_ pointer: UnsafeMutablePointer<Handle>) -> UnsafeMutablePointer<uv_handle_t> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
    }

    /// Has the late queue run the jobs in the inbox. Called with the lock held, in phase `closed` only.
    func scheduleLateRun(_ inbox: inout LoopInbox) {
        if inbox.lateRunScheduled { return }
        inbox.lateRunScheduled = true
        lateQueue.async { self.runLateJobs() }
    }

    private func runLateJobs() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            let batch = inbox.withLock { inbox in
                if inbox.jobs.isEmpty {
                    owner.store(0, ordering: .relaxed)
                    inbox.lateRunScheduled = false
                }
                defer { inbox.jobs = [] }
                return inbox.jobs
            }
            if batch.isEmpty { return }
            for job in batch { run(job) }
        }
    }
}
