import EventLoop
import Persistence
import StoreModels

/// Ledger operations of ``ChargeSettler``.
extension ChargeLedger {
    /// The instant the next pending charge is due; nil when none is pending.
    func nextPending() async throws -> Timestamp? {
        try await database.read { reader in try await ChargeRepository.nextDue(in: reader) }
    }

    /// Limits the due time of all pending charges.
    func limitPending(to due: Timestamp) async throws {
        try await database.write { transaction in try await ChargeRepository.limitDue(to: due, in: transaction) }
    }

    /// Approves due charges.
    /// - Returns: The keys of those approved now.
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
