import Logging
import Persistence
import StoreModels

/// Handles `restore.start`, `.get` and `.acknowledge`: completed transactions come back to a device (M38 to M45).
///
/// The processor is never asked. Each commit is one function. The process may die between them, and ``sweep()`` of
/// another process continues.
struct RestoreService: QueuePart {
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Number of rows in one page of a sweep.
    static let pageSize = 64
    /// Maximum time for one restore in one sweep, so that others are processed too.
    static let attemptTime: Duration = .seconds(2)

    let context: QueueContext

    /// Begins a restore, or finds the one this key has begun.
    ///
    /// Most end in their first commit. For a customer with very many purchases more commits follow, here until the
    /// deadline and then by the sweep.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `notFound` for an unknown customer, `keyReused`.
    func start(_ request: StartRestoreRequest, deadline: ContinuousClock.Instant) async throws -> Restore {
        try check(request)
        let last = deadline - PurchaseService.replyMargin
        let begun = try await begin(request, defaults: await defaults.of(request.bundleId, until: last))
        return try await finish(begun, until: last).restore
    }

    /// Reads a device's restore.
    /// - Throws: `notFound`, also for another customer's or device's restore.
    func get(_ request: RestoreRequest) async throws -> Restore {
        let stored = try await database.read { reader in
            try await reader.read(RestoreRepository.find(request.restoreIdentifier, of: request.customer))
        }
        guard let stored, stored.deviceId.isExactly(request.deviceId) else { throw Self.unknown }
        return stored.restore
    }

    /// Records that the device's stream has delivered the end. Acknowledging again succeeds.
    /// - Throws: `notFound`, also while it is running.
    func acknowledge(_ request: RestoreRequest) async throws -> Empty {
        let isKnown = try await database.write { transaction in
            try await RestoreRepository.acknowledge(
                request.restoreIdentifier, of: request.customer, deviceId: request.deviceId, in: transaction)
        }
        if !isKnown { throw Self.unknown }
        return Empty()
    }

    private static let unknown = StoreError(.notFound, "no such restore")

    private func check(_ request: StartRestoreRequest) throws(StoreError) {
        try PaymentValidation.checkKey(request.requestIdentifier)
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        try PaymentValidation.checkLength(
            request.applicationUsername ?? "", 0...PaymentValidation.applicationUsernameMax, "applicationUsername")
    }

    // MARK: Sweep

    /// Continues restores that a process or a request has left running. Each sweep reads the table.
    /// - Returns: The number of restores that are still running.
    @discardableResult
    func sweep() async throws -> Int {
        var running = 0
        var after = ""
        while !Task.isCancelled {
            let cursor = after
            let page = try await database.read { reader in
                try await RestoreRepository.running(after: cursor, limit: Self.pageSize, in: reader)
            }
            for stored in page where await !ends(stored) { running += 1 }
            guard page.count == Self.pageSize, let last = page.last?.id else { break }
            after = last
        }
        return running
    }

    private func ends(_ stored: StoredRestore) async -> Bool {
        do {
            return try await finish(stored, until: .now + Self.attemptTime).restore.state != .running
        } catch let error as StoreError where error.code == .notFound {
            return true
        } catch {
            logger.warning("restore not ended", metadata: ["restore": "\(stored.id)", "error": "\(error)"])
            return false
        }
    }

    // MARK: Commits

    /// Continues a restore to its end, or as far as the time allows.
    private func finish(_ known: StoredRestore, until last: ContinuousClock.Instant) async throws -> StoredRestore {
        var stored = known
        while stored.restore.state == .running, ContinuousClock.now < last { stored = try await proceed(stored) }
        return stored
    }

    /// Finds the customer's restore of a key, or begins it.
    /// - Parameter defaults: The app's defaults for testers.
    /// - Throws: `notFound` for an unknown customer, or `keyReused`.
    private func begin(_ request: StartRestoreRequest, defaults: TesterSettings?) async throws -> StoredRestore {
        let customer = request.customer
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.restore(wall: clock.wall(), random: &random)
        return try await commit(about: customer, asking: CustomerState.lookups(of: request)) { state in
            if let known = try state.read(RestoreRepository.find(key: request.requestIdentifier, of: customer)) {
                guard known.restore.applicationUsername.isExactly(request.applicationUsername) else {
                    throw StoreError(.keyReused, "this idempotency key was used for another restore")
                }
                return known
            }
            let tester = state.settings.over(defaults).over(.standard)
            return try state.beginRestore(request, id: id, failure: RestoreRules.failure(tester: tester))
        }
    }

    /// Restores the next transactions of a running restore.
    /// - Throws: `notFound` when it was removed with the customer's history.
    private func proceed(_ known: StoredRestore) async throws -> StoredRestore {
        let find = RestoreRepository.find(known.id, of: known.customer)
        return try await commit(
            about: known.customer, asking: [find.key, CustomerState.originals(of: known).key]
        ) { state in
            guard let stored = try state.read(find) else {
                throw StoreError(.notFound, "the restore was deleted with the customer's earlier purchases")
            }
            return try state.continueRestore(stored)
        }
    }

    private func commit(
        about customer: CustomerReference, asking lookups: [SQLLookupKey],
        _ decide: @escaping @Sendable (inout CustomerState) throws -> StoredRestore
    ) async throws -> StoredRestore {
        let committed = try await commits.commit(
            customer, asking: lookups, reaching: .insideRestoreCommit, decide)
        if committed.changes.isEmpty { return committed.output }
        try checkpoint(.afterRestoreCommit)
        for change in committed.changes { publish(change) }
        return committed.output
    }
}

/// Decides without I/O whether a restore fails, and which transactions it creates.
///
/// See M38 to M42, R1, R2 and R4. A restore never charges.
enum RestoreRules {
    /// Returns the failure of a restore, which then restores nothing.
    /// - Returns: The failure, or nil when the restore goes ahead.
    static func failure(tester: TesterSettings) -> TransactionError? {
        // A restore creates no prompt; the launch that delivers what it restored does.
        if let error = PaymentSheetPolicy.signInFailure(tester.signIn ?? .ok) { return error }
        guard let name = tester.simulatedErrors?.restore else { return nil }
        return SimulatedError.failure(name, "Restoring failed with the error the tester is set to meet.")
    }

    /// Tells whether a restore brings a purchase back: finished non-consumables and auto-renewables that were not
    /// revoked.
    ///
    /// Consumables are used up, and the app restores non-renewing subscriptions itself (M39, M43). An unfinished
    /// purchase is still in the queue.
    /// - Parameters:
    ///   - original: The first transaction of the product or the subscription.
    ///   - subscription: The subscription's state. Unless it is revoked, the subscription comes back, even when its
    ///     first period was taken back.
    static func restores(
        _ type: ProductType, _ original: PaymentTransaction, isFinished: Bool = true,
        subscription: SubscriptionState? = nil
    ) -> Bool {
        guard type.isRestorable, original.transactionState == .purchased, isFinished else { return false }
        return subscription.map { $0 != .revoked } ?? (original.revocationDate == nil)
    }

    /// Makes a restored transaction with its original (M26, M41), at revision 1.
    /// - Parameters:
    ///   - id: The new transaction's `id`.
    ///   - transactionIdentifier: The new transaction's identifier.
    ///   - expiresDate: The instant until which the subscription gives access now. Nil for a non-consumable.
    static func restored(
        _ original: PaymentTransaction, id: String, transactionIdentifier: String, at now: Timestamp,
        expiresDate: Timestamp?, deviceId: String
    ) -> PaymentTransaction {
        with(
            PaymentTransaction(
                id: id, transactionIdentifier: transactionIdentifier, transactionState: .restored, transactionDate: now,
                payment: original.payment,
                downloads: original.downloads.map { content in
                    Download(
                        id: Identifiers.download(of: id), transactionId: id, state: .waiting,
                        contentIdentifier: content.contentIdentifier, contentVersion: content.contentVersion,
                        contentLength: content.contentLength)
                }, revision: 1, originDeviceId: deviceId)
        ) {
            $0.original = OriginalTransaction(original)
            $0.originalTransactionIdentifier = original.transactionIdentifier
            $0.expiresDate = expiresDate
            $0.isFamilyShared = original.isFamilyShared
        }
    }
}
