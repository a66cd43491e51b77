internal import CLibUV
import DequeModule
import Glibc
import Synchronization

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
