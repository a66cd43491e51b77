import Persistence
import StoreModels

/// Faults a sandbox simulates. They wait in the handler of their request; the database is never locked meanwhile, and
/// at most as many wait as the bus service accepts requests of one endpoint.
extension ChargeLedger {
    /// Whether the key is unknown. It is recorded, so that the next process knows it too.
    func isFirst(_ chargeKey: String) async throws -> Bool {
        let now = wall()
        return try await database.write { transaction in
            guard try await ChargeRepository.find(chargeKey, in: transaction) == nil else { return false }
            return try await WithheldAnswerRepository.claim(chargeKey, at: now, in: transaction)
        }
    }

    /// Waits, unless the ledger has the key already.
    func delay(_ chargeKey: String, by duration: Duration) async throws {
        let known = try await database.read { reader in try await ChargeRepository.find(chargeKey, in: reader) }
        if known == nil { try await wait(duration) }
    }

    /// Withholds or replaces an answer as ordered.
    /// - Throws: The error sent instead of the answer.
    func spoil(_ answer: ChargeTrouble.FirstAnswer, until deadline: ContinuousClock.Instant) async throws {
        switch answer {
        case .given: return
        case .withheldBefore, .withheldAfter: try await withhold(until: deadline)
        case .failedAfter: throw StoreError(.internal, "the sandbox's processor fails after the charge, as ordered")
        }
    }

    /// Responds after the caller's deadline, so the response is dropped.
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
