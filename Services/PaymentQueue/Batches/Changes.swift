import Persistence
import ServiceDatabase
import StoreModels

/// The rows that a batch writes, one statement a table.
struct Changes: Sendable {
    private var transactions = SQLBatch(TransactionRepository.inserted)
    private var payments = SQLBatch(PaymentRepository.inserted)
    private var captures = SQLBatch(CaptureRepository.inserted)
    private var heads = SQLBatch(CustomerRepository.newHeads)
    private var journal = SQLBatch(JournalRepository.inserted)
    private var serverEvents = SQLBatch(ServerEventRepository.inserted)

    var isEmpty: Bool { transactions.isEmpty }

    /// Adds the rows of a purchase, or none if the transaction cannot be encoded.
    mutating func append(_ sale: ConcludedPurchase, of customer: CustomerReference, wall: Timestamp) throws {
        try TransactionRepository.append(sale.stored, body: sale.body, to: &transactions)
        if let body = sale.serverEvent {
            ServerEventRepository.append(body, of: customer, wall: wall, to: &serverEvents)
        }
        PaymentRepository.append(sale.purchase, of: customer, wall: wall, to: &payments)
        if sale.isCharged { captures.append(sale.stored.id, wall.milliseconds) }
        for entry in sale.entries { JournalRepository.append(entry, of: customer, wall: wall, to: &journal) }
    }

    /// Adds a customer's row after the batch.
    mutating func append(_ state: CustomerState) {
        guard state.hasChanged else { return }
        heads.append(
            state.headSeq, state.modifiedSeq, state.account.id.bundleId, state.account.id.customerIdentifier)
    }

    /// Writes all rows. Foreign keys are checked at once, so transactions come first.
    func write(in transaction: SQLTransaction) async throws(PersistenceError) {
        for rows in [transactions, payments, captures, heads, journal, serverEvents] {
            try await transaction.send(rows)
        }
    }
}

/// The numbers that a batch may give to purchased transactions.
struct TransactionNumbers: Sendable {
    /// The numbers left of each counter. The installation's apps share one, under an empty name.
    private var left: [ExactText: ArraySlice<Int64>] = [:]

    /// - Parameter numbers: The numbers of an app's counter, growing.
    init(_ numbers: [Int64] = [], of bundleId: String = "") { left[Self.counter(of: bundleId)] = numbers[...] }

    /// Starts to take numbers for the approved charges of the installation's apps, so that they share a round trip.
    static func start(
        for commands: [PurchaseCommand], in transaction: SQLTransaction
    ) async throws(PersistenceError) -> CounterRepository.Started {
        try await CounterRepository.start(
            .transaction, count: counts(of: commands)[ExactText("")] ?? 0, of: "", in: transaction)
    }

    /// Takes numbers for the approved charges of isolated stores. Each store has a counter of its own.
    mutating func takeIsolated(for commands: [PurchaseCommand], in transaction: SQLTransaction) async throws {
        let counts = Self.counts(of: commands).filter { !$0.key.text.isEmpty }
        // In one order, because a counter's row is locked until the commit.
        for (app, count) in counts.sorted(by: { $0.key < $1.key }) {
            left[app] = try await CounterRepository.next(
                .transaction, count: count, of: app.text, in: transaction)[...]
        }
    }

    /// Takes the next number of an app.
    /// - Throws: `internal` for more numbers than approved charges.
    mutating func next(for bundleId: String) throws(StoreError) -> Int64 {
        guard let number = left[Self.counter(of: bundleId)]?.popFirst() else {
            throw StoreError(.internal, "a batch without a number for an approved charge")
        }
        return number
    }

    /// Gives back the numbers that no transaction has, the last ones of each counter. Isolated stores have no gaps, and
    /// neither has SQLite.
    func release(in transaction: SQLTransaction) async throws(PersistenceError) {
        for (counter, numbers) in left where !numbers.isEmpty {
            if counter.text.isEmpty {
                try await SQLCounter(CounterRepository.Counter.transaction.rawValue).release(
                    numbers.count, in: transaction)
            } else {
                try await CounterRepository.release(numbers.count, .transaction, of: counter.text, in: transaction)
            }
        }
    }

    private static func counts(of commands: [PurchaseCommand]) -> [ExactText: Int] {
        var counts: [ExactText: Int] = [:]
        for command in commands where command.authorization.reply == .approved {
            counts[counter(of: command.customer.bundleId), default: 0] += 1
        }
        return counts
    }

    private static func counter(of bundleId: String) -> ExactText {
        ExactText(IsolatedApp(bundleId) == nil ? "" : bundleId)
    }
}
