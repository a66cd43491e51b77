internal import Dispatch
internal import Foundation

/// A thread that runs one task of blocking work: disk access and waits.
///
/// It is the task's executor. A body that only does SQL never suspends, so it runs straight through. One that does
/// suspend comes back here, and meanwhile the thread waits for it alone.
final class DatabaseThread: TaskExecutor {
    private let jobs = JobInbox<UnownedJob>(countMax: .max)

    /// Runs `work` on a thread of its own.
    /// - Parameter ended: Left when the thread ends.
    static func start(_ name: String, _ ended: DispatchGroup, _ work: @escaping @Sendable () async -> Void) {
        let executor = DatabaseThread()
        ended.enter()
        let thread = Thread {
            executor.serve()
            ended.leave()
        }
        thread.name = name
        thread.start()
        Task(executorPreference: executor) {
            await work()
            executor.jobs.close()
        }
    }

    /// Takes a job of the runtime: the task's first step, or a later one.
    func enqueue(_ job: consuming ExecutorJob) {
        _ = jobs.add(UnownedJob(job))
    }

    private func serve() {
        while let job = jobs.take(atMost: 1)?.first { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
