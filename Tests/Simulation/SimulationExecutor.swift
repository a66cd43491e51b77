import EventLoop
import Glibc
import StorebusTesting

/// Runs all tasks of a simulated world on one thread, in an order that a seed decides.
///
/// Ready jobs wait in a list, beside actions: messages on their way, and tasks that wait for a disk. Each step takes one
/// of those that are due and runs it.
final class SimulationExecutor: TaskExecutor {
    private enum Work: Sendable {
        /// A part of a task, up to where it suspends.
        case job(UnownedJob)
        case action(@Sendable () -> Void)
    }

    private struct Entry: Sendable {
        var work: Work
        /// The first step that may run it.
        var due: Int
    }

    private struct Contents: Sendable {
        var entries: [Entry] = []
        var steps = 0
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        var escapes = 0

        mutating func note(_ number: Int) {
            digest = (digest ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01b3
        }
    }

    private let seed: UInt64
    private let thread = pthread_self()
    private let contents = Locked(Contents())

    /// Creates the executor of the calling thread.
    init(seed: UInt64) { self.seed = seed }

    /// The number of steps so far: jobs, actions and statements.
    var steps: Int { contents.withLock { $0.steps } }
    /// A hash over the order of everything that has happened.
    var digest: UInt64 { contents.withLock { $0.digest } }
    /// The number of jobs that came from another thread. Any is a hole in the simulation.
    var escapes: Int { contents.withLock { $0.escapes } }

    // MARK: Add

    /// Takes a job of the runtime.
    func enqueue(_ job: consuming ExecutorJob) {
        let work = Work.job(UnownedJob(job))
        let isHere = pthread_equal(pthread_self(), thread) != 0
        contents.withLock { contents in
            if !isHere { contents.escapes += 1 }
            contents.entries.append(Entry(work: work, due: 0))
        }
    }

    /// Runs an action, at the earliest after a number of steps.
    func perform(after delay: Int = 0, _ action: @escaping @Sendable () -> Void) {
        contents.withLock { contents in
            contents.entries.append(Entry(work: .action(action), due: contents.steps + delay))
        }
    }

    /// Lets other tasks run first, as a call to a disk or a network does.
    func pause() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            perform { continuation.resume() }
        }
    }

    /// Starts a task of the world.
    func start(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    /// Starts a task whose timers end at once, because it is cancelled.
    ///
    /// What it waits for is a step of the seed's choice, and no time. Nothing that runs in it looks at the cancellation.
    func startImpatient(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }.cancel()
    }

    /// Counts a step inside a job, such as a statement.
    func note(_ number: Int) {
        contents.withLock { contents in
            contents.steps += 1
            contents.note(number)
        }
    }

    // MARK: Run

    /// Runs steps until nothing is left, or until a number of steps is over.
    /// - Returns: Whether nothing is left.
    @discardableResult
    func run(atMost count: Int) -> Bool {
        let last = steps + count
        while steps < last {
            guard let work = next() else { return true }
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .action(let action): action()
            }
        }
        return contents.withLock { $0.entries.isEmpty }
    }

    private func next() -> Work? {
        contents.withLock { contents -> Work? in
            guard let first = contents.entries.map(\.due).min() else { return nil }
            // When everything is on its way, the time until the first arrives passes.
            contents.steps = max(contents.steps + 1, first)
            let (entries, now) = (contents.entries, contents.steps)
            let due = entries.indices.filter { entries[$0].due <= now }
            let choice = Int(hash(of: now) % UInt64(due.count))
            contents.note(due.count << 16 | choice)
            return contents.entries.remove(at: due[choice]).work
        }
    }

    private func hash(of step: Int) -> UInt64 {
        var random = SplitMix64(seed: seed ^ (UInt64(step) &* 0xD6E8_FEB8_6659_FD93))
        return random.next()
    }
}
