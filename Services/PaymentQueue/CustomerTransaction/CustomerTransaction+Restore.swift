import ServiceDatabase
import StoreModels

extension CustomerTransaction {
    /// Maximum number of transactions restored in one commit. A customer with more gets more commits.
    static let restoredMax = 100

    /// Begins a restore: its row, as many of its transactions as one commit holds, and possibly its end.
    /// - Parameter failure: The failure of the sign-in. With one, nothing is restored.
    mutating func beginRestore(
        _ request: StartRestoreRequest, id: String, failure: TransactionError?
    ) async throws -> StoredRestore {
        var stored = StoredRestore(
            customer: customer, deviceId: request.deviceId, requestKey: request.requestIdentifier,
            restore: Restore(
                restoreIdentifier: id, state: failure == nil ? .running : .failed, error: failure, restored: 0,
                applicationUsername: request.applicationUsername),
            throughNumber: try await RestoreRepository.lastNumber(of: customer, in: transaction), lastNumber: 0)
        if failure == nil { stored = try await restoreSome(stored) }
        try await RestoreRepository.insert(stored, startedSeq: account.headSeq + 1, wall: wall, in: transaction)
        if stored.restore.state != .running { try journalEnd(of: stored.restore, deviceId: stored.deviceId) }
        return stored
    }

    /// Continues a restore that was read in this commit.
    mutating func continueRestore(_ stored: StoredRestore) async throws -> StoredRestore {
        guard stored.restore.state == .running else { return stored }
        let next = try await restoreSome(stored)
        try await RestoreRepository.advance(next, in: transaction)
        if next.restore.state != .running { try journalEnd(of: next.restore, deviceId: next.deviceId) }
        return next
    }

    /// Restores the next originals, in the order of purchase.
    private mutating func restoreSome(_ stored: StoredRestore) async throws -> StoredRestore {
        var next = stored
        let originals = try await RestoreRepository.originals(
            of: customer, after: stored.lastNumber, through: stored.throughNumber, limit: Self.restoredMax,
            in: transaction)
        let due = originals.filter { RestoreRules.restores($0) }
        let numbers = try await CounterRepository.next(
            .transaction, count: due.count, of: customer.bundleId, in: transaction)
        for (original, number) in zip(due, numbers) {
            try await insert(original, number: number, deviceId: stored.deviceId)
        }
        next.restore.restored += due.count
        if let last = originals.last?.stored.transaction.transactionIdentifier.flatMap(Int64.init) {
            next.lastNumber = last
        }
        if originals.count < Self.restoredMax { next.restore.state = .finished }
        return next
    }

    private mutating func insert(
        _ original: RestoreRepository.Original, number: Int64, deviceId: String
    ) async throws {
        var random = SystemRandomNumberGenerator()
        let value = RestoreRules.restored(
            original.stored.transaction, id: Identifiers.transaction(wall: wall, random: &random),
            transactionIdentifier: "\(number)", at: now, expiresDate: original.activeUntil, deviceId: deviceId)
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: .restored, body: body)
        let restored = StoredTransaction(
            customer: customer, transaction: value, phase: .settled, createdSeq: seq, historySeq: seq,
            chargeKey: StoredTransaction.chargeKey(of: value.id))
        try await TransactionRepository.insert(restored, body: body, in: transaction)
    }
}

extension RestoreRules {
    fileprivate static func restores(_ original: RestoreRepository.Original) -> Bool {
        guard let terms = original.stored.terms else { return false }
        return restores(
            terms.productType, original.stored.transaction, isFinished: original.stored.isFinished,
            subscription: original.state)
    }
}
