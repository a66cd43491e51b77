import EventLoop
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import Testing

@Suite struct BackgroundJobTests {
    private struct Failure: Error {}

    private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs jobs in a service group until the signal comes, then shuts it down gracefully.
    private func run(_ jobs: [BackgroundJob], until signal: AsyncStream<Void>) async throws {
        struct Jobs: ServiceLifecycle.Service {
            let jobs: [BackgroundJob]
            func run() async throws { await BackgroundJob.run(jobs) }
        }
        let group = ServiceGroup(services: [Jobs(jobs: jobs)], logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in signal {}
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test func `a round that fails is not the end, a graceful shutdown is`() async throws {
        let rounds = Locked(0)
        let (signal, third) = AsyncStream<Void>.makeStream()
        let job = BackgroundJob.repeating("job", every: .milliseconds(1), CommitSignal(), silent) {
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            if round == 3 { third.finish() }
            if round == 1 { throw Failure() }
            return .interval
        }
        try await run([job], until: signal)
        #expect(rounds.withLock { $0 } >= 3)
    }

    /// Runs a job whose first round returns `rest`, until its second round.
    /// - Parameter afterFirst: Called when the first round has begun.
    private func runTwice(
        resting rest: BackgroundJob.Rest, every interval: Duration = .milliseconds(1), _ commits: CommitSignal,
        slowly: Duration = .seconds(3_600), afterFirst: @escaping @Sendable () -> Void = {}
    ) async throws {
        let rounds = Locked(0)
        let (signal, second) = AsyncStream<Void>.makeStream()
        let job = BackgroundJob.repeating("job", every: interval, commits, slowly: slowly, silent) {
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            if round == 1 { afterFirst() }
            if round == 2 { second.finish() }
            return round == 1 ? rest : .untilCommit()
        }
        try await run([job], until: signal)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a job with nothing left looks again after a commit, also after one during its round`() async throws {
        let commits = CommitSignal()
        try await runTwice(resting: .untilCommit(), commits) { commits.notify() }
        let later = CommitSignal()
        try await runTwice(resting: .untilCommit(), later) { Task { later.notify() } }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an instant that a round names is not delayed to the interval`() async throws {
        try await runTwice(
            resting: .untilCommit(or: .now + .milliseconds(1)), every: .seconds(3_600), CommitSignal())
    }

    @Test(.timeLimit(.minutes(1)))
    func `work that no commit has announced is found by the slow sweep`() async throws {
        try await runTwice(resting: .untilCommit(), CommitSignal(), slowly: .milliseconds(1))
    }

    @Test func `jobs run side by side, and the last to end ends them all`() async throws {
        let ended = Locked(0)
        let (first, second) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        // Each waits for the other to have begun, and then for the end.
        let jobs = [(first.continuation, second.stream), (second.continuation, first.stream)].map { begun, other in
            BackgroundJob {
                begun.finish()
                for await _ in other {}
                let forever = AsyncStream<Void> { _ in }
                for await _ in forever {}
                ended.withLock { $0 += 1 }
            }
        }
        let (signal, begun) = AsyncStream<Void>.makeStream()
        try await run(jobs + [BackgroundJob { begun.finish() }], until: signal)
        #expect(ended.withLock { $0 } == 2)
    }
}
