import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Writes one commit about one customer: rows, journal and claims together, or nothing.
///
/// The customer's row is locked first, and its journal is numbered from there.
///
/// ```swift
/// let committed = try await CustomerTransaction.run(customer, in: transaction, clock: clock) { commit in
///     try await commit.apply(.finish, to: stored)
/// }
/// ```
struct CustomerTransaction {
    /// The result of a commit.
    struct Committed<Output: Sendable>: Sendable {
        var output: Output
        /// Changes to publish after the commit.
        var changes: [PublishedChange]
        /// Purchases that can continue.
        var woken: [String]

        /// Returns the same commit with another output.
        func with<Other>(_ output: Other) -> Committed<Other> {
            Committed<Other>(output: output, changes: changes, woken: woken)
        }
    }

    let transaction: SQLTransaction
    /// The customer as of the beginning of the commit.
    let account: Customer
    /// The account's tester settings as JSON, or nil when no operator has set any.
    let testerSettings: String?
    /// The wall clock in this commit.
    let wall: Timestamp
    /// The app's clock in this commit.
    let now: Timestamp
    let checkpoint: CheckpointHook
    private var entries: [JournalEntry] = []
    private var modifications: Int64 = 0
    /// A group and its subscription, if any. This commit has locked it and not written it since.
    var lockedSubscription: (group: String, value: StoredSubscription?)?
    /// The changes that apps' servers are notified of, in order.
    var serverChanges: [ServerChange] = []
    /// Purchases that can continue.
    var woken: [String] = []

    var customer: CustomerReference { account.id }

    /// Locks the customer, runs `body` and writes the journal.
    /// - Throws: `notFound` for an unknown customer, or the error of `body`.
    static func run<Output: Sendable>(
        _ customer: CustomerReference, in transaction: SQLTransaction, clock: BusinessClock,
        checkpoint: @escaping CheckpointHook = { _ in }, _ body: (inout CustomerTransaction) async throws -> Output
    ) async throws -> Committed<Output> {
        try await run(customer, in: transaction, clock: clock, checkpoint: checkpoint, starting: {}) { commit, _ in
            try await body(&commit)
        }
    }

    /// Locks the customer, runs `body` and writes the journal.
    /// - Parameters:
    ///   - start: Starts queries that share the lock's round trip. They run after the lock.
    ///   - body: Gets the result of `start`.
    /// - Throws: `notFound` for an unknown customer, or the error of `start` or `body`.
    static func run<Started, Output: Sendable>(
        _ customer: CustomerReference, in transaction: SQLTransaction, clock: BusinessClock,
        checkpoint: @escaping CheckpointHook = { _ in }, starting start: () async throws -> Started,
        then body: (inout CustomerTransaction, Started) async throws -> Output
    ) async throws -> Committed<Output> {
        let lock = try await CustomerRepository.startLock(customer, in: transaction)
        let started = try await start()
        guard let locked = try await CustomerRepository.locked(lock) else {
            throw StoreError(.notFound, "no such customer")
        }
        var commit = CustomerTransaction(transaction: transaction, locked, wall: clock.wall(), checkpoint: checkpoint)
        let output = try await body(&commit, started)
        try await commit.writeJournal()
        try await commit.writeServerEvent()
        return Committed(output: output, changes: commit.entries.map(\.published), woken: commit.woken)
    }

    private init(
        transaction: SQLTransaction, _ locked: CustomerRepository.Locked, wall: Timestamp,
        checkpoint: @escaping CheckpointHook
    ) {
        self.transaction = transaction
        account = locked.customer
        testerSettings = locked.testerSettings
        self.wall = wall
        now = locked.clock.now(wall: wall)
        self.checkpoint = checkpoint
    }

    // MARK: Journal

    /// The number of the next journal row.
    var nextSeq: Int64 { account.headSeq + Int64(entries.count) + 1 }

    /// Journals a transaction's revision, or that it has left the queue.
    /// - Parameter body: The transaction's JSON, if the caller has it.
    /// - Returns: The row's number.
    @discardableResult
    mutating func journal(
        _ kind: CustomerChange.Kind, _ value: PaymentTransaction, event: StoreEvent.Kind?, body: String? = nil
    ) throws -> Int64 {
        let seq = nextSeq
        entries.append(try .change(kind, value, of: customer, seq: seq, event: event, body: body))
        return seq
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
        let seq = nextSeq
        entries.append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq,
                    revoked: [value.payment.productIdentifier], transaction: value),
                body: try StoredJSON.text(value), transactionID: value.id, revision: value.revision))
        return seq
    }

    /// Journals a restore's end, for the device that asked.
    mutating func journalEnd(of restore: Restore, deviceId: String) throws {
        entries.append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: nextSeq,
                    restore: restore, deviceId: deviceId),
                body: try StoredJSON.text(restore)))
    }

    /// Journals the downloads of a transaction, as one device sees them.
    /// - Parameter value: The transaction with those downloads.
    mutating func journalDownloads(
        of value: PaymentTransaction, deviceId: String, event: StoreEvent.Kind? = nil
    ) throws {
        entries.append(
            JournalEntry(
                change: CustomerChange(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: nextSeq,
                    downloads: value.downloads, deviceId: deviceId),
                body: try StoredJSON.text(value), transactionID: value.id, revision: value.revision, event: event))
    }

    /// Takes the next modification number, for a transaction whose signed form changes.
    mutating func nextModifiedSeq() -> Int64 {
        modifications += 1
        return account.modifiedSeq + modifications
    }

    /// Gives back the last modification number, for a change that another writer has made first.
    mutating func giveBackModifiedSeq() { modifications -= 1 }

    private func writeJournal() async throws {
        guard !entries.isEmpty || modifications > 0 else { return }
        var (heads, rows) = (SQLBatch(CustomerRepository.newHeads), SQLBatch(JournalRepository.inserted))
        heads.append(
            entries.last?.change.seq ?? account.headSeq, account.modifiedSeq + modifications, customer.bundleId,
            customer.customerIdentifier)
        for entry in entries { JournalRepository.append(entry, of: customer, wall: wall, to: &rows) }
        try await transaction.send(heads)
        try await transaction.send(rows)
    }
}

extension CustomerTransaction {
    /// The warning in the reply to a finish before content was downloaded (M55).
    static let pendingDownloads = "finishedWithPendingDownloads"

    /// Removes a transaction from the queue on all devices.
    ///
    /// Pending downloads of the finishing device are cancelled, and the reply says so. Finishing again returns the same
    /// and writes nothing (M54).
    /// - Throws: `transactionNotFinishable` while purchasing or deferred (M53).
    mutating func finish(_ stored: StoredTransaction, deviceId: String) async throws -> PaymentTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        let outcome = machine.handle(.finish)
        guard case .refused = outcome else {
            return try await finish(stored, deviceId: deviceId, isFirst: outcome != .unchanged)
        }
        let state = stored.transaction.transactionState.rawValue
        throw StoreError(
            .transactionNotFinishable, "a \(state) transaction cannot be finished",
            details: ["transactionState": .string(state)])
    }

    private mutating func finish(
        _ stored: StoredTransaction, deviceId: String, isFirst: Bool
    ) async throws -> PaymentTransaction {
        var finished = stored
        finished.isFinished = true
        var isPending = false
        if !stored.transaction.downloads.isEmpty {
            let download =
                try await DownloadRepository.find(stored.id, deviceId: deviceId, of: customer, in: transaction)
                ?? DownloadStateMachine()
            finished = finished.showing(download)
            isPending = DownloadStateMachine.isPending(download.state)
            if isPending { finished.transaction.warnings = [Self.pendingDownloads] }
        }
        if PlantedBug.isActive(.finishNotPersisted) {
            try journalRemoval(of: stored.transaction, event: .finished)
            return finished.transaction
        }
        guard isFirst, try await TransactionRepository.markFinished(stored.id, of: customer, in: transaction) else {
            return finished.transaction
        }
        try await PromptRepository.withdraw(about: stored.id, .redelivery, customer, in: transaction)
        if isPending {
            try journalDownloads(of: finished.transaction, deviceId: deviceId, event: .finishedWithPendingDownloads)
        }
        try journalRemoval(of: stored.transaction, event: .finished)
        return finished.transaction
    }

    /// Gives an unfinished transaction to the observers once more, as a revision without other changes.
    ///
    /// It is not an event of the store, and the payment's key keeps its first reply. Devices get their downloads after
    /// it, as they are.
    /// - Returns: The transaction as the device it began on sees it.
    /// - Throws: `transactionStateInvalid` for one that is finished or purchasing.
    mutating func redeliver(_ stored: StoredTransaction) async throws -> PaymentTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        guard case .changed = machine.handle(.redeliver) else {
            throw StoreError(
                .transactionStateInvalid,
                stored.isFinished
                    ? "the transaction is finished, and a finished one is not delivered again"
                    : "the transaction is purchasing: its outcome is delivered when there is one",
                details: ["transactionState": .string(stored.transaction.transactionState.rawValue)])
        }
        var next = stored
        next.transaction = machine.transaction
        let body = try StoredJSON.text(next.transaction)
        if next.transaction.transactionState.isTerminal {
            try await PaymentRepository.keepReply(of: stored.id, customer, in: transaction)
        }
        guard try await TransactionRepository.advance(next, body: body, from: stored, in: transaction) else {
            throw StoreError(.internal, "a transaction was changed outside its customer's lock")
        }
        try journal(.updated, next.transaction, event: nil, body: body)
        guard !next.transaction.downloads.isEmpty else { return next.transaction }
        for (deviceId, download) in try await DownloadRepository.all(of: stored.id, customer, in: transaction) {
            try journalDownloads(of: next.showing(download).transaction, deviceId: deviceId)
        }
        let own = try await DownloadRepository.view(
            [next], deviceId: next.transaction.originDeviceId, in: transaction)
        return (own.first ?? next).transaction
    }

    /// Applies a device's action to a download.
    /// - Parameter simulated: The error the tester is set to meet. A start fails with it.
    /// - Throws: `notFound` for a download outside this device's unfinished transactions, or `downloadStateInvalid`.
    mutating func update(
        _ request: UpdateDownloadRequest, simulated: TransactionError?
    ) async throws -> PaymentTransaction {
        let stored = try await TransactionRepository.download(
            request.downloadId, of: customer, deviceId: request.deviceId, in: transaction)
        var machine =
            try await DownloadRepository.find(stored.id, deviceId: request.deviceId, of: customer, in: transaction)
            ?? DownloadStateMachine()
        switch machine.handle(request.action, code: request.error, simulated: simulated) {
        case .unchanged: break
        case .refused(let state):
            throw StoreError(
                .downloadStateInvalid, "'\(request.action.rawValue)' does not lead out of \(state.rawValue)",
                details: ["state": .string(state.rawValue)])
        case .changed:
            try await DownloadRepository.put(
                machine, stored.id, deviceId: request.deviceId, of: customer, in: transaction)
            try journalDownloads(of: stored.showing(machine).transaction, deviceId: request.deviceId)
        }
        return stored.showing(machine).transaction
    }
}
