import Persistence
import ServiceDatabase
import StoreModels

/// Reads a batch's customers and numbers for new transactions, and decides about its commands.
struct BatchReading {
    private var states: [CustomerReference: CustomerState] = [:]
    /// The customers whose commands are decided alone.
    private var leftOut: Set<CustomerReference> = []
    private var numbers = TransactionNumbers()

    /// Locks the customers of a batch until the commit, and reads. On PostgreSQL all of it is one round trip.
    ///
    /// A statement that has waited for a row reads the other tables as they were before, so the lock is one of its own.
    /// - Parameter waits: Whether it waits for locked rows. Otherwise it leaves out locked customers and, because every
    ///   commit locks its store's counter, those of isolated stores. SQLite has no such locks.
    static func read(
        _ all: [PurchaseCommand], waits: Bool, in transaction: SQLTransaction
    ) async throws -> BatchReading {
        let leavesOut = !waits && transaction.dialect == .postgres
        let commands = all.filter { !leavesOut || IsolatedApp($0.customer.bundleId) == nil }
        var (locks, rows) = (
            SQLBatch(waits ? CustomerRepository.lock : CustomerRepository.lockUnlocked),
            SQLBatch(CustomerRepository.lockedRows)
        )
        for customer in Set(commands.map(\.customer)) {
            locks.append(customer.bundleId, customer.customerIdentifier)
            rows.append(
                IsolationScope(of: customer.bundleId).key, customer.bundleId, customer.customerIdentifier)
        }
        var keys = SQLBatch(PaymentRepository.search)
        // Quotes of one app have several limits while an operator changes it.
        var limits: [CustomerReference: Int] = [:]
        for command in commands {
            let (customer, purchase) = (command.customer, command.purchase)
            keys.append(customer.bundleId, customer.customerIdentifier, purchase.payment.requestIdentifier)
            if let limit = purchase.quote.unfinishedLimit {
                limits[customer] = max(limits[customer] ?? 0, limit)
            }
        }
        var counts = SQLBatch(TransactionRepository.unfinishedCounts)
        for (customer, limit) in limits {
            TransactionRepository.appendSearch(of: customer, limit: limit + 1, to: &counts)
        }
        let locked = transaction.dialect == .postgres ? try await transaction.start(locks) : nil
        let (customers, payments) = (try await transaction.start(rows), try await transaction.start(keys))
        let numbers = try await TransactionNumbers.start(for: commands, in: transaction)
        let unfinished = try await transaction.start(counts)
        var reading = BatchReading()
        for command in all where leavesOut && IsolatedApp(command.customer.bundleId) != nil {
            reading.leftOut.insert(command.customer)
        }
        let lockedRows = try await locked?.rows()
        let isLocked = try lockedRows.map { Set(try $0.map(CustomerReference.init)) }
        for row in try await customers.rows() {
            let found = try CustomerRepository.Locked(row)
            let customer = found.customer.id
            guard isLocked?.contains(customer) ?? true else {
                reading.leftOut.insert(customer)
                continue
            }
            reading.states[customer] = CustomerState(
                account: found.customer, clock: found.clock,
                settings: try found.testerSettings.map { try StoredJSON.value(TesterSettings.self, $0) }
                    ?? TesterSettings())
        }
        for (customer, key, payment) in try await PaymentRepository.found(payments) {
            reading.states[customer]?.payments[ExactText(key)] = payment
        }
        for (customer, count) in try await TransactionRepository.unfinishedCounts(unfinished) {
            reading.states[customer]?.unfinishedCount = count
        }
        reading.numbers = TransactionNumbers(try await CounterRepository.numbers(numbers))
        // A removed store's counter is not made again.
        try await reading.numbers.takeIsolated(
            for: commands.filter { reading.states[$0.customer] != nil }, in: transaction)
        return reading
    }

    /// Decides about a command of the batch.
    /// - Throws: `notFound` for an unknown customer.
    mutating func handle(
        _ command: PurchaseCommand, wall: Timestamp, changes: inout Changes
    ) throws -> PurchaseCommand.Outcome {
        guard !leftOut.contains(command.customer) else { return .alone }
        let outcome = try states[command.customer]?.handle(
            command, wall: wall, numbers: &numbers, changes: &changes)
        guard let outcome else { throw StoreError(.notFound, "no such customer") }
        return outcome
    }

    /// Writes the batch's rows, with the customers' own.
    func write(_ changes: Changes, in transaction: SQLTransaction) async throws {
        var changes = changes
        for state in states.values { changes.append(state) }
        try await changes.write(in: transaction)
        try await numbers.release(in: transaction)
    }
}
