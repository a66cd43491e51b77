import StoreModels

/// `restore.start`, `.get` and `.acknowledge`: completed transactions come back to a device (M38 to M45). The processor is
/// never asked.
struct RestoreDesk: Sendable {
    let store: RestoreStore
    let defaults: AppDefaults
    let checkpoint: CheckpointHook
    let publish: @Sendable (CustomerChange) -> Void

    /// Begins a restore, or finds the one this key has begun. Most end in their first commit; a customer with very many
    /// purchases gets the rest in the commits that follow, here as long as the caller waits and then by the janitor.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `notFound` for an unknown customer, `keyReused`.
    func start(_ request: StartRestoreRequest, deadline: ContinuousClock.Instant) async throws -> Restore {
        try check(request)
        let last = deadline - PurchaseCoordinator.replyMargin
        let written = try await store.begin(request, defaults: await defaults.of(request.bundleId, until: last))
        return try await finish(tell(written), until: last).restore
    }

    /// - Throws: `notFound`, also for another customer's and another device's.
    func get(_ request: RestoreRequest) async throws -> Restore { try await store.find(request).restore }

    /// The device's stream has written the end. Again is fine.
    /// - Throws: `notFound`, also while it is running.
    func acknowledge(_ request: RestoreRequest) async throws -> Empty {
        try await store.acknowledge(request)
        return Empty()
    }

    /// Takes a restore to its end, or as far as the time allows.
    func finish(_ known: StoredRestore, until last: ContinuousClock.Instant) async throws -> StoredRestore {
        var stored = known
        while stored.restore.state == .running, ContinuousClock.now < last {
            stored = try tell(try await store.proceed(stored))
        }
        return stored
    }

    private func tell(_ written: RestoreStore.Written) throws -> StoredRestore {
        if written.changes.isEmpty { return written.stored }
        try checkpoint(.afterRestoreCommit)
        for change in written.changes { publish(change) }
        return written.stored
    }

    private func check(_ request: StartRestoreRequest) throws(StoreError) {
        try PaymentValidation.checkKey(request.requestIdentifier)
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        try PaymentValidation.checkLength(
            request.applicationUsername ?? "", 0...PaymentValidation.applicationUsernameMax, "applicationUsername")
    }
}
