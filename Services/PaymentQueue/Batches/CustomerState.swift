import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// A customer as decisions of a batch see it, and the changes of the decision under way. No I/O, nothing async.
///
/// A decision asks for rows with ``read(_:)``. Rows that the batch has not read end it with ``Unread``. The batch reads
/// them, and decides again from the start.
///
/// ```swift
/// let committed = try await commits.commit(customer) { state in
///     try state.apply(.finish, to: state.existing(id))
/// }
/// ```
struct CustomerState: Sendable {
    /// Thrown by a decision that asks for more than was read.
    struct Unread: Error {
        var lookups: [SQLLookupKey] = []
        /// The numbers that the decision takes, by counter.
        var numbers: [BatchNumbers.Key: Int] = [:]
    }

    /// The customer as it was read.
    let account: Customer
    let clock: AppClock
    /// As an operator has set them for the account.
    let settings: TesterSettings
    /// The wall clock in this commit.
    let wall: Timestamp
    let checkpoint: CheckpointHook
    /// The number of the last journal row.
    private(set) var headSeq: Int64
    /// The last place among the changes of the customer's transactions.
    private(set) var modifiedSeq: Int64

    /// The rows that were read, and are as they were.
    private var rows: [SQLLookupKey: [SQLRow]] = [:]
    /// The batch's numbers, while a decision is under way.
    var numbers = BatchNumbers()

    // MARK: The decision under way

    private(set) var changes: [SQLChange] = []
    private(set) var entries: [JournalEntry] = []
    /// Transactions as this decision has written them. Nil for those it has not.
    private var written: [ExactText: StoredTransaction] = [:]
    /// Purchases that can continue.
    var woken: [String] = []
    /// The changes that apps' servers are notified of, in order.
    var serverChanges: [ServerChange] = []
    /// The subscriptions after the changes of this decision, by the `id` of their first transaction.
    var writtenSubscriptions: [ExactText: StoredSubscription] = [:]
    /// The periods after the changes of this decision.
    var periodChanges = PeriodChanges()
    /// The amounts that this decision has refunded, in minor units, by transaction.
    var refunded: [ExactText: Int64] = [:]
    /// The payments to which this decision has given nonces, by the lookups of the nonces.
    var takenNonces: [SQLLookupKey: EntitlementRepository.NonceHolder] = [:]
    /// Whether the rows that were read, with ``payments`` and ``boughtCount``, are still what later decisions need.
    var keepsRows = false

    // MARK: Decisions of the batch so far

    /// The payments that this batch has ended since the rows were read, by their keys.
    var payments: [ExactText: StoredPayment] = [:]
    /// The number of purchases that this batch has sold since the rows were read.
    var boughtCount = 0
    /// The number of purchases that this batch had sold before a lookup was read.
    private var boughtBefore: [SQLLookupKey: Int] = [:]

    init(
        account: Customer, clock: AppClock, settings: TesterSettings, wall: Timestamp,
        checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        self.account = account
        self.clock = clock
        self.settings = settings
        self.wall = wall
        self.checkpoint = checkpoint
        (headSeq, modifiedSeq) = (account.headSeq, account.modifiedSeq)
    }

    var customer: CustomerReference { account.id }
    /// The app's clock in this commit.
    var now: Timestamp { clock.now(wall: wall) }
    /// Whether the batch has changed the customer's row.
    var hasChanged: Bool { headSeq != account.headSeq || modifiedSeq != account.modifiedSeq }

    // MARK: Read

    /// Returns the answer of a lookup about this customer.
    /// - Throws: ``Unread`` for one that the batch has not read, or the answer's error.
    func read<Answer>(_ lookup: SQLLookup<Answer>) throws -> Answer {
        guard let found = rows[lookup.key] else { throw Unread(lookups: [lookup.key]) }
        return try lookup.answer(found)
    }

    /// Checks that all of several lookups were read, so that one more reading does for them.
    /// - Throws: ``Unread`` for those that were not.
    func need(_ lookups: [SQLLookupKey]) throws {
        let unread = lookups.filter { rows[$0] == nil }
        guard unread.isEmpty else { throw Unread(lookups: unread) }
    }

    /// Adds rows that were read.
    mutating func add(_ rows: [SQLRow], of lookup: SQLLookupKey) {
        self.rows[lookup] = rows
        if boughtCount > 0 { boughtBefore[lookup] = boughtCount }
    }

    /// Returns the number of purchases that this batch has sold since a lookup was read.
    func boughtCount(since lookup: SQLLookupKey) -> Int { boughtCount - (boughtBefore[lookup] ?? 0) }

    /// Reads a transaction, with the changes of this decision.
    /// - Throws: ``Unread``.
    func transaction(_ id: String) throws -> StoredTransaction? {
        if let stored = written[ExactText(id)] { return stored }
        return try read(TransactionRepository.find(id, of: customer))
    }

    /// Reads a transaction that was there before the decision.
    /// - Throws: `notFound` when it was removed meanwhile, or ``Unread``.
    func existing(_ id: String) throws -> StoredTransaction {
        guard let stored = try transaction(id) else { throw StoreError.unknownTransaction }
        return stored
    }

    // MARK: Write

    /// Adds a change of rows, if there is one.
    mutating func write(_ change: SQLChange?) {
        if let change { changes.append(change) }
    }

    /// Adds a change of a transaction's row.
    /// - Parameter stored: The transaction after it.
    mutating func write(_ change: SQLChange, leaving stored: StoredTransaction) {
        changes.append(change)
        written[ExactText(stored.id)] = stored
    }

    /// Takes the next number of one of the app's counters.
    /// - Throws: ``Unread`` when the batch has none left.
    mutating func next(_ counter: CounterRepository.Counter) throws -> Int64 {
        try next(counter, count: 1)[0]
    }

    /// Takes the next numbers of one of the app's counters, in ascending order.
    /// - Throws: ``Unread`` when the batch has not as many left.
    mutating func next(_ counter: CounterRepository.Counter, count: Int) throws -> [Int64] {
        try numbers.take(count, of: BatchNumbers.Key(counter, of: customer.bundleId))
    }

    /// Takes the identifier of a purchased or restored transaction: decimal, and larger than all before.
    /// - Throws: As ``next(_:)``.
    mutating func nextIdentifier() throws -> String { "\(try next(.transaction))" }

    /// Takes the next modification number, for a transaction whose signed form changes.
    mutating func nextModifiedSeq() -> Int64 {
        modifiedSeq += 1
        return modifiedSeq
    }

    // MARK: Journal

    /// The number of the next journal row.
    var nextSeq: Int64 { headSeq + 1 }

    /// - Returns: The row's number.
    @discardableResult
    private mutating func append(_ entry: JournalEntry) -> Int64 {
        headSeq += 1
        entries.append(entry)
        return headSeq
    }

    /// Journals a transaction's revision, or that it has left the queue.
    /// - Parameters:
    ///   - at: When it happened. Nil is now. What falls due in a move of the clock happens before the move's end.
    ///   - body: The transaction's JSON, if the caller has it.
    /// - Returns: The row's number.
    @discardableResult
    mutating func journal(
        _ kind: CustomerChange.Kind, _ value: PaymentTransaction, event: StoreEvent.Kind?, at: Timestamp? = nil,
        body: String? = nil
    ) throws -> Int64 {
        append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: nextSeq,
                    kind: kind, transaction: value, event: event),
                at: at ?? now, body: try body ?? StoredJSON.text(value), transactionID: value.id,
                revision: value.revision, event: event))
    }

    /// Journals that a transaction has left the queue, and its downloads with it (M54).
    mutating func journalRemoval(of value: PaymentTransaction, event: StoreEvent.Kind?) throws {
        var gone = value
        gone.downloads = []
        try journal(.removed, gone, event: event)
    }

    /// Journals that the customer has lost the access that a transaction gave.
    /// - Returns: The row's number.
    mutating func journalRevocation(of value: PaymentTransaction) throws -> Int64 {
        append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: nextSeq,
                    revoked: [value.payment.productIdentifier], transaction: value),
                at: now, body: try StoredJSON.text(value), transactionID: value.id, revision: value.revision))
    }

    /// Journals a restore's end, for the device that asked.
    mutating func journalEnd(of restore: Restore, deviceId: String) throws {
        append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: nextSeq,
                    restore: restore, deviceId: deviceId),
                at: now, body: try StoredJSON.text(restore)))
    }

    /// Journals the downloads of a transaction, as one device sees them.
    /// - Parameter value: The transaction with those downloads.
    mutating func journalDownloads(
        of value: PaymentTransaction, deviceId: String, event: StoreEvent.Kind? = nil
    ) throws {
        append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: nextSeq,
                    downloads: value.downloads, deviceId: deviceId),
                at: now, body: try StoredJSON.text(value), transactionID: value.id, revision: value.revision,
                event: event))
    }

    // MARK: Commands

    /// Runs a decision.
    /// - Returns: The state after it, without a decision under way, and its changes.
    /// - Throws: ``Unread``, or the decision's own error. This state is as it was.
    func deciding(
        _ decide: (inout CustomerState) throws -> any Sendable, with numbers: inout BatchNumbers
    ) throws -> (state: CustomerState, decided: Decided) {
        var next = self
        next.numbers = numbers
        let output = try decide(&next)
        var logs = next.entries.map { JournalRepository.insert($0, of: customer, wall: wall) }
        if let event = try next.serverEvent() {
            logs.append(try ServerEventRepository.insert(event, of: customer, wall: wall))
        }
        var decided = Decided(
            output: output, changes: next.changes, logs: logs, published: next.entries.map(\.published),
            woken: next.woken, keepsRows: next.keepsRows)
        if !decided.hasChanged { decided.keepsRows = true }
        numbers = next.numbers
        return (next.withoutDecision(keepsRows: decided.keepsRows), decided)
    }

    private func withoutDecision(keepsRows: Bool) -> CustomerState {
        var state = CustomerState(
            account: account, clock: clock, settings: settings, wall: wall, checkpoint: checkpoint)
        (state.headSeq, state.modifiedSeq) = (headSeq, modifiedSeq)
        guard keepsRows else { return state }
        (state.rows, state.payments) = (rows, payments)
        (state.boughtCount, state.boughtBefore) = (boughtCount, boughtBefore)
        return state
    }

    /// The result of a decision, before it is written.
    struct Decided: Sendable {
        var output: any Sendable
        var changes: [SQLChange]
        /// The rows of logs, which nothing refers to.
        var logs: [SQLChange]
        var published: [PublishedChange]
        var woken: [String]
        /// Whether the rows that were read are still as they were.
        var keepsRows: Bool

        /// Whether the commit changes rows.
        var hasChanged: Bool { !changes.isEmpty || !logs.isEmpty }
    }
}

/// The numbers that a batch has taken from counters, and gives to its decisions.
struct BatchNumbers: Sendable {
    /// A counter of an app. The installation's apps share one, under an empty name.
    struct Key: Hashable, Sendable {
        let counter: CounterRepository.Counter
        let app: ExactText

        init(_ counter: CounterRepository.Counter, of bundleId: String) {
            self.counter = counter
            app = ExactText(counter.isOfIsolatedStores && IsolatedApp(bundleId) != nil ? bundleId : "")
        }
    }

    private var left: [Key: ArraySlice<Int64>] = [:]

    /// Adds numbers, which are larger than all before.
    mutating func add(_ numbers: [Int64], of key: Key) { left[key, default: []] += numbers }

    /// Takes the next numbers of a counter.
    /// - Throws: ``CustomerState/Unread`` when there are not as many.
    mutating func take(_ count: Int, of key: Key) throws -> [Int64] {
        let numbers = left[key] ?? []
        guard numbers.count >= count else {
            throw CustomerState.Unread(numbers: [key: count - numbers.count])
        }
        left[key] = numbers.dropFirst(count)
        return Array(numbers.prefix(count))
    }

    /// Numbers that were asked for, by counter.
    typealias Started = [(key: Key, numbers: CounterRepository.Started)]

    /// Starts to take more numbers from the counters, so that they share a round trip.
    static func start(_ counts: [Key: Int], in transaction: SQLTransaction) async throws -> Started {
        var started: Started = []
        // In one order, because an isolated store's counter is locked until the commit.
        for (key, count) in counts.sorted(by: { $0.key.order < $1.key.order }) {
            let numbers = try await CounterRepository.start(
                key.counter, count: count, of: key.app.text, in: transaction)
            started.append((key, numbers))
        }
        return started
    }

    /// Waits for numbers that were asked for, and adds them.
    mutating func add(_ started: Started) async throws {
        for (key, numbers) in started { add(try await CounterRepository.numbers(numbers), of: key) }
    }

    /// Gives back the numbers left, the last ones of each counter, so that SQLite and isolated stores have no gaps.
    func release(in transaction: SQLTransaction) async throws(PersistenceError) {
        for (key, numbers) in left where !numbers.isEmpty {
            if key.app.text.isEmpty {
                try await SQLCounter(key.counter.rawValue).release(numbers.count, in: transaction)
            } else {
                try await CounterRepository.release(numbers.count, key.counter, of: key.app.text, in: transaction)
            }
        }
    }
}

extension BatchNumbers.Key {
    /// Orders keys by app and counter.
    fileprivate var order: String { app.text + " " + counter.rawValue }
}
