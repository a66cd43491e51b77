import Logging
import Metrics
import Persistence
import StoreModels
import Synchronization

/// The processor itself: charges and tombstones in a ledger of its own, each an fsynced commit before it is answered.
package final class ChargeLedger: Sendable {
    static let chargeKeys = 1...255
    static let pageMax = 500
    /// How long a pending charge stays so.
    package static let pendingTime: Duration = .seconds(2)
    /// A withheld answer is withheld beyond its deadline, because the asker may be busy when its own time is over and
    /// must find it over and no answer.
    static let deadlineGrace: Duration = .seconds(1)

    let database: any SQLDatabase
    let behavior: any ProcessorBehavior
    /// For dates; a machine may set it back.
    let wall: @Sendable () -> Timestamp
    private let uptime: @Sendable () -> Duration
    /// The wall clock when the ledger was opened.
    private let opened: Timestamp
    let sleep: @Sendable (Duration) async throws -> Void
    let record: LedgerRecord
    let callbacks = Mutex(CallbackSchedule())

    /// - Parameters:
    ///   - wall: the processor's own clock. It is another firm's: the apps' business clocks do not move it.
    ///   - uptime: monotonic, from zero; waits go by it.
    ///   - sleep: how a slow answer waits; never while it holds the database.
    ///   - metrics: nil for the process's own.
    package init(
        database: any SQLDatabase, behavior: any ProcessorBehavior,
        wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        uptime: @escaping @Sendable () -> Duration = ChargeLedger.monotonic(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        logger: Logger = Logger(label: ServiceName.paymentProcessor.rawValue), metrics: (any MetricsFactory)? = nil
    ) {
        self.database = database
        self.behavior = behavior
        self.wall = wall
        self.uptime = uptime
        self.opened = wall()
        self.sleep = sleep
        self.record = LedgerRecord(logger: logger, factory: metrics)
    }

    /// The time since it was called.
    package static func monotonic() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// The clock that waits go by. It begins as the wall clock and goes on evenly, whatever that one is set to. Processes that
    /// share a ledger may disagree about it, so the settler puts a charge right that is due later than it can be.
    var steady: Timestamp { opened + uptime() }

    /// Charges, once per key. The same key again gets what stands: the same answer, a cancelled one `cancelled`, a
    /// pending one its outcome as soon as it has one.
    ///
    /// - Parameter deadline: when the asker stops waiting. An answer that is to be withheld returns after it, and then
    ///   nobody hears it.
    /// - Throws: `requestInvalid`; with `details.conflict` "amount" when the key stands for another amount. As the
    ///   sandbox's mode wants it, `internal` after the charge; `serviceUnavailable` when a wait ended with the process.
    package func create(
        _ request: CreateChargeRequest, until deadline: ContinuousClock.Instant = .now + .seconds(5)
    ) async throws -> Charge {
        try check(request)
        let trouble = behavior.trouble(with: request)
        try await behavior.beforeCharge(request)
        if trouble.firstAnswer == .withheldBefore, try await isFirst(request.chargeKey) {
            try await spoil(.withheldBefore, until: deadline)
        }
        if trouble.delay > .zero { try await delay(request.chargeKey, by: trouble.delay) }
        let written = try await write(request, trouble)
        if let amount = written.charge.amount, amount != request.amount { throw Self.otherAmount }
        if written.isNew {
            record.note(written.charge)
            schedule(trouble.callbacks, request.chargeKey)
        }
        if written.isSpoiled { try await spoil(trouble.firstAnswer, until: deadline) }
        try await behavior.afterCharge(request)
        return written.charge
    }

    private struct Written: Sendable {
        let charge: Charge
        let isNew: Bool
        /// Something becomes of its first answer.
        let isSpoiled: Bool
    }

    private func write(_ request: CreateChargeRequest, _ trouble: ChargeTrouble) async throws -> Written {
        let (now, decision) = (wall(), behavior.decide(request))
        let due = decision.outcome == .pending ? steady + Self.pendingTime : nil
        return try await database.write { transaction in
            let (charge, isNew) = try await ChargeRepository.insert(
                request, decision, at: now, due: due, in: transaction)
            guard isNew, trouble.firstAnswer != .given else {
                return Written(charge: charge, isNew: isNew, isSpoiled: false)
            }
            // Once a key: it may have had another trouble before.
            let isSpoiled = try await WithheldAnswerRepository.claim(request.chargeKey, at: now, in: transaction)
            return Written(charge: charge, isNew: true, isSpoiled: isSpoiled)
        }
    }

    private func schedule(_ delays: [Duration], _ chargeKey: String) {
        let now = steady
        callbacks.withLock { callbacks in
            for delay in delays { callbacks.add(chargeKey, due: now + delay) }
        }
    }

    /// Gives a charge up: leaves a tombstone where there is none yet, cancels what is pending, and otherwise answers
    /// what stands.
    /// - Throws: `requestInvalid`.
    package func cancel(_ request: CancelChargeRequest) async throws -> Charge {
        try checkKey(request.chargeKey)
        let now = wall()
        let (before, charge) = try await database.write { transaction in
            let before = try await ChargeRepository.lock(request.chargeKey, in: transaction)
            return (before, try await ChargeRepository.cancel(request.chargeKey, at: now, in: transaction))
        }
        if charge.outcome == .cancelled, before?.outcome != .cancelled { record.note(charge) }
        return charge
    }

    /// The ledger in order; 500 charges stay far below the 512 KiB of a reply.
    ///
    /// Where several processors share the ledger, a charge that is being written may get its place before one that was
    /// listed already; whoever reconciles lists again when nothing is under way.
    /// - Throws: `requestInvalid`.
    package func list(_ request: ChargeListRequest) async throws -> ChargesPage {
        let after = try Self.position(request)
        let rows = try await database.read { reader in
            try await ChargeRepository.list(after: after, limit: request.limit + 1, in: reader)
        }
        let page = Array(rows.prefix(request.limit))
        return ChargesPage(charges: page, after: page.count == rows.count ? nil : page.last?.chargeIdentifier)
    }

    /// Where a page begins.
    /// - Throws: `requestInvalid`.
    static func position(_ request: ChargeListRequest) throws(StoreError) -> Int64 {
        guard (1...pageMax).contains(request.limit) else {
            throw StoreError(
                .requestInvalid, "limit must be 1 to \(pageMax), not \(request.limit)",
                details: ["path": .string("$.limit")])
        }
        guard let after = Int64(request.after ?? "0") else {
            throw StoreError(
                .requestInvalid, "'after' is no identifier of the ledger's", details: ["path": .string("$.after")])
        }
        return after
    }

    private func check(_ request: CreateChargeRequest) throws(StoreError) {
        try checkKey(request.chargeKey)
        guard request.amount.minorUnits > 0 else {
            throw StoreError(.requestInvalid, "amount must be above zero", details: ["path": .string("$.amount")])
        }
    }

    func checkKey(_ key: String, _ member: String = "chargeKey") throws(StoreError) {
        guard Self.chargeKeys.contains(key.utf8.count) else {
            throw StoreError(
                .requestInvalid, "\(member) must have 1 to 255 bytes", details: ["path": .string("$.\(member)")])
        }
    }

    private static var otherAmount: StoreError {
        StoreError(
            .requestInvalid, "this chargeKey stands for another amount",
            details: ["conflict": .string("amount"), "path": .string("$.amount")])
    }
}
