import Persistence
import StoreModels

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
