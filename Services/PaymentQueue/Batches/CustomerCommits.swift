import BusService
import EventLoop
import Persistence
import ServiceDatabase
import StoreModels

/// Commits decisions about customers, in batches (ADR 0070).
final class CustomerCommits: Sendable {
    /// A commit's output, with what follows it.
    struct Committed<Output: Sendable>: Sendable {
        var output: Output
        /// Changes to publish after the commit.
        var changes: [PublishedChange] = []
        /// Purchases that can continue.
        var woken: [String] = []

        /// Returns the same commit with another output.
        func with<Other>(_ output: Other) -> Committed<Other> {
            Committed<Other>(output: output, changes: changes, woken: woken)
        }
    }

    /// An output, possibly an optional one, on its way through batches of commands of all kinds.
    private struct Boxed<Value: Sendable>: Sendable { let value: Value }

    /// Maximum number of transactions that wait for customers, so that they leave connections to batches.
    static let aloneMax = 4
    /// Maximum number of decisions of a command alone, each after another transaction was first.
    private static let attemptMax = 3

    private let database: any SQLDatabase
    private let clock: BusinessClock
    private let checkpoint: CheckpointHook
    private let commands: CommandCollector<CustomerCommand, CustomerBatch.Outcome>
    /// The commands that are decided alone, one after the other in each of ``aloneMax`` rows.
    private let alone = KeyedLock<Int>()

    /// - Parameter executor: The loop on which requests are handled, or nil for any thread.
    init(
        _ database: any SQLDatabase, on executor: (any TaskExecutor)?, clock: BusinessClock,
        checkpoint: @escaping CheckpointHook
    ) {
        self.database = database
        self.clock = clock
        self.checkpoint = checkpoint
        commands = CommandCollector(on: executor) { commands in
            await Self.perform(commands, waits: false, database, clock, checkpoint)
        }
    }

    /// Commits a decision with the next batch.
    /// - Parameters:
    ///   - lookups: The rows that the decision is known to ask for.
    ///   - identifierCount: The number of transaction identifiers that it is known to take.
    ///   - reached: The checkpoint inside a commit that changes something.
    ///   - deadline: The instant after which the decision is not made. Nil for the store's own work.
    ///   - decide: Decides. It may run several times, and only its last run counts.
    /// - Throws: `notFound` for an unknown customer, `deadlineExceeded`, the decision's error, or the database's.
    func commit<Output: Sendable>(
        _ customer: CustomerReference, asking lookups: [SQLLookupKey] = [], identifierCount: Int = 0,
        reaching reached: Checkpoint? = nil, until deadline: ContinuousClock.Instant? = nil,
        _ decide: @escaping @Sendable (inout CustomerState) throws -> Output
    ) async throws -> Committed<Output> {
        let command = CustomerCommand(
            customer: customer, lookups: lookups,
            numbers: identifierCount == 0
                ? [:] : [BatchNumbers.Key(.transaction, of: customer.bundleId): identifierCount],
            deadline: deadline, reached: reached
        ) { state in Boxed(value: try decide(&state)) }
        while true {
            switch try await SpanTracer.during("commit", { try await commands.run(command) }) {
            case .decided(let decided): return try Self.committed(decided)
            case .alone: return try Self.committed(try await commitAlone(command))
            case .again: continue
            }
        }
    }

    /// Makes a decision inside a transaction that does more than this.
    /// - Throws: As ``commit(_:asking:identifierCount:reaching:until:_:)``.
    static func decide<Output: Sendable>(
        _ customer: CustomerReference, in transaction: SQLTransaction, clock: BusinessClock,
        checkpoint: @escaping CheckpointHook = { _ in },
        _ decide: @escaping @Sendable (inout CustomerState) throws -> Output
    ) async throws -> Committed<Output> {
        let command = CustomerCommand(customer: customer) { state in Boxed(value: try decide(&state)) }
        let outcomes = try await CustomerBatch.perform(
            [command], waits: true, clock: clock, checkpoint: checkpoint, in: transaction)
        return try committed(try decided(outcomes[0].get()))
    }

    private static func committed<Output>(_ decided: CustomerState.Decided) throws -> Committed<Output> {
        guard let output = decided.output as? Boxed<Output> else {
            throw StoreError(.internal, "a command without the output of its decision")
        }
        return Committed(output: output.value, changes: decided.published, woken: decided.woken)
    }

    private static func decided(_ outcome: CustomerBatch.Outcome) throws -> CustomerState.Decided {
        guard case .decided(let decided) = outcome else {
            throw StoreError(.internal, "a command that no batch has decided")
        }
        return decided
    }

    /// Commits a command that a batch has left out.
    private func commitAlone(_ command: CustomerCommand) async throws -> CustomerState.Decided {
        let customer = command.customer
        let row = ExactText(IsolatedApp(customer.bundleId) == nil ? customer.customerIdentifier : customer.bundleId)
        return try await alone.withLock(row.hashValue & (Self.aloneMax - 1)) {
            var attempts = 0
            while true {
                let outcome = await Self.perform([command], waits: true, database, clock, checkpoint)[0]
                attempts += 1
                guard case .failure(let error) = outcome, attempts < Self.attemptMax, Self.isOvertaken(error) else {
                    return try Self.decided(outcome.get())
                }
            }
        }
    }

    /// Tells whether another transaction has written first what the command has decided to write.
    private static func isOvertaken(_ error: any Error) -> Bool {
        switch (error as? PersistenceError)?.code {
        case .conflict, .constraint(.unique): true
        default: false
        }
    }

    private static func perform(
        _ commands: [CustomerCommand], waits: Bool, _ database: any SQLDatabase, _ clock: BusinessClock,
        _ checkpoint: @escaping CheckpointHook
    ) async -> [Result<CustomerBatch.Outcome, any Error>] {
        do {
            return try await database.write { transaction in
                try await CustomerBatch.perform(
                    commands, waits: waits, clock: clock, checkpoint: checkpoint, in: transaction)
            }
        } catch {
            let isOnly = commands.count == 1 && (waits || !isOvertaken(error))
            guard !isOnly, !isOfAll(error) else { return commands.map { _ in .failure(error) } }
            return commands.map { _ in .success(.alone) }
        }
    }

    /// Tells whether a batch has failed for a reason that is no command's own. Nothing of it is known to be written.
    ///
    /// All other failures may be one command's: a row that cannot be read, a rule of the schema that no decision has
    /// foreseen, another transaction that wants the same rows.
    private static func isOfAll(_ error: any Error) -> Bool {
        switch (error as? PersistenceError)?.code {
        case .unavailable, .outcomeUnknown, .closed, .overloaded, .storageFull, .storageFailed, .held, .cannotOpen,
            .corrupted, .schemaMismatch, .notDurable:
            true
        default: false
        }
    }
}
