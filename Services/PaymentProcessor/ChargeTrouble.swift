import Persistence
import StoreModels

/// The simulated delays and faults of a charge. The outcome is a ``ChargeDecision``.
package struct ChargeTrouble: Hashable, Sendable {
    /// The fault of a key's first reply. A repeated request gets its reply.
    package enum FirstReply: Hashable, Sendable {
        case delivered
        /// The reply is never sent, and nothing was charged.
        case withheldBeforeCharge
        /// The charge is recorded, and its reply is never sent.
        case withheldAfterCharge
        /// The charge is recorded, and its reply is an error.
        case failedAfterCharge
    }

    /// The delay before an unknown key is written.
    package var delay: Duration
    /// The fault of the key's first reply.
    package var firstReply: FirstReply
    /// The delays of callbacks about a new charge, each counted from its commit.
    package var callbacks: [Duration]

    /// Creates faults, by default none.
    package init(
        delay: Duration = .zero, firstReply: FirstReply = .delivered, callbacks: [Duration] = []
    ) {
        self.delay = delay
        self.firstReply = firstReply
        self.callbacks = callbacks
    }

    /// No delays and no faults.
    package static let none = ChargeTrouble()
}

extension ChargeTrouble {
    /// The delay of a slow processor.
    static let slowDelay: Duration = .seconds(2)
    /// The delays of duplicate callbacks, both after the reply.
    static let duplicateCallbacks: [Duration] = [.seconds(1), .seconds(2)]

    init(_ mode: ProcessorMode) {
        switch mode {
        case .approve, .decline, .pending: self = .none
        case .timeoutBefore: self.init(firstReply: .withheldBeforeCharge)
        case .timeoutAfter: self.init(firstReply: .withheldAfterCharge)
        case .errorAfter: self.init(firstReply: .failedAfterCharge)
        case .slow: self.init(delay: Self.slowDelay)
        case .duplicateCallback: self.init(callbacks: Self.duplicateCallbacks)
        }
    }
}

/// The faults that a sandbox simulates. They wait in the handler of their request, without a lock on the database. The
/// bus service limits the requests of one endpoint.
extension ChargeLedger {
    /// Whether the key is unknown. The key is recorded, so that the next process knows it too.
    func isFirst(_ chargeKey: String) async throws -> Bool {
        let now = wall()
        return try await database.write { transaction in
            guard try await ChargeRepository.find(chargeKey, in: transaction) == nil else { return false }
            return try await WithheldReplyRepository.claim(chargeKey, at: now, in: transaction)
        }
    }

    /// Waits, unless the ledger already has the key.
    func delay(_ chargeKey: String, by duration: Duration) async throws {
        let known = try await database.read { reader in try await ChargeRepository.find(chargeKey, in: reader) }
        if known == nil { try await wait(duration) }
    }

    /// Withholds or replaces a reply as the request orders.
    /// - Throws: The error sent instead of the reply.
    func injectFault(_ reply: ChargeTrouble.FirstReply, until deadline: ContinuousClock.Instant) async throws {
        switch reply {
        case .delivered: return
        case .withheldBeforeCharge, .withheldAfterCharge: try await withhold(until: deadline)
        case .failedAfterCharge:
            throw StoreError(.internal, "the sandbox's processor fails after the charge, as ordered")
        }
    }

    /// Replies after the caller's deadline, so that the caller drops the reply.
    /// - Throws: Always.
    private func withhold(until deadline: ContinuousClock.Instant) async throws {
        try await wait(ContinuousClock.now.duration(to: deadline) + Self.deadlineGrace)
        throw StoreError(.deadlineExceeded, "the sandbox's processor does not answer, as ordered")
    }

    /// Waits for a duration.
    ///
    /// - Throws: `serviceUnavailable` when the process stops meanwhile.
    private func wait(_ duration: Duration) async throws {
        do {
            try await sleep(duration)
        } catch {
            throw StoreError(.serviceUnavailable, "the processor is stopping")
        }
    }
}

/// Stores the keys whose first reply was withheld or replaced. The sandbox does that once per key, also over several
/// processes and for concurrent requests, which the primary key ensures.
enum WithheldReplyRepository {
    /// Maximum number of keys. Beyond it the oldest is deleted, and a reply for it could be withheld again.
    static let rowsMax = 10_000

    /// Claims the key's only reply that may be withheld.
    /// - Returns: False when it was claimed before.
    static func claim(
        _ chargeKey: String, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let added = try await transaction.execute(
            "INSERT INTO withheld_answer (charge_key, created_at) VALUES (?, ?) ON CONFLICT (charge_key) DO NOTHING",
            chargeKey, now.milliseconds)
        guard added > 0 else { return false }
        try await transaction.execute(
            """
            DELETE FROM withheld_answer WHERE created_at < (
                SELECT created_at FROM withheld_answer ORDER BY created_at DESC LIMIT 1 OFFSET ?)
            """, rowsMax - 1)
        return true
    }
}
