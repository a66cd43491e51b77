import Persistence
import StoreModels

/// The troubles a sandbox makes. They wait in the handler of the request they are about; the database is never held
/// meanwhile, and at most as many wait as the bus service takes requests of one endpoint.
extension ChargeLedger {
    /// Whether nothing is known of the key. It is known from now on, to the next process too.
    func isFirst(_ chargeKey: String) async throws -> Bool {
        let now = wall()
        return try await database.write { transaction in
            guard try await ChargeRepository.find(chargeKey, in: transaction) == nil else { return false }
            return try await WithheldAnswerRepository.claim(chargeKey, at: now, in: transaction)
        }
    }

    /// Waits, unless the ledger knows the key already.
    func delay(_ chargeKey: String, by duration: Duration) async throws {
        let known = try await database.read { reader in try await ChargeRepository.find(chargeKey, in: reader) }
        if known == nil { try await wait(duration) }
    }

    /// What becomes of an answer that is not to be given.
    /// - Throws: the answer that takes its place.
    func spoil(_ answer: ChargeTrouble.FirstAnswer, until deadline: ContinuousClock.Instant) async throws {
        switch answer {
        case .given: return
        case .withheldBefore, .withheldAfter: try await withhold(until: deadline)
        case .failedAfter: throw StoreError(.internal, "the sandbox's processor fails after the charge, as ordered")
        }
    }

    /// Returns to nobody: a request that comes back after its deadline is answered, but its asker listens no more.
    /// - Throws: always.
    private func withhold(until deadline: ContinuousClock.Instant) async throws {
        try await wait(ContinuousClock.now.duration(to: deadline) + Self.deadlineGrace)
        throw StoreError(.deadlineExceeded, "the sandbox's processor does not answer, as ordered")
    }

    /// - Throws: `serviceUnavailable` when the process stops meanwhile.
    private func wait(_ duration: Duration) async throws {
        do {
            try await sleep(duration)
        } catch {
            throw StoreError(.serviceUnavailable, "the processor is stopping")
        }
    }
}
