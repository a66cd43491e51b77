import Logging
import Persistence
import ServiceDatabase
import StoreModels
import Synchronization

extension PurchaseService {
    /// Tries every purchase that is due once, and again while some have ended: others may have waited for them.
    ///
    /// It drives purchases left in progress by a process that died, by a request that ran out of time and by a
    /// processor that was away. Each sweep reads the table.
    /// - Returns: The number of purchases that are still unknown.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        while true {
            let ended = Atomic(0)
            let undone = try await retries.run(now: now, id: \.self) { after, limit in
                try await unsettled(after: after, limit: limit)
            } isTaken: { id in
                inFlight.contains(id)
            } attempt: { id in
                guard await ends(id) else { return false }
                ended.add(1, ordering: .relaxed)
                return true
            }
            if ended.load(ordering: .relaxed) == 0 || Task.isCancelled { return undone }
        }
    }

    /// Tries one purchase immediately, because its charge has changed.
    ///
    /// While another task works on it, whose reply may be older, the next sweep tries it again.
    func retry(_ id: String) async {
        guard inFlight.contains(id) else {
            _ = await retries.attempt(id) { await ends(id) }
            return
        }
        retries.hurry(id)
    }

    /// Drives a purchase.
    /// - Returns: Whether there is nothing to try again: the purchase has ended, or the end of another resumes it.
    private func ends(_ id: String) async -> Bool {
        do {
            switch try await drive(id, until: .now + Self.sweepTime) {
            case .now(let stored): return stored.isAtRest || stored.obstacle != nil
            case .busy: return false
            case .gone: return true
            }
        } catch {
            logger.warning("purchase not resolved", metadata: ["transaction": "\(id)", "error": "\(error)"])
            return false
        }
    }

    /// Finds the purchases after `after` that this replica has to take to their end.
    private func unsettled(after: String, limit: Int) async throws -> [String] {
        // A SQLite file has one process, which drives all of them.
        guard database.dialect == .sqlite else {
            return try await database.write { transaction in
                try await TransactionRepository.claimUnsettled(claims, after: after, limit: limit, in: transaction)
            }
        }
        return try await database.read { reader in
            try await TransactionRepository.unsettled(after: after, limit: limit, in: reader)
        }
    }
}
