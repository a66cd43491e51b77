import Persistence
import StoreModels

/// The commits of a refund: the decision, and that the processor has answered. Between them the process may die.
struct RefundStore: Sendable {
    let database: any SQLDatabase
    let clock: BusinessClock
    var checkpoint: CheckpointHook = { _ in }

    /// What a decision has come to.
    struct TakenBack: Sendable {
        var transaction: PaymentTransaction
        /// Whose it was; nil where it had been taken back before.
        var takenFrom: CustomerID?
        /// To be published, now that they are committed.
        var changes: [CustomerChange]
        /// Money the processor has not been told of.
        var refund: StoredRefund?
    }

    /// - Throws: `notFound`; what ``CustomerCommit/takeBack(_:_:reason:)`` throws.
    func takeBack(_ request: RefundRequest, _ ending: SubscriptionEnding) async throws -> TakenBack {
        try await database.write { transaction in
            guard let known = try await TransactionRepository.find(spelled: request.id, in: transaction) else {
                throw Self.unknown
            }
            let committed = try await CustomerCommit.run(known.customer, in: transaction, clock: clock) { commit in
                // Read again under the customer's lock.
                guard
                    let stored = try await TransactionRepository.find(known.id, of: known.customer, in: transaction)
                else { throw Self.unknown }
                return try await commit.takeBack(stored, ending, reason: request.reason ?? .other)
            }
            let refund = try await RefundOutbox.open(StoredRefund.key(of: known.id), in: transaction)
            if !committed.changes.isEmpty { try checkpoint(.insideRefundCommit) }
            return TakenBack(
                transaction: committed.output.transaction, takenFrom: committed.changes.isEmpty ? nil : known.customer,
                changes: committed.changes, refund: refund)
        }
    }

    /// What the subscription of a transaction is kept by, and whose it is.
    func group(of id: String) async throws -> (customer: CustomerID, group: String)? {
        try await database.read { reader in
            guard let stored = try await TransactionRepository.find(spelled: id, in: reader),
                let group = stored.subscriptionKey
            else { return nil }
            return (stored.customer, group)
        }
    }

    func open(after: String, limit: Int) async throws -> [StoredRefund] {
        try await database.read { reader in try await RefundOutbox.open(after: after, limit: limit, in: reader) }
    }

    func markDone(_ key: String) async throws {
        try await database.write { transaction in try await RefundOutbox.markDone(key, in: transaction) }
    }

    /// A stream of the device has told of revocations.
    /// - Throws: `notFound` for an unknown customer; `requestInvalid` for a place the journal has not reached.
    func acknowledge(_ request: AcknowledgeRevocationsRequest) async throws {
        let customer = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        try await database.write { transaction in
            guard let known = try await CustomerRepository.find(customer, in: transaction) else {
                throw StoreError(.notFound, "no such customer")
            }
            guard (0...known.headSeq).contains(request.seq) else {
                throw StoreError(
                    .requestInvalid, "the customer's journal ends at \(known.headSeq)",
                    details: ["path": .string("$.seq")])
            }
            try await RevocationRepository.see(
                through: request.seq, of: customer, deviceId: request.deviceId, in: transaction)
        }
    }

    private static let unknown = StoreError(.notFound, "no such transaction")
}
