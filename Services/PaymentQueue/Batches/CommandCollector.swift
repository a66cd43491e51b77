import EventLoop

/// Collects commands while the batch before is under way. Those that have arrived when it ends are the next one.
///
/// Nothing waits for more to come: a command that finds no batch under way is a batch of its own. Commands are
/// performed in the order of their arrival.
final class CommandCollector<Command: Sendable, Outcome: Sendable>: Sendable {
    /// Performs a batch: one outcome for each command, in their order.
    typealias Perform = @Sendable ([Command]) async -> [Result<Outcome, any Error>]

    /// Maximum number of commands of one batch. It bounds the statements, and the wait of the first command.
    static var batchMax: Int { 256 }

    private struct Waiting: Sendable {
        var command: Command
        let continuation: UnsafeContinuation<Outcome, any Error>
    }

    private struct Contents: Sendable {
        var waiting: [Waiting] = []
        var isPerforming = false
    }

    private let contents = Locked(Contents())
    private let executor: (any TaskExecutor)?
    private let perform: Perform

    /// - Parameter executor: The loop of the callers, so that a batch needs no other thread. Nil for any thread.
    init(on executor: (any TaskExecutor)?, perform: @escaping Perform) {
        self.executor = executor
        self.perform = perform
    }

    /// Performs a command with the next batch. A batch does not end early when a caller's task is cancelled.
    func run(_ command: Command) async throws -> Outcome {
        try await withUnsafeThrowingContinuation { continuation in
            let isFirst = contents.withLock { contents in
                contents.waiting.append(Waiting(command: command, continuation: continuation))
                defer { contents.isPerforming = true }
                return !contents.isPerforming
            }
            // The task begins behind the requests that the loop has read already. It is no part of the first one.
            if isFirst { Task.detached(executorPreference: executor) { await self.performAll() } }
        }
    }

    private func performAll() async {
        while true {
            let batch = contents.withLock { contents in
                let batch = Array(contents.waiting.prefix(Self.batchMax))
                contents.waiting.removeFirst(batch.count)
                if batch.isEmpty { contents.isPerforming = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            let outcomes = await perform(batch.map(\.command))
            precondition(outcomes.count == batch.count, "a command without an outcome would wait forever")
            for (waiting, outcome) in zip(batch, outcomes) { waiting.continuation.resume(with: outcome) }
        }
    }
}
