import Persistence
import StoreModels

/// Handles `download.update` and `download.get`: hosted content of one device (M46 to M48).
struct DownloadService: QueuePart {
    let context: QueueContext

    /// Reads one download of a device.
    /// - Throws: `notFound`, also for another customer's or device's download, and once the transaction is finished.
    func get(_ request: DownloadRequest) async throws -> DownloadReply {
        try await database.read { reader in
            let customer = request.customer
            let stored = try await reader.read(
                TransactionRepository.download(request.downloadId, of: customer, deviceId: request.deviceId))
            let download = try await reader.read(
                DownloadRepository.find(stored.id, deviceId: request.deviceId, of: customer))
            return try Self.reply(request.downloadId, stored.showing(download).transaction)
        }
    }

    /// Applies a device's action to a download. Repeating an action whose state is reached publishes nothing.
    /// - Throws: `requestInvalid`, `notFound` as ``get(_:)``, or `downloadStateInvalid` for an edge that does not
    ///   exist.
    func update(
        _ request: UpdateDownloadRequest, deadline: ContinuousClock.Instant
    ) async throws -> DownloadReply {
        guard request.error == nil || request.action == .fail else {
            throw StoreError.requestInvalid("error", "only 'fail' comes with an error")
        }
        let customer = request.customer
        // Only a start reads the error that the tester is set to meet.
        let testers = request.action == .start ? await defaults.of(request.bundleId, until: deadline) : nil
        let find = TransactionRepository.download(request.downloadId, of: customer, deviceId: request.deviceId)
        var asked = [find.key]
        if let id = Identifiers.transaction(ofDownload: request.downloadId) {
            asked.append(DownloadRepository.find(id, deviceId: request.deviceId, of: customer).key)
        }
        let committed = try await commits.commit(
            customer, asking: asked, reaching: .insideDownloadCommit, until: deadline
        ) { state in
            try state.update(state.read(find), request, testers)
        }
        if !committed.changes.isEmpty { try checkpoint(.afterDownloadCommit) }
        for change in committed.changes { publish(change) }
        return try Self.reply(request.downloadId, committed.output)
    }

    private static func reply(_ id: String, _ value: PaymentTransaction) throws -> DownloadReply {
        guard let download = value.downloads.first(where: { $0.id == id }) else {
            throw StoreError(.internal, "a download went from its transaction")
        }
        return DownloadReply(download: download, productIdentifier: value.payment.productIdentifier)
    }
}

extension CustomerState {
    /// Applies a device's action to a download.
    /// - Parameter defaults: The app's defaults for testers. A start fails with the error the tester is set to meet.
    /// - Throws: `downloadStateInvalid`.
    fileprivate mutating func update(
        _ stored: StoredTransaction, _ request: UpdateDownloadRequest, _ defaults: TesterSettings?
    ) throws -> PaymentTransaction {
        let errors = settings.over(defaults).over(.standard).simulatedErrors
        let simulated = errors?.download.map {
            SimulatedError.failure($0, "The download failed with the error the tester is set to meet.")
        }
        var machine = try read(DownloadRepository.find(stored.id, deviceId: request.deviceId, of: customer))
        switch machine.handle(request.action, code: request.error, simulated: simulated) {
        case .unchanged: break
        case .refused(let state):
            throw StoreError(
                .downloadStateInvalid, "'\(request.action.rawValue)' does not lead out of \(state.rawValue)",
                details: ["state": .string(state.rawValue)])
        case .changed:
            write(try DownloadRepository.put(machine, stored.id, deviceId: request.deviceId, of: customer))
            try journalDownloads(of: stored.showing(machine).transaction, deviceId: request.deviceId)
        }
        return stored.showing(machine).transaction
    }
}
