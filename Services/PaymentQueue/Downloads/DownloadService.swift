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
            let stored = try await TransactionRepository.download(
                request.downloadId, of: customer, deviceId: request.deviceId, in: reader)
            let shown = try await DownloadRepository.view([stored], deviceId: request.deviceId, in: reader)
            return try Self.reply(request.downloadId, shown.first?.transaction)
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
        let committed = try await database.write { transaction in
            let committed = try await CustomerTransaction.run(customer, in: transaction, clock: clock) { commit in
                let simulated = request.action == .start ? try await commit.simulatedDownloadError(testers) : nil
                return try await commit.update(request, simulated: simulated)
            }
            if !committed.changes.isEmpty { try checkpoint(.insideDownloadCommit) }
            return committed
        }
        if !committed.changes.isEmpty { try checkpoint(.afterDownloadCommit) }
        for change in committed.changes { publish(change) }
        return try Self.reply(request.downloadId, committed.output)
    }

    private static func reply(_ id: String, _ value: PaymentTransaction?) throws -> DownloadReply {
        guard let value, let download = value.downloads.first(where: { $0.id == id }) else {
            throw StoreError(.internal, "a download went from its transaction")
        }
        return DownloadReply(download: download, productIdentifier: value.payment.productIdentifier)
    }
}

extension CustomerTransaction {
    /// Returns the failure of a download that the tester is set to meet.
    /// - Parameter defaults: The app's defaults for testers.
    fileprivate func simulatedDownloadError(_ defaults: TesterSettings?) async throws -> TransactionError? {
        let tester = try await TesterRepository.effective(of: account, defaults: defaults, in: transaction)
        return tester.simulatedErrors?.download.map {
            SimulatedError.failure($0, "The download failed with the error the tester is set to meet.")
        }
    }
}
