import EventLoop
import Logging
import Metrics
import Persistence
import StoreModels

/// The processor with its ledger of charges and tombstones. Each entry is flushed (fsync) with its commit before the
/// reply.
package final class ChargeLedger: Sendable {
    /// The allowed length of a charge's key in bytes.
    static let chargeKeys = 1...255
    /// Maximum length of a page.
    static let pageMax = 500
    /// Maximum number of charges that are captured at once.
    static let capturedMax = 256
    /// The time for which an authorized amount is held before its capture. A purchase is captured within seconds.
    static let authorizedTime: Duration = .seconds(600)
    /// The time for which a charge is pending.
    package static let pendingTime: Duration = .seconds(2)
    /// The time after the deadline for which a reply is withheld. A busy caller must see the timeout before any reply.
    static let deadlineGrace: Duration = .seconds(1)

    let database: any SQLDatabase
    let behavior: any ProcessorBehavior
    /// The wall clock, for dates. It may be set back.
    let wall: @Sendable () -> Timestamp
    private let uptime: @Sendable () -> Duration
    /// The wall clock when the ledger was opened.
    private let opened: Timestamp
    let sleep: @Sendable (Duration) async throws -> Void
    let record: LedgerRecord
    let callbacks = Locked(CallbackSchedule())

    /// - Parameters:
    ///   - wall: The processor's clock, independent of the apps' business clocks.
    ///   - uptime: The monotonic time from zero, for waits.
    ///   - sleep: Waits before a slow reply, never while the database is locked.
    ///   - metrics: The metrics factory, or nil for the process-wide one.
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

    /// Returns a function for the time since this call.
    package static func monotonic() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// The clock for waits. It starts at the wall clock's time and advances evenly, even when the wall clock is set.
    /// Processes that share a ledger may disagree about it, so the settler corrects a charge that is due later than
    /// possible.
    var steady: Timestamp { opened + uptime() }

    /// Charges once per key. A repeated key gets the recorded result: the same charge, `cancelled` for a cancelled one,
    /// and a pending charge's outcome as soon as it has one.
    ///
    /// - Parameter deadline: The time at which the caller stops waiting. A withheld reply is sent later.
    /// - Throws: `requestInvalid`, with `details.conflict` "amount" when the key is used for another amount, `internal`
    ///   after the charge, if the sandbox's mode is `errorAfter`, or `serviceUnavailable` when the process stopped
    ///   during a wait.
    package func create(
        _ request: CreateChargeRequest, until deadline: ContinuousClock.Instant = .now + .seconds(5)
    ) async throws -> Charge {
        try check(request)
        let trouble = behavior.trouble(with: request)
        try await behavior.beforeCharge(request)
        if trouble.firstReply == .withheldBeforeCharge, try await isFirst(request.chargeKey) {
            try await injectFault(.withheldBeforeCharge, until: deadline)
        }
        if trouble.delay > .zero { try await delay(request.chargeKey, by: trouble.delay) }
        let written = try await write(request, trouble)
        if let amount = written.charge.amount, amount != request.amount { throw Self.otherAmount }
        if written.isNew {
            record.note(written.charge)
            schedule(trouble.callbacks, request.chargeKey)
        }
        if written.isFaultDue { try await injectFault(trouble.firstReply, until: deadline) }
        try await behavior.afterCharge(request)
        return written.charge
    }

    /// Authorizes charges once per key, or charges at once, all by one commit. A repeated key gets the recorded result.
    ///
    /// A charge is refused alone, for the reasons of `create`. A fault that the sandbox simulates and a charge that
    /// takes time belong to `create`. For them the result is `pending`, and nothing is recorded.
    /// - Throws: `requestInvalid` for no charges, for too many, and for a key that appears twice.
    package func authorize(_ request: AuthorizeChargesRequest) async throws -> AuthorizeChargesReply {
        try request.validate()
        let now = wall()
        // Nil for those that are written.
        var results: [AuthorizedCharge?] = []
        var decided: [(request: CreateChargeRequest, decision: ChargeDecision)] = []
        for charge in request.charges {
            do {
                let decision = try await authorization(of: charge, isFinal: request.capturesAtOnce == true)
                if let decision { decided.append((charge, decision)) }
                results.append(decision == nil ? AuthorizedCharge(charge: Self.pending(charge, since: now)) : nil)
            } catch {
                results.append(AuthorizedCharge(failure: error))
            }
        }
        let written = try await write(decided, at: now)
        let places = results.indices.filter { results[$0] == nil }
        for (place, (charge, isNew)) in zip(places, written) {
            results[place] = await result(of: request.charges[place], charge, isNew: isNew)
        }
        return AuthorizeChargesReply(charges: results.compactMap(\.self))
    }

    /// Decides about an authorization. Nil leaves the charge to `create`.
    /// - Parameter isFinal: Whether an approved charge is paid at once.
    private func authorization(of request: CreateChargeRequest, isFinal: Bool) async throws -> ChargeDecision? {
        try check(request)
        try await behavior.beforeCharge(request)
        let decision = behavior.decide(request)
        guard decision.outcome != .pending, behavior.trouble(with: request) == .none else { return nil }
        return decision.outcome == .approved && !isFinal ? ChargeDecision(.authorized) : decision
    }

    private static func pending(_ request: CreateChargeRequest, since now: Timestamp) -> Charge {
        Charge(
            chargeKey: request.chargeKey, chargeIdentifier: "0", outcome: .pending, amount: request.amount,
            createdAt: now)
    }

    private func write(
        _ decided: [(request: CreateChargeRequest, decision: ChargeDecision)], at now: Timestamp
    ) async throws -> [(charge: Charge, isNew: Bool)] {
        guard !decided.isEmpty else { return [] }
        return try await database.write { transaction in
            try await ChargeRepository.insert(decided, at: now, in: transaction)
        }
    }

    /// Concludes an authorization that is recorded.
    private func result(
        of request: CreateChargeRequest, _ charge: Charge, isNew: Bool
    ) async -> AuthorizedCharge {
        if let amount = charge.amount, amount != request.amount { return AuthorizedCharge(error: Self.otherAmount) }
        if isNew { record.note(charge) }
        do {
            try await behavior.afterCharge(request)
            return AuthorizedCharge(charge: charge)
        } catch {
            return AuthorizedCharge(failure: error)
        }
    }

    /// Captures authorized charges, also those whose time is over. A repeated key changes nothing.
    /// - Throws: `requestInvalid` if the keys are empty or too many.
    package func capture(_ request: CaptureChargesRequest) async throws -> CaptureChargesReply {
        let keys = request.chargeKeys
        guard (1...Self.capturedMax).contains(keys.count) else {
            throw StoreError.requestInvalid("chargeKeys", "chargeKeys must have 1 to \(Self.capturedMax) keys")
        }
        for key in keys { try checkKey(key, "chargeKeys") }
        let (captured, approved) = try await database.write { transaction in
            let captured = try await ChargeRepository.capture(keys, in: transaction)
            // Most are captured by the first request for them.
            let isAll = captured.count == keys.count
            let approved = isAll ? captured : try await ChargeRepository.approved(among: keys, in: transaction)
            return (captured, approved)
        }
        for key in captured { record.noteApproval(of: key) }
        guard approved.count < keys.count else { return CaptureChargesReply() }
        let known = Set(approved.map { ExactText($0) })
        return CaptureChargesReply(refused: keys.filter { !known.contains(ExactText($0)) })
    }

    private struct Written: Sendable {
        let charge: Charge
        let isNew: Bool
        /// Whether the key's first reply is withheld or replaced.
        let isFaultDue: Bool
    }

    private func write(_ request: CreateChargeRequest, _ trouble: ChargeTrouble) async throws -> Written {
        let (now, decision) = (wall(), behavior.decide(request))
        let due = decision.outcome == .pending ? steady + Self.pendingTime : nil
        return try await database.write { transaction in
            var (charge, isNew) = try await ChargeRepository.insert(
                request, decision, at: now, due: due, in: transaction)
            if charge.outcome == .authorized, charge.amount == request.amount {
                // The caller charges what it has authorized.
                _ = try await ChargeRepository.capture([request.chargeKey], in: transaction)
                (charge.outcome, charge.authorizedUntil) = (.approved, nil)
                return Written(charge: charge, isNew: true, isFaultDue: false)
            }
            guard isNew, trouble.firstReply != .delivered else {
                return Written(charge: charge, isNew: isNew, isFaultDue: false)
            }
            // Once per key, which may have had another fault before.
            let isFaultDue = try await WithheldReplyRepository.claim(request.chargeKey, at: now, in: transaction)
            return Written(charge: charge, isNew: true, isFaultDue: isFaultDue)
        }
    }

    private func schedule(_ delays: [Duration], _ chargeKey: String) {
        let now = steady
        callbacks.withLock { callbacks in
            for delay in delays { callbacks.add(chargeKey, due: now + delay) }
        }
        // The charge's commit was announced before this.
        if !delays.isEmpty { database.commits.notify() }
    }

    /// Cancels a charge. An unknown key gets a tombstone, a pending charge is cancelled, and any other charge is
    /// returned unchanged.
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

    /// Lists the charges in order. A page of 500 is far below the 512 KiB of a reply.
    ///
    /// With several processors of one ledger, a charge being written may get its position before one that was already
    /// listed. A reconciling caller lists again when no charge is being written.
    /// - Throws: `requestInvalid`.
    package func list(_ request: ChargeListRequest) async throws -> ChargesPage {
        let after = try Self.position(request)
        let rows = try await database.read { reader in
            try await ChargeRepository.list(
                after: after, limit: request.limit + 1, bundleId: request.bundleId, in: reader)
        }
        let page = Array(rows.prefix(request.limit))
        return ChargesPage(charges: page, after: page.count == rows.count ? nil : page.last?.chargeIdentifier)
    }

    /// Returns the position at which a page begins.
    /// - Throws: `requestInvalid`.
    static func position(_ request: ChargeListRequest) throws(StoreError) -> Int64 {
        guard (1...pageMax).contains(request.limit) else {
            throw StoreError.requestInvalid("limit", "limit must be 1 to \(pageMax), not \(request.limit)")
        }
        guard let after = Int64(request.after ?? "0") else {
            throw StoreError.requestInvalid("after", "'after' is not an identifier of the ledger")
        }
        return after
    }

    private func check(_ request: CreateChargeRequest) throws(StoreError) {
        try checkKey(request.chargeKey)
        guard request.amount.minorUnits > 0 else {
            throw StoreError.requestInvalid("amount", "amount must be above zero")
        }
    }

    func checkKey(_ key: String, _ member: String = "chargeKey") throws(StoreError) {
        guard Self.chargeKeys.contains(key.utf8.count) else {
            throw StoreError.requestInvalid(member, "\(member) must have 1 to 255 bytes")
        }
    }

    private static var otherAmount: StoreError {
        StoreError(
            .requestInvalid, "this chargeKey is used for another amount",
            details: ["conflict": .string("amount"), "path": .string("$.amount")])
    }
}

extension AuthorizedCharge {
    /// Creates the result of a charge that failed alone.
    fileprivate init(failure: any Error) {
        self.init(error: failure as? StoreError ?? StoreError(.internal, "the processor failed at this charge"))
    }
}

/// A processor's decision about a new charge.
package struct ChargeDecision: Hashable, Sendable {
    /// The outcome. `pending` becomes approved after ``ChargeLedger/pendingTime``, unless it is cancelled before.
    package var outcome: Charge.Outcome
    /// The reason of a declined charge, a sentence. Nil for any other outcome.
    package var declineReason: String?

    /// Creates a decision.
    package init(_ outcome: Charge.Outcome, declineReason: String? = nil) {
        self.outcome = outcome
        self.declineReason = declineReason
    }
}

extension ChargeDecision {
    init(_ mode: ProcessorMode) {
        switch mode {
        case .approve, .timeoutBefore, .timeoutAfter, .errorAfter, .slow, .duplicateCallback: self.init(.approved)
        case .decline: self.init(.declined, declineReason: "The sandbox declines every charge.")
        case .pending: self.init(Charge.Outcome.pending)
        }
    }
}

/// The behavior of the sandbox: one mode for all charges, unless a request has another.
package struct SandboxBehavior: ProcessorBehavior {
    /// The mode of charges whose request does not name one, `processor.mode`.
    package let mode: ProcessorMode

    /// Creates the behavior of a mode.
    package init(mode: ProcessorMode) { self.mode = mode }

    package func decide(_ request: CreateChargeRequest) -> ChargeDecision {
        ChargeDecision(request.simulate ?? mode)
    }

    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble {
        ChargeTrouble(request.simulate ?? mode)
    }
}

/// The part of a processor that a sandbox simulates: the decision and the faults.
///
/// The processor calls the first two methods with each `create`, so they must be quick. It ignores their results for a
/// known key.
/// The other two run before and after the commit, and a test throws or waits in them to make an outcome unknown.
/// Charges that are authorized together pass them one after the other, so a wait holds all of them.
package protocol ProcessorBehavior: Sendable {
    func decide(_ request: CreateChargeRequest) -> ChargeDecision
    func trouble(with request: CreateChargeRequest) -> ChargeTrouble
    /// Called before the charge is written.
    func beforeCharge(_ request: CreateChargeRequest) async throws
    /// Called after the charge was recorded and before the reply.
    func afterCharge(_ request: CreateChargeRequest) async throws
}

extension ProcessorBehavior {
    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble { .none }
    package func beforeCharge(_ request: CreateChargeRequest) async throws {}
    package func afterCharge(_ request: CreateChargeRequest) async throws {}
}

/// Logs and counts the ledger's decisions: a line at info and an increment for each.
struct LedgerRecord: Sendable {
    private let logger: Logger
    private let charges: [Charge.Outcome: Counter]
    private let refunds: Counter

    /// - Parameter factory: The metrics factory, or nil for the process-wide one.
    init(logger: Logger, factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        self.logger = logger
        charges = Dictionary(
            uniqueKeysWithValues: [Charge.Outcome.approved, .declined, .cancelled, .pending, .authorized].map {
                outcome in
                let labels = [("outcome", outcome.rawValue)]
                return (outcome, Counter(label: "storebus_charges_total", dimensions: labels, factory: factory))
            })
        refunds = Counter(label: "storebus_refunds_total", dimensions: [], factory: factory)
    }

    /// Records a charge that is new or has a new outcome.
    func note(_ charge: Charge) {
        var metadata: Logger.Metadata = ["charge": "\(charge.chargeKey)"]
        if let amount = charge.amount { metadata["amount"] = "\(amount.amount) \(amount.currency.code)" }
        if let reason = charge.declineReason { metadata["reason"] = "\(reason)" }
        note(charge.outcome, metadata)
    }

    /// Records the approval of a pending charge, or the capture of an authorized one.
    func noteApproval(of chargeKey: String) { note(.approved, ["charge": "\(chargeKey)"]) }

    func note(_ refund: Refund) {
        refunds.increment()
        logger.info(
            "charge refunded",
            metadata: [
                "charge": "\(refund.chargeKey)", "refund": "\(refund.refundKey)",
                "amount": "\(refund.amount.amount) \(refund.amount.currency.code)",
            ])
    }

    private func note(_ outcome: Charge.Outcome, _ metadata: Logger.Metadata) {
        charges[outcome]?.increment()
        // An authorization is followed by its capture, or by nothing.
        logger.log(level: outcome == .authorized ? .debug : .info, "charge \(outcome.rawValue)", metadata: metadata)
    }
}
