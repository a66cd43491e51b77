import Logging
import StoreModels

/// Takes a purchase that has begun to its end: asks the processor and writes the answer down, as often as it takes.
///
/// The request that began it, a request that joins it and the janitor all come through here; one of them at a time in
/// this process. Only the processor's answer ends `purchasing`: no deadline does, and no "not found" either.
struct PurchaseDriver: Sendable {
    /// For one answer of the processor's: longer than a slow one takes, and short enough that the next attempt still finds
    /// out within five seconds.
    static let chargeTime: Duration = .seconds(3)

    /// Does what is due of a customer's subscription, by the group it began in; `Purchase` itself knows no renewals.
    typealias CatchUp = @Sendable (CustomerReference, String, ContinuousClock.Instant) async throws -> Void

    let store: PurchaseStore
    let collaborators: PurchaseCollaborators
    private var catchUp: CatchUp
    let board = OutcomeBoard()
    let checkpoint: CheckpointHook
    let record: SalesRecord
    let logger: Logger

    init(
        store: PurchaseStore, collaborators: PurchaseCollaborators, checkpoint: @escaping CheckpointHook,
        record: SalesRecord, logger: Logger
    ) {
        self.store = store
        self.collaborators = collaborators
        self.catchUp = { _, _, _ in }
        self.checkpoint = checkpoint
        self.record = record
        self.logger = logger
    }

    /// The same driver, with the same purchases in hand, which lets what is due in a subscription group go first.
    func lettingFirst(_ catchUp: @escaping CatchUp) -> PurchaseDriver {
        var driver = self
        driver.catchUp = catchUp
        return driver
    }

    /// What an attempt comes back with.
    enum Attempt: Sendable {
        /// The transaction as it is now.
        case now(StoredTransaction)
        /// Another task of this process is driving it.
        case busy
        /// There is no such purchase any more: it was cleared away by an operator.
        case gone
    }

    /// One attempt. Afterwards the purchase is at rest, or it is as unknown as before and may be tried again.
    ///
    /// - Parameter fresh: the transaction as a commit made just now by this caller has left it; saves a read.
    func drive(
        _ id: String, fresh: StoredTransaction? = nil, until deadline: ContinuousClock.Instant
    ) async throws -> Attempt {
        guard board.begin(id) else { return .busy }
        defer { board.end(id) }
        var known = fresh
        if known == nil { known = try await store.find(id) }
        if let waiting = known, waiting.phase == .waiting {
            try await catchUp(before: waiting, until: deadline)
            known = try finish(await store.replan(waiting))
        }
        guard let stored = known else { return .gone }
        guard !stored.awaitsAnswer else { return .now(stored) }
        switch stored.phase {
        case .waiting, .quarantined, .settled: return .now(stored)
        case .granting: return attempt(try await settle(stored, .approved, until: deadline))
        case .charging: return attempt(try await charge(stored, until: deadline))
        }
    }

    private func attempt(_ stored: StoredTransaction?) -> Attempt { stored.map { .now($0) } ?? .gone }

    private func charge(
        _ stored: StoredTransaction, until deadline: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        let request = CreateChargeRequest(
            chargeKey: stored.chargeKey, amount: terms.amount, bundleId: stored.customer.bundleId,
            customerIdentifier: stored.customer.customerIdentifier,
            productIdentifier: stored.transaction.payment.productIdentifier, simulate: terms.simulate)
        try checkpoint(.beforeCharge)
        let answer: ChargeAnswer
        do {
            answer = ChargeAnswer(
                try await collaborators.charge(request, min(deadline, .now + Self.chargeTime)), expected: terms.amount)
        } catch  where error.code == .requestInvalid && error.details["conflict"] == .string("amount") {
            // The processor has another amount under our key. Its answer will not change.
            answer = .mismatch(charged: nil)
        } catch {
            logger.notice(
                "charge unanswered", metadata: metadata(stored, ["code": "\(error.code)", "error": "\(error.message)"]))
            return stored
        }
        try checkpoint(.afterCharge)
        if answer == .undecided { return stored }
        if case .mismatch(let charged) = answer {
            logger.critical(
                "the processor charged another amount; the transaction is quarantined",
                metadata: metadata(
                    stored, ["agreed": "\(terms.amount.amount)", "charged": "\(charged?.amount ?? "?")"]))
        }
        return try await settle(stored, answer, until: deadline)
    }

    /// Writes the outcome down. What is due in the purchase's subscription group comes first; then once more.
    private func settle(
        _ stored: StoredTransaction, _ answer: ChargeAnswer, until deadline: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        let settled = try finish(await store.settle(stored, answer))
        guard answer == .approved, let settled, !settled.isAtRest, settled.subscriptionKey != nil else {
            return settled
        }
        try await catchUp(before: settled, until: deadline)
        return try finish(await store.settle(settled, answer))
    }

    private func catchUp(before stored: StoredTransaction, until deadline: ContinuousClock.Instant) async throws {
        var key = stored.subscriptionKey
        if key == nil { key = try await store.subscriptionKey(of: stored) }
        if let key { try await catchUp(stored.customer, key, deadline) }
    }

    /// As below, for a purchase that may be gone.
    private func finish(_ written: PurchaseStore.Written?) throws -> StoredTransaction? {
        guard let written else { return nil }
        return try finish(written)
    }

    /// Announces a commit: hints first, then the callers that wait in this process.
    @discardableResult
    func finish(_ written: PurchaseStore.Written) throws -> StoredTransaction {
        if written.changes.isEmpty, written.woken.isEmpty { return written.stored }
        try checkpoint(.afterOutcomeCommit)
        for change in written.changes { collaborators.publish(change) }
        try checkpoint(.afterPublish)
        if !written.changes.isEmpty { record.note(written.stored) }
        let value = written.stored.transaction
        if value.transactionState != .purchasing { board.announce(value.id) }
        for id in written.woken { board.announce(id) }
        return written.stored
    }

    private func metadata(_ stored: StoredTransaction, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging([
            "transaction": "\(stored.id)", "bundleId": "\(stored.customer.bundleId)",
            "customerIdentifier": "\(stored.customer.customerIdentifier)",
            "productIdentifier": "\(stored.transaction.payment.productIdentifier)",
        ]) { own, _ in own }
    }
}
