import Persistence
import ServiceDatabase
import StoreModels

extension CustomerState {
    /// Maximum number of transactions restored in one commit. A customer with more gets more commits.
    static let restoredMax = 100

    /// Returns what the first commit of a restore asks for.
    static func lookups(of request: StartRestoreRequest) -> [SQLLookupKey] {
        [
            RestoreRepository.find(key: request.requestIdentifier, of: request.customer).key,
            RestoreRepository.lastNumber(of: request.customer).key, firstOriginals(of: request.customer).key,
        ]
    }

    /// Reads the originals of a restore that begins. It is through the customer's last transaction.
    private static func firstOriginals(of customer: CustomerReference) -> SQLLookup<[RestoreRepository.Original]> {
        RestoreRepository.originals(of: customer, after: 0, through: .max, limit: restoredMax)
    }

    /// Reads the originals that a restore continues with.
    static func originals(of stored: StoredRestore) -> SQLLookup<[RestoreRepository.Original]> {
        RestoreRepository.originals(
            of: stored.customer, after: stored.lastNumber, through: stored.throughNumber, limit: restoredMax)
    }

    /// Begins a restore: its row, as many of its transactions as one commit holds, and possibly its end.
    /// - Parameter failure: The failure of the sign-in. With one, nothing is restored.
    mutating func beginRestore(
        _ request: StartRestoreRequest, id: String, failure: TransactionError?
    ) throws -> StoredRestore {
        try need(Self.lookups(of: request))
        let startedSeq = nextSeq
        var stored = StoredRestore(
            customer: customer, deviceId: request.deviceId, requestKey: request.requestIdentifier,
            restore: Restore(
                restoreIdentifier: id, state: failure == nil ? .running : .failed, error: failure, restored: 0,
                applicationUsername: request.applicationUsername),
            throughNumber: try read(RestoreRepository.lastNumber(of: customer)), lastNumber: 0)
        if failure == nil { stored = try restore(read(Self.firstOriginals(of: customer)), in: stored) }
        write(try RestoreRepository.insert(stored, startedSeq: startedSeq, wall: wall))
        if stored.restore.state != .running { try journalEnd(of: stored.restore, deviceId: stored.deviceId) }
        return stored
    }

    /// Continues a restore that was read in this commit.
    mutating func continueRestore(_ stored: StoredRestore) throws -> StoredRestore {
        guard stored.restore.state == .running else { return stored }
        let next = try restore(read(Self.originals(of: stored)), in: stored)
        write(RestoreRepository.advance(next))
        if next.restore.state != .running { try journalEnd(of: next.restore, deviceId: next.deviceId) }
        return next
    }

    /// Restores the next originals, in the order of purchase.
    private mutating func restore(
        _ originals: [RestoreRepository.Original], in stored: StoredRestore
    ) throws -> StoredRestore {
        var next = stored
        let due = originals.filter { RestoreRules.restores($0) }
        for (original, number) in zip(due, try self.next(.transaction, count: due.count)) {
            try insert(original, number: number, deviceId: stored.deviceId)
        }
        next.restore.restored += due.count
        if let last = originals.last?.stored.transaction.transactionIdentifier.flatMap(Int64.init) {
            next.lastNumber = last
        }
        if originals.count < Self.restoredMax { next.restore.state = .finished }
        return next
    }

    private mutating func insert(_ original: RestoreRepository.Original, number: Int64, deviceId: String) throws {
        var random = SystemRandomNumberGenerator()
        let value = RestoreRules.restored(
            original.stored.transaction, id: Identifiers.transaction(wall: wall, random: &random),
            transactionIdentifier: "\(number)", at: now, expiresDate: original.activeUntil, deviceId: deviceId)
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: .restored, body: body)
        let restored = StoredTransaction(
            customer: customer, transaction: value, phase: .settled, createdSeq: seq, historySeq: seq,
            chargeKey: StoredTransaction.chargeKey(of: value.id))
        write(try TransactionRepository.insert(restored, body: body), leaving: restored)
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
