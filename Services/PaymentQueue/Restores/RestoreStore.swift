import Persistence
import StoreModels

/// The commits of a restore. Each is one function; between them the process may die.
struct RestoreStore: Sendable {
    /// What a commit left behind.
    struct Written: Sendable {
        var stored: StoredRestore
        /// To be published, now that they are committed.
        var changes: [CustomerChange]
    }

    let database: any SQLDatabase
    let clock: BusinessClock
    let checkpoint: CheckpointHook

    /// The customer's restore of this key, begun now unless it was before.
    /// - Parameter defaults: the app's, for testers.
    /// - Throws: `notFound` for an unknown customer; `keyReused`.
    func begin(_ request: StartRestoreRequest, defaults: TesterSettings?) async throws -> Written {
        let customer = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.restore(wall: clock.wall(), random: &random)
        return try await commit(about: customer) { commit in
            let known = try await RestoreRepository.find(
                key: request.requestIdentifier, of: customer, in: commit.transaction)
            if let known {
                guard known.restore.applicationUsername.isExactly(request.applicationUsername) else {
                    throw StoreError(.keyReused, "this idempotency key was used for another restore")
                }
                return known
            }
            let tester = try await TesterRepository.effective(
                commit.account.account, defaults: defaults, in: commit.transaction)
            return try await commit.beginRestore(request, id: id, failure: RestorePolicy.failure(tester: tester))
        }
    }

    /// Restores the next transactions of a running restore.
    /// - Throws: `notFound` when it is gone with the customer's history.
    func proceed(_ known: StoredRestore) async throws -> Written {
        try await commit(about: known.customer) { commit in
            guard
                let stored = try await RestoreRepository.find(known.id, of: known.customer, in: commit.transaction)
            else { throw StoreError(.notFound, "the restore was removed with what the customer has bought before") }
            return try await commit.continueRestore(stored)
        }
    }

    private func commit(
        about customer: CustomerID,
        _ body: @escaping @Sendable (inout CustomerCommit) async throws -> StoredRestore
    ) async throws -> Written {
        try await database.write { transaction in
            let committed = try await CustomerCommit.run(customer, in: transaction, clock: clock, body)
            if !committed.changes.isEmpty { try checkpoint(.insideRestoreCommit) }
            return Written(stored: committed.output, changes: committed.changes)
        }
    }

    /// - Throws: `notFound`, also for another customer's and another device's.
    func find(_ request: RestoreRequest) async throws -> StoredRestore {
        let customer = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        let stored = try await database.read { reader in
            try await RestoreRepository.find(request.restoreIdentifier, of: customer, in: reader)
        }
        guard let stored, stored.deviceId.isExactly(request.deviceId) else { throw Self.unknown }
        return stored
    }

    /// - Throws: `notFound`, also while it is running.
    func acknowledge(_ request: RestoreRequest) async throws {
        let customer = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        let isKnown = try await database.write { transaction in
            try await RestoreRepository.acknowledge(
                request.restoreIdentifier, of: customer, deviceId: request.deviceId, in: transaction)
        }
        if !isKnown { throw Self.unknown }
    }

    private static let unknown = StoreError(.notFound, "no such restore")

    func running(after: String, limit: Int) async throws -> [StoredRestore] {
        try await database.read { reader in
            try await RestoreRepository.running(after: after, limit: limit, in: reader)
        }
    }
}
