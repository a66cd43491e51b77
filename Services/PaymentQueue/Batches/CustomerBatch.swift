import Persistence
import ServiceDatabase
import StoreModels

/// A decision about a customer, with what it is known to ask.
struct CustomerCommand: Sendable {
    let customer: CustomerReference
    /// The rows it asks for, which are read with the customer's.
    var lookups: [SQLLookupKey] = []
    /// The numbers it takes.
    var numbers: [BatchNumbers.Key: Int] = [:]
    /// The caller's deadline. A command that waits longer is not performed. Nil for a command of the store's own.
    var deadline: ContinuousClock.Instant?
    /// The checkpoint inside a commit that changes something.
    var reached: Checkpoint?
    /// Decides. It may run several times, and only its last run counts.
    let decide: @Sendable (inout CustomerState) throws -> any Sendable
}

/// Reads, decides and writes commands, inside one transaction.
///
/// A round reads what the commands ask for, decides as many as it can, and writes their changes. A customer's commands
/// are decided in the order of their arrival. One that has changed rows ends its customer's round, so that the next one
/// reads them as they are then.
struct CustomerBatch {
    /// The result of a command.
    enum Outcome: Sendable {
        case decided(CustomerState.Decided)
        /// The batch has left the command out: for another transaction's lock, or because it asks for too much.
        case alone
        /// The batch has decided earlier commands of the customer, and leaves this one to the next batch.
        case again
    }

    /// Maximum number of rounds while decided commands wait for the commit.
    private static let roundMax = 12
    /// Maximum number of readings of one command. It bounds a decision that never has enough.
    private static let readingMax = 1_000

    private let commands: [CustomerCommand]
    /// Whether it waits for locked rows. Otherwise it leaves out locked customers and, because every commit locks its
    /// store's counter, those of isolated stores. SQLite has no such locks.
    private let waits: Bool
    private let transaction: SQLTransaction
    private var states: [CustomerReference: CustomerState] = [:]
    private var outcomes: [Result<Outcome, any Error>?]
    /// The commands without an outcome of each customer, in the order of their arrival.
    private var open: [CustomerReference: ArraySlice<Int>] = [:]
    /// The customers in the order of their first commands.
    private var customers: [CustomerReference] = []
    private var numbers = BatchNumbers()

    private init(_ commands: [CustomerCommand], waits: Bool, in transaction: SQLTransaction) {
        self.commands = commands
        self.waits = waits
        self.transaction = transaction
        outcomes = Array(repeating: nil, count: commands.count)
    }

    /// Performs commands.
    /// - Parameter waits: Whether it waits for customers that another transaction has locked.
    /// - Returns: An outcome for each command, in their order.
    static func perform(
        _ commands: [CustomerCommand], waits: Bool, clock: BusinessClock,
        checkpoint: @escaping CheckpointHook = { _ in }, in transaction: SQLTransaction
    ) async throws -> [Result<Outcome, any Error>] {
        var batch = CustomerBatch(commands, waits: waits, in: transaction)
        try await batch.perform(clock, checkpoint)
        return batch.outcomes.map { outcome in
            guard let outcome else { preconditionFailure("a command without an outcome would wait forever") }
            return outcome
        }
    }

    private mutating func perform(_ clock: BusinessClock, _ checkpoint: @escaping CheckpointHook) async throws {
        let skips = !waits && transaction.dialect == .postgres
        for (index, command) in commands.enumerated() {
            guard !skips || IsolatedApp(command.customer.bundleId) == nil else {
                outcomes[index] = .success(.alone)
                continue
            }
            if open[command.customer] == nil { customers.append(command.customer) }
            open[command.customer, default: []].append(index)
        }
        guard !customers.isEmpty else { return }
        try await readCustomers(clock, checkpoint)
        var round = 0
        while true {
            var changes = Changes()
            let unread = decide(&changes)
            try await changes.write(in: transaction)
            round += 1
            if !waits, round >= Self.roundMax { leaveOut() }
            if customers.isEmpty { break }
            guard round < Self.readingMax else { throw StoreError(.internal, "a decision always asks for more rows") }
            try await read(unread)
        }
        try await writeHeads()
        try await numbers.release(in: transaction)
        try reachCheckpoints(checkpoint)
    }

    // MARK: Read

    /// The rows and numbers that a round has asked for.
    private struct Question {
        var lookups: [(customer: CustomerReference, key: SQLLookupKey)] = []
        var numbers: [BatchNumbers.Key: Int] = [:]

        mutating func add(_ lookups: [SQLLookupKey], _ numbers: [BatchNumbers.Key: Int], of customer: CustomerReference)
        {
            for key in lookups { self.lookups.append((customer, key)) }
            self.numbers.merge(numbers, uniquingKeysWith: +)
        }

        /// Removes what may be asked before the customers are known: such lookups, and the installation's numbers.
        mutating func removeFirst(_ isEarly: (SQLLookupKey) -> Bool) -> Question {
            let first = Question(
                lookups: lookups.filter { isEarly($0.key) }, numbers: numbers.filter { $0.key.app.text.isEmpty })
            lookups.removeAll { isEarly($0.key) }
            numbers = numbers.filter { !$0.key.app.text.isEmpty }
            return first
        }

        /// Keeps what is asked for some customers. A removed store's counter is not made again.
        mutating func keep(_ customers: Set<CustomerReference>) {
            lookups.removeAll { !customers.contains($0.customer) }
            let apps = Set(customers.map { customer in ExactText(customer.bundleId) })
            numbers = numbers.filter { apps.contains($0.key.app) }
        }
    }

    /// Locks the customers until the commit, and reads. On PostgreSQL it is one round trip.
    ///
    /// A statement that has waited for a lock reads the other tables as they were before the wait. So the locks are a
    /// statement of their own. Lookups that lock more rows, and an isolated store's numbers, come when it is known which
    /// customers are locked: a batch that locked rows of others could wait for them, and they for it.
    private mutating func readCustomers(
        _ clock: BusinessClock, _ checkpoint: @escaping CheckpointHook
    ) async throws {
        var (locks, rows) = (
            SQLBatch(waits ? CustomerRepository.lock : CustomerRepository.lockUnlocked),
            SQLBatch(CustomerRepository.lockedRows)
        )
        // In one order, so that transactions that wait for several customers cannot deadlock.
        for customer in customers.sorted(by: { $0.lockOrder < $1.lockOrder }) {
            locks.append(customer.bundleId, customer.customerIdentifier)
            rows.append(IsolationScope(of: customer.bundleId).key, customer.bundleId, customer.customerIdentifier)
        }
        var question = Question()
        for command in commands where open[command.customer] != nil {
            question.add(command.lookups, command.numbers, of: command.customer)
        }
        let locked = transaction.dialect == .postgres ? try await transaction.start(locks) : nil
        let found = try await transaction.start(rows)
        let early = question.removeFirst { waits || transaction.dialect == .sqlite || !$0.statement.isLocked }
        let answers = try await transaction.start(early.lookups.map(\.key))
        let started = try await BatchNumbers.start(early.numbers, in: transaction)
        let lockedRows = try await locked?.rows()
        let isLocked = try lockedRows.map { Set(try $0.map(CustomerReference.init)) }
        // After the locks, as in every commit.
        let wall = clock.wall()
        var skipped: Set<CustomerReference> = []
        for row in try await found.rows() {
            let row = try CustomerRepository.Locked(row)
            let customer = row.customer.id
            guard isLocked?.contains(customer) ?? true else {
                skipped.insert(customer)
                continue
            }
            states[customer] = CustomerState(
                account: row.customer, clock: row.clock, settings: row.settings, wall: wall, checkpoint: checkpoint)
        }
        for customer in customers where states[customer] == nil {
            let isSkipped = skipped.contains(customer)
            end(customer, isSkipped ? .success(.alone) : .failure(StoreError(.notFound, "no such customer")))
        }
        try await add(answers, to: early)
        try await numbers.add(started)
        question.keep(Set(states.keys))
        try await read(question)
    }

    private mutating func read(_ question: Question) async throws {
        let answers = try await transaction.start(question.lookups.map(\.key))
        let started = try await BatchNumbers.start(question.numbers, in: transaction)
        try await add(answers, to: question)
        try await numbers.add(started)
    }

    private mutating func add(_ answers: StartedLookups, to question: Question) async throws {
        let answers = try await answers.rows()
        for (customer, key) in question.lookups { states[customer]?.add(answers[key] ?? [], of: key) }
    }

    // MARK: Decide

    /// Decides all commands that have what they ask for.
    /// - Returns: What the others ask for.
    private mutating func decide(_ changes: inout Changes) -> Question {
        var question = Question()
        let now = ContinuousClock.now
        for customer in customers {
            while let index = open[customer]?.first, let state = states[customer] {
                let command = commands[index]
                do {
                    if let deadline = command.deadline, now >= deadline {
                        throw StoreError(.deadlineExceeded, "the request waited too long; nothing was done")
                    }
                    let (next, decided) = try state.deciding(command.decide, with: &numbers)
                    changes.append(decided.changes, of: customer, isFree: decided.keepsRows)
                    changes.append(logs: decided.logs)
                    states[customer] = next
                    outcomes[index] = .success(.decided(decided))
                    open[customer]?.removeFirst()
                    guard decided.keepsRows else {
                        if let following = open[customer]?.first {
                            question.add(commands[following].lookups, [:], of: customer)
                        }
                        break
                    }
                } catch let unread as CustomerState.Unread {
                    question.add(unread.lookups, unread.numbers, of: customer)
                    break
                } catch {
                    outcomes[index] = .failure(error)
                    open[customer]?.removeFirst()
                }
            }
        }
        customers.removeAll { open[$0]?.isEmpty ?? true }
        return question
    }

    /// Ends all commands of a customer.
    private mutating func end(_ customer: CustomerReference, _ outcome: Result<Outcome, any Error>) {
        for index in open[customer] ?? [] { outcomes[index] = outcome }
        open[customer] = nil
        customers.removeAll { $0 == customer }
    }

    /// Leaves out the commands that are not decided yet, if others wait for them.
    private mutating func leaveOut() {
        let decided = Set(
            zip(commands, outcomes).compactMap { command, outcome in outcome == nil ? nil : command.customer })
        guard !decided.isEmpty else { return }
        for customer in customers { end(customer, .success(decided.contains(customer) ? .again : .alone)) }
    }

    // MARK: Write

    /// Writes the customers' own rows.
    private func writeHeads() async throws {
        var heads = SQLBatch(CustomerRepository.newHeads)
        for state in states.values where state.hasChanged {
            heads.append(
                state.headSeq, state.modifiedSeq, state.customer.bundleId, state.customer.customerIdentifier)
        }
        try await transaction.send(heads)
    }

    private func reachCheckpoints(_ checkpoint: CheckpointHook) throws {
        for (command, outcome) in zip(commands, outcomes) {
            guard let place = command.reached, case .success(.decided(let decided)) = outcome, decided.hasChanged
            else { continue }
            try checkpoint(place)
        }
    }
}

extension CustomerReference {
    /// The place of the customer's lock among others.
    fileprivate var lockOrder: String { bundleId + " " + customerIdentifier }
}
