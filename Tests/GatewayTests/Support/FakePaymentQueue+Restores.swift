import EventLoop
import StoreModels

/// Restores and downloads of one customer's device, and the operator's operations on transactions.
extension FakePaymentQueue {
    func serveRestores() {
        service.handle(PaymentEndpoints.startRestore) { [self] request in
            try check()
            return try contents.withLock { contents in
                if let known = contents.restores[request.requestIdentifier] {
                    guard known.applicationUsername == request.applicationUsername else {
                        throw StoreError(.keyReused, "the key is another restore's")
                    }
                    return known
                }
                let restore = Restore(
                    restoreIdentifier: "r_\(request.requestIdentifier)", state: .running, restored: 0,
                    applicationUsername: request.applicationUsername)
                contents.restores[request.requestIdentifier] = restore
                return restore
            }
        }
        service.handle(PaymentEndpoints.getRestore) { [self] request in
            try check()
            let found = contents.withLock { contents in
                contents.restores.values.first { $0.restoreIdentifier == request.restoreIdentifier }
            }
            let isMine = Self.isMine(request.bundleId, request.customerIdentifier, request.deviceId)
            guard let found, isMine else { throw StoreError(.notFound, "there is no such restore") }
            return found
        }
        service.handle(PaymentEndpoints.acknowledgeRestore) { [self] request in
            try contents.withLock { contents in
                if contents.refusesAcknowledgements { throw StoreError(.internal, "not now") }
                contents.acknowledged.append(request)
                contents.undelivered.removeAll { $0.restoreIdentifier == request.restoreIdentifier }
                return Empty()
            }
        }
    }

    /// A restore ends on a device.
    @discardableResult
    func end(_ restore: Restore, device: String = Sample.deviceId) -> CustomerChange {
        write { contents, seq in
            contents.undelivered.append(restore)
            return CustomerChange(
                bundleId: Sample.bundleId, customerIdentifier: Self.customer, seq: seq, restore: restore,
                deviceId: device)
        }
    }

    var acknowledged: [String] { contents.withLock { $0.acknowledged.map(\.restoreIdentifier) } }

    func serveDownloads() {
        service.handle(PaymentEndpoints.getDownload) { [self] request in
            try check()
            return try download(
                request.downloadId, Self.isMine(request.bundleId, request.customerIdentifier, request.deviceId))
        }
        service.handle(PaymentEndpoints.updateDownload) { [self] request in
            try check()
            let found = try download(
                request.downloadId, Self.isMine(request.bundleId, request.customerIdentifier, request.deviceId))
            guard found.download.state != .cancelled else {
                throw StoreError(.downloadStateInvalid, "download \(request.downloadId) is cancelled")
            }
            var reply = found
            reply.download.state = Self.states[request.action] ?? .waiting
            reply.download.error = request.action == .fail ? TransactionError(request.error ?? .unknown, "failed") : nil
            write { [reply] contents, seq in
                contents.downloadRequests.append(request)
                contents.downloads[request.downloadId] = reply
                return CustomerChange(
                    bundleId: Sample.bundleId, customerIdentifier: Self.customer, seq: seq,
                    downloads: [reply.download], deviceId: request.deviceId)
            }
            return reply
        }
    }

    /// A download of Alice's first device.
    func offer(_ id: String, state: Download.State = .waiting, length: Int64) {
        let download = Download(
            id: id, transactionId: "t_\(id)", state: state,
            contentIdentifier: Sample.hiddenBeaches.productIdentifier, contentVersion: "1.0", contentLength: length)
        contents.withLock {
            $0.downloads[id] = DownloadReply(
                download: download, productIdentifier: Sample.hiddenBeaches.productIdentifier)
        }
    }

    func serveOperating() {
        operate(PaymentEndpoints.approveTransaction, "approve")
        operate(PaymentEndpoints.declineTransaction, "decline")
        operate(PaymentEndpoints.resolveTransaction, "resolve")
        service.handle(PaymentEndpoints.findTransaction) { [self] named in
            let transaction = try noted("find", named)
            return RecordedTransaction(
                transaction: transaction,
                record: .init(
                    bundleId: named.scope.bundleId ?? Sample.bundleId, account: "alice",
                    customerIdentifier: Self.customer,
                    isFinished: contents.withLock { $0.finished.contains(transaction.id) }))
        }
        service.handle(PaymentEndpoints.redeliverTransaction) { [self] named in
            var transaction = try noted("redeliver", named)
            guard transaction.transactionState != .purchasing else {
                throw StoreError(.transactionStateInvalid, "transaction \(named.id) is purchasing")
            }
            transaction.revision += 1
            commit(transaction)
            return transaction
        }
        service.handle(PaymentEndpoints.deleteTransaction) { [self] named in
            _ = try noted("delete", named)
            contents.withLock { $0.transactions.removeAll { $0.id == named.id } }
            return Empty()
        }
    }

    private func operate(_ endpoint: Endpoint<OperateTransactionRequest, PaymentTransaction>, _ verb: String) {
        service.handle(endpoint) { [self] request in
            let transaction = try noted(verb, request.transaction, error: request.error)
            guard transaction.transactionState == .deferred else {
                throw StoreError(.transactionStateInvalid, "transaction \(transaction.id) was never deferred")
            }
            return transaction
        }
    }

    private func noted(
        _ verb: String, _ named: ScopedIdentifier, error: SKErrorCode? = nil
    ) throws -> PaymentTransaction {
        contents.withLock { contents in
            let place = named.scope.bundleId.map { "\(verb) in \($0)" } ?? verb
            contents.operations.append("\(place) \(named.id)" + (error.map { " \($0.name)" } ?? ""))
        }
        return try transaction(named)
    }

    /// The transaction that an operator names.
    func transaction(_ named: ScopedIdentifier) throws -> PaymentTransaction {
        try check()
        let found = contents.withLock { contents in
            contents.transactions.first {
                contents.scope == named.scope && [$0.id, $0.transactionIdentifier].contains(named.id)
            }
        }
        guard let found else { throw StoreError(.notFound, "there is no such transaction") }
        return found
    }

    private func download(_ id: String, _ isMine: Bool) throws -> DownloadReply {
        guard isMine, let found = contents.withLock({ $0.downloads[id] }) else {
            throw StoreError(.notFound, "there is no such download")
        }
        return found
    }

    private static let states: [DownloadAction: Download.State] = [
        .start: .active, .pause: .paused, .resume: .active, .cancel: .cancelled, .finish: .finished, .fail: .failed,
    ]

    private static func isMine(_ bundleId: String, _ customer: String, _ device: String) -> Bool {
        bundleId == Sample.bundleId && customer == Self.customer && device == Sample.deviceId
    }
}
