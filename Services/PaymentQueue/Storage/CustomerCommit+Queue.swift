import StoreModels

extension CustomerCommit {
    /// What a finish says besides when content was not downloaded (M55).
    static let pendingDownloads = "finishedWithPendingDownloads"

    /// Takes a transaction out of the queue on all devices. What the finishing device was still downloading is cancelled,
    /// and the answer says so. Finishing again gives the same answer and writes nothing (M54).
    /// - Throws: `transactionNotFinishable` while purchasing or deferred (M53).
    mutating func finish(_ stored: StoredTransaction, deviceId: String) async throws -> PaymentTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        let outcome = machine.handle(.finish)
        guard case .refused = outcome else {
            return try await finish(stored, deviceId: deviceId, isFirst: outcome != .unchanged)
        }
        let state = stored.transaction.transactionState.rawValue
        throw StoreError(
            .transactionNotFinishable, "a \(state) transaction cannot be finished",
            details: ["transactionState": .string(state)])
    }

    private mutating func finish(
        _ stored: StoredTransaction, deviceId: String, isFirst: Bool
    ) async throws -> PaymentTransaction {
        var answer = stored
        answer.isFinished = true
        var isPending = false
        if !stored.transaction.downloads.isEmpty {
            let download =
                try await DownloadRepository.find(stored.id, deviceId: deviceId, of: customer, in: transaction)
                ?? DownloadStateMachine()
            answer = answer.showing(download)
            isPending = DownloadStateMachine.isPending(download.state)
            if isPending { answer.transaction.warnings = [Self.pendingDownloads] }
        }
        guard isFirst, try await TransactionRepository.markFinished(stored.id, of: customer, in: transaction) else {
            return answer.transaction
        }
        try await PromptRepository.withdraw(about: stored.id, .redelivery, customer, in: transaction)
        if isPending {
            try journalDownloads(of: answer.transaction, deviceId: deviceId, event: .finishedWithPendingDownloads)
        }
        try journalRemoval(of: stored.transaction, event: .finished)
        return answer.transaction
    }

    /// Does to a download what its device asks for.
    /// - Parameter simulated: the error the tester is set to meet; a start ends with it.
    /// - Throws: `notFound` for a download that is none of this device's unfinished transactions; `downloadStateInvalid`.
    mutating func update(
        _ request: UpdateDownloadRequest, simulated: TransactionError?
    ) async throws -> PaymentTransaction {
        let stored = try await TransactionRepository.download(
            request.downloadId, of: customer, deviceId: request.deviceId, in: transaction)
        var machine =
            try await DownloadRepository.find(stored.id, deviceId: request.deviceId, of: customer, in: transaction)
            ?? DownloadStateMachine()
        switch machine.handle(request.action, code: request.error, simulated: simulated) {
        case .unchanged: break
        case .refused(let state):
            throw StoreError(
                .downloadStateInvalid, "'\(request.action.rawValue)' does not lead out of \(state.rawValue)",
                details: ["state": .string(state.rawValue)])
        case .changed:
            try await DownloadRepository.put(
                machine, stored.id, deviceId: request.deviceId, of: customer, in: transaction)
            try journalDownloads(of: stored.showing(machine).transaction, deviceId: request.deviceId)
        }
        return stored.showing(machine).transaction
    }
}
