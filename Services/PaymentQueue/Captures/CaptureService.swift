import EventLoop
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Captures the authorized charges of committed purchases, and voids unused ones (ADR 0047).
///
/// The purchase's commit also writes a row, which stays until the processor has captured the charge. The process that
/// has made the commit captures the charge, in batches. Any process captures the charges another one has left. A crash
/// repeats at most a batch, and the processor captures once. Voiding is a courtesy: it is kept in memory, and a charge
/// that is neither captured nor voided lapses.
final class CaptureService: QueuePart {
    /// Monotonic time between two batches.
    static let interval: Duration = .milliseconds(50)
    /// Monotonic time between two reads of the rows that other processes have left.
    static let readInterval: Duration = .seconds(1)
    /// The age from which replicas take over a row.
    static let leftAfter: Duration = .seconds(2)
    /// The age from which a row means that the processor is unreachable or refuses.
    static let overdueAfter: Duration = .seconds(60)
    /// Maximum number of charges of one batch.
    static let batchMax = 256
    /// Timeout of the processor's reply.
    static let attemptTime: Duration = .seconds(3)
    /// Maximum number of this process's purchases kept in memory. More are found in the table.
    static let pendingMax = 10_000
    /// Maximum number of charges that wait to be voided. More lapse.
    static let voidsMax = 1_000
    /// Maximum number of charges that are voided concurrently.
    static let voidConcurrency = 16

    private struct Contents {
        /// Purchases that this process has committed.
        var pending: [String] = []
        var voids: [String] = []
        /// When the next batch is due.
        var due: ContinuousClock.Instant
        /// When the table is read next.
        var readDue: ContinuousClock.Instant
        var failures = 0
    }

    let context: QueueContext
    private let state = Locked(Contents(due: .now, readDue: .now))

    init(context: QueueContext) { self.context = context }

    /// Captures the charge of a purchase that this process has committed, with the next batch.
    func add(_ authorization: PurchaseAuthorization) {
        state.withLock { state in
            if state.pending.count < Self.pendingMax { state.pending.append(authorization.id) }
        }
        // The purchase's commit was announced before this.
        database.commits.notify()
    }

    /// Voids an unused charge. Only a caller that knows the commit's outcome may call it.
    func void(_ authorization: PurchaseAuthorization) {
        guard authorization.reply == .approved else { return }
        state.withLock { state in
            if state.voids.count < Self.voidsMax { state.voids.append(authorization.chargeKey) }
        }
        database.commits.notify()
    }

    /// Sweeps. After a failure it rests until the next attempt is due.
    func round() async throws -> BackgroundJob.Rest {
        _ = try await sweep()
        let (isFailing, due) = state.withLock { ($0.failures > 0, $0.due) }
        return isFailing ? .untilCommit(or: due) : .untilCommit()
    }

    /// Captures the charges that are due, and waits longer after each failure.
    /// - Returns: The number of captured charges.
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        let (isDue, isReadDue) = state.withLock { state in
            let isDue = state.due <= now
            guard isDue else { return (false, false) }
            let isReadDue = state.readDue <= now
            if isReadDue { state.readDue = now + Self.readInterval }
            return (true, isReadDue)
        }
        guard isDue else { return 0 }
        do {
            let captured = try await capturePending() + (isReadDue ? captureLeft(for: leftAfter) : 0)
            state.withLock { $0.failures = 0 }
            await cancelVoids()
            return captured
        } catch {
            let failures = state.withLock { state in
                state.failures += 1
                state.due = now + RetrySchedule.delay(afterAttempts: state.failures)
                return state.failures
            }
            // The first one may be the processor's restart.
            if failures > 1 { logger.notice("charges not captured", metadata: ["error": "\(error)"]) }
            return 0
        }
    }

    /// Captures every charge whose purchase is committed.
    /// - Returns: The number of captured charges.
    @discardableResult
    func captureAll() async throws -> Int { try await capturePending() + captureLeft(for: .zero) }

    /// Counts the committed purchases whose charges should have been captured by now.
    func overdueCount() async throws -> Int {
        let wall = clock.wall()
        return try await database.read { reader in
            try await CaptureRepository.count(notWithin: Self.overdueAfter, of: wall, in: reader)
        }
    }

    /// The age of left rows. A SQLite file has one process, so all rows outside its memory were left.
    private var leftAfter: Duration { database.dialect == .sqlite ? .zero : Self.leftAfter }

    private func capturePending() async throws -> Int {
        var captured = 0
        while !Task.isCancelled {
            let batch = state.withLock { state in
                let batch = Array(state.pending.prefix(Self.batchMax))
                state.pending.removeFirst(batch.count)
                return batch
            }
            guard !batch.isEmpty else { break }
            do {
                try await capture(batch)
            } catch {
                state.withLock { state in
                    if state.pending.count < Self.pendingMax { state.pending = batch + state.pending }
                }
                throw error
            }
            captured += batch.count
        }
        return captured
    }

    private func captureLeft(for age: Duration) async throws -> Int {
        var captured = 0
        while !Task.isCancelled {
            let wall = clock.wall()
            let batch = try await database.read { reader in
                try await CaptureRepository.list(notWithin: age, of: wall, limit: Self.batchMax, in: reader)
            }
            guard !batch.isEmpty else { break }
            try await capture(batch)
            captured += batch.count
        }
        return captured
    }

    private func capture(_ transactionIDs: [String]) async throws {
        try checkpoint(.beforeCapture)
        let keys = transactionIDs.map(StoredTransaction.chargeKey)
        let reply = try await collaborators.capture(CaptureChargesRequest(chargeKeys: keys), .now + Self.attemptTime)
        for key in reply.refused {
            // Retries get the same reply: the processor's ledger disagrees. The customer has what was not paid.
            logger.critical("the processor refuses to capture a charge", metadata: ["charge": "\(key)"])
        }
        try checkpoint(.afterCapture)
        try await database.write { transaction in
            try await CaptureRepository.remove(transactionIDs, in: transaction)
        }
    }

    /// Voids the unused charges, some at a time. Those behind a request without a reply lapse.
    private func cancelVoids() async {
        var voids = state.withLock { state in
            defer { state.voids = [] }
            return state.voids[...]
        }
        while !voids.isEmpty, !Task.isCancelled {
            let isReplied = await withTaskGroup(of: Bool.self) { group in
                for key in voids.prefix(Self.voidConcurrency) { group.addTask { await self.cancel(key) } }
                return await group.reduce(true) { $0 && $1 }
            }
            guard isReplied else { break }
            voids = voids.dropFirst(Self.voidConcurrency)
        }
    }

    /// - Returns: Whether the processor has replied.
    private func cancel(_ key: String) async -> Bool {
        do {
            _ = try await collaborators.cancelCharge(CancelChargeRequest(chargeKey: key), .now + Self.attemptTime)
            return true
        } catch {
            logger.info("charge not voided, it lapses", metadata: ["charge": "\(key)", "error": "\(error)"])
            return false
        }
    }
}

/// Reads and writes the purchases whose authorized charges wait for capture.
enum CaptureRepository {
    /// Inserts a new purchase with the wall time of the write.
    ///
    /// Other processes find a row by the time when its own has left it.
    static func insert(_ transactionID: String, wall: Timestamp) -> SQLChange {
        SQLChange(inserted, transactionID, wall.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "capture", ["transaction_id": .text, "written_at": .integer])

    /// Finds purchases committed outside a period that ends now, by identifier.
    ///
    /// A purchase whose commit seems to be in the future was committed before the clock was set back. It is found as
    /// well, so that it does not wait until the clock has caught up.
    static func list(
        notWithin age: Duration, of wall: Timestamp, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            """
            SELECT transaction_id FROM capture WHERE written_at <= ? OR written_at > ? ORDER BY transaction_id LIMIT ?
            """, (wall + (.zero - age)).milliseconds, wall.milliseconds, limit
        ).values(of: "transaction_id")
    }

    /// Counts purchases committed outside a period around now.
    static func count(
        notWithin age: Duration, of wall: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS uncaptured FROM capture WHERE written_at <= ? OR written_at > ?",
            (wall + (.zero - age)).milliseconds, (wall + age).milliseconds)
        return try row?["uncaptured"] ?? 0
    }

    /// Removes purchases whose charges are captured.
    static func remove(_ transactionIDs: [String], in transaction: SQLTransaction) async throws(PersistenceError) {
        let (placeholders, values) = SQLList.padded(transactionIDs)
        try await transaction.send(
            "DELETE FROM capture WHERE transaction_id IN (\(placeholders))", arguments: values)
    }
}
