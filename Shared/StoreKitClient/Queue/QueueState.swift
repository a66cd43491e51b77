internal import StoreModels

/// What a queue keeps behind its lock.
struct QueueState: Sendable {
    weak var queue: SKPaymentQueue?
    var table: TransactionTable
    var observers = QueueObservers()
    /// The objects the app holds, of the downloads that can be used.
    var downloads: [String: SKDownload] = [:]
    /// Runs while somebody observes.
    var stream: Task<Void, Never>?
    var restoresEnded = BoundedSet<String>(count: ClientLimits.restoresMax)
    /// Callbacks on their way.
    var callbackCount = 0
    /// The stream's reader, while it waits for them.
    var waiting: [CheckedContinuation<Void, Never>] = []

    init(deviceId: String) { table = TransactionTable(deviceId: deviceId) }

    /// Whoever waits for callbacks to catch up, once.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [] }
        return waiting
    }

    /// The transaction as the app sees it.
    /// - Parameter make: Makes the object of a download that has none.
    mutating func object(
        of queued: QueuedTransaction, _ make: (Download, QueuedTransaction) -> SKDownload
    ) -> SKPaymentTransaction {
        let downloads = queued.model.downloads.map { model in
            if let known = self.downloads[model.id] {
                known.update(model, of: queued)
                return known
            }
            let made = make(model, queued)
            self.downloads[model.id] = made
            return made
        }
        return SKPaymentTransaction(queued, downloads: downloads)
    }
}
