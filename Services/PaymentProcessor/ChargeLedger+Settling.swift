import EventLoop
import Persistence
import StoreModels

/// The ledger's operations for ``ChargeSettler``.
extension ChargeLedger {
    /// Returns the time at which the next pending charge is due, if one is pending.
    func nextPending() async throws -> Timestamp? {
        try await database.read { reader in try await ChargeRepository.nextDue(in: reader) }
    }

    /// Limits the due time of all pending charges.
    func limitPending(to due: Timestamp) async throws {
        try await database.write { transaction in try await ChargeRepository.limitDue(to: due, in: transaction) }
    }

    /// Approves due charges.
    /// - Returns: The keys of the approved charges.
    func approveDue(now: Timestamp, limit: Int) async throws -> [String] {
        let approved = try await database.write { transaction in
            try await ChargeRepository.approveDue(now: now, limit: limit, in: transaction)
        }
        for chargeKey in approved { record.noteApproval(of: chargeKey) }
        return approved
    }

    func takeDueCallbacks(now: Timestamp) -> [String] { callbacks.withLock { $0.takeDue(now: now) } }

    var nextCallback: Timestamp? { callbacks.withLock { $0.next } }
}
